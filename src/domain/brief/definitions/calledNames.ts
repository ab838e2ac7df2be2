/**
 * The routes, flags and environment variables that a file names, by a table of the calls that name them. Pure.
 *
 * A name that no row can see is not reported: one that is computed, or that a framework derives from a file or a field.
 */
import { type Call, callsIn } from "./callsIn.ts"
import { type Syntax, type Token, tokensOf } from "./Token.ts"

export interface CalledName {
  readonly kind: "route" | "flag" | "environment"
  readonly name: string
  /** From 1. */
  readonly line: number
  /** Of a flag: its default and its choices; null if they are not seen. */
  readonly value: string | null
}

interface CallForm {
  readonly kind: CalledName["kind"]
  /** Of a call without another condition. */
  readonly path: RegExp
  /** Absent: all. */
  readonly families?: RegExp
  /** The file, where the call alone is ambiguous. */
  readonly file?: RegExp
  /** Absent: no mark. */
  readonly mark?: RegExp
  /** Absent: `(`. */
  readonly bracket?: RegExp
  /** The arguments with the name: the first string, all that match, or those with these names. Absent: `first`. */
  readonly from?: "first" | "all" | ReadonlyArray<string>
  /** The group is the name. */
  readonly value: RegExp
  /** Arguments that the call must have. */
  readonly least?: number
  /** The default is the argument before the last one. */
  readonly hasDefault?: true
  /** Without an argument, it names the beginning that its class has. */
  readonly mayBeEmpty?: true
}

const upper = /^([A-Z][A-Z0-9_]+)$/
const dashed = /^(?:-\w(?:[,|/ ]\s*|\s+))?--(?:\[no-\])?([A-Za-z][\w-]*)/
const bare = /^([A-Za-z][\w-]*)/
const slash = /^(\/[^\s"']*)$/
const anyPath = /^([^\s"'()]*)$/

const verbs = "get|post|put|patch|delete|del|head|options|all|any|route|ws|websocket|use"
const caseless = `${verbs}|Get|Post|Put|Patch|Delete|Head|Options|All|Any|Route|Method|Mount|GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS`
/** Objects that routes are added to. */
const receivers =
  "(?:\\w*(?:[aA]pp|[aA]pplication|[rR]outer|[rR]outes|[sS]erver|[gG]roup|[eE]ngine|[mM]ux|[bB]lueprint)|bp|fastify|[hH]ono|express|instance|v\\d|[regvxs])(?:\\(\\))?"
const go = /^go$/
const python = /^python$/
const rust = /^rust$/

const forms: ReadonlyArray<CallForm> = [
  // --- Environment variables
  {
    kind: "environment",
    path: /(?:^|\.)(?:getenv|Getenv|LookupEnv|get_env|fetch_env!?|GetEnvironmentVariable|env\.var(?:_os)?|env|option_env|environ\.(?:get|pop|setdefault)|ENV\.fetch|[eE]nv\.(?:get|str|bool|int|float|list|dict|url|fetch)|environment\.get)$/,
    value: upper
  },
  { kind: "environment", path: /(?:^|\.)(?:BindEnv|EnvVars|MustBindEnv)$/, from: "all", value: upper },
  {
    kind: "environment",
    path: /(?:^|\.)(?:environ|ENV|\$_ENV|\$_SERVER|environment|process\.env|import\.meta\.env|getenv(?:\(\))?)$/,
    bracket: /^\[$/,
    value: upper
  },
  {
    kind: "environment",
    path: /./,
    mark: /^@?$/,
    from: ["envvar", "EnvVar", "EnvVars"],
    bracket: /^[({]$/,
    value: upper
  },
  { kind: "environment", path: /./, families: /^(?:rust|python)$/, mark: /^[@#]?$/, from: ["env"], value: upper },
  // --- Flags
  {
    kind: "flag",
    path: /(?:^|\.)(?:add_argument|add_option|addArgument|option|Option|addOption|requiredOption|on)$/,
    mark: /^@?$/,
    from: "all",
    value: dashed
  },
  { kind: "flag", path: /(?:^|\.)Option$/, mark: /^@$/, from: ["names", "name"], value: dashed },
  { kind: "flag", path: /(?:^|\.)Parameter$/, mark: /^@$/, from: ["names"], value: dashed },
  { kind: "flag", path: /(?:^|\.)option$/, families: /^script$/, value: /^([a-z][\w-]*)$/, least: 2 },
  { kind: "flag", path: /(?:^|\.)addOption$/, families: /^php$/, value: bare },
  {
    kind: "flag",
    path: /(?:^|\.)(?:DEFINE_\w+|define)$/,
    families: python,
    value: /^([a-z][\w-]*)$/,
    least: 2,
    hasDefault: true
  },
  {
    kind: "flag",
    path: /(?:^|\.)(?:\w*[fF]lags?(?:[sS]et)?(?:\(\))?|fs)\.(?:Bool|String|U?[iI]nt|Float|Duration|Count|Text|Func|IP|Bytes|Var)\w*$/,
    families: go,
    value: /^([a-z][\w.-]*)$/,
    hasDefault: true
  },
  { kind: "flag", path: /\.Flag$/, families: go, value: /^([a-z][\w.-]*)$/, least: 2 },
  { kind: "flag", path: /Flag$/, families: go, bracket: /^\{$/, from: ["Name"], value: /^([a-z][\w.-]*)/ },
  { kind: "flag", path: /(?:^|\.)long$/, families: rust, value: bare },
  { kind: "flag", path: /^(?:arg|clap|structopt|argh)$/, families: rust, mark: /^#$/, from: ["long"], value: bare },
  // --- Routes
  {
    kind: "route",
    path: new RegExp(`\\.(?:${verbs}|api_route)$`),
    mark: /^@$/,
    value: slash
  },
  { kind: "route", path: new RegExp(`(?:^|\\.)${receivers}\\.(?:${caseless})$`), value: slash, least: 2 },
  {
    kind: "route",
    path: /(?:^|\.)router\.(?:get|post|put|patch|delete|all)$/,
    families: /^script$/,
    value: anyPath,
    least: 2
  },
  { kind: "route", path: new RegExp(`^\\.(?:${verbs})$`), families: /^script$/, value: slash, least: 2 },
  { kind: "route", path: new RegExp(`(?:^|\\.)${receivers}\\.(?:route)$`), families: /^script$/, value: slash },
  {
    kind: "route",
    path: /(?:^|\.)route$/,
    families: /^script$/,
    from: ["url", "path"],
    value: slash
  },
  {
    kind: "route",
    path: /(?:^|\.)(?:HandleFunc|Handle|HandlerFunc|GET|POST|PUT|PATCH|DELETE)$/,
    families: go,
    value: /^((?:[A-Z]+ )?[\w.]*\/[^\s"']*)$/,
    least: 2
  },
  {
    kind: "route",
    path: /(?:^|\.)(?:(?:Get|Post|Put|Patch|Delete|Request)Mapping|Get|Post|Put|Patch|Delete|Path)$/,
    families: /^(?:java|kotlin|script)$/,
    mark: /^@$/,
    bracket: /^\(?$/,
    from: "all",
    value: anyPath,
    mayBeEmpty: true
  },
  {
    kind: "route",
    path: /(?:^|\.)(?:Get|Post|Put|Patch|Delete|Request)Mapping$/,
    families: /^(?:java|kotlin)$/,
    mark: /^@$/,
    from: ["value", "path"],
    value: anyPath
  },
  {
    kind: "route",
    path: /^(?:Http(?:Get|Post|Put|Patch|Delete)|Route)$/,
    mark: /^\[$/,
    bracket: /^\(?$/,
    value: anyPath,
    mayBeEmpty: true
  },
  { kind: "route", path: /\.Map(?:Get|Post|Put|Patch|Delete)$/, families: /^csharp$/, value: anyPath, least: 2 },
  { kind: "route", path: /^(?:get|post|put|patch|delete|head|options)$/, families: rust, mark: /^#$/, value: slash },
  {
    kind: "route",
    path: /(?:^|\.)(?:route|route_service|nest|nest_service)$/,
    families: rust,
    value: slash,
    least: 2
  },
  { kind: "route", path: /(?:^|\.)resource$/, families: rust, value: slash },
  {
    kind: "route",
    path: /^(?:re_)?path$|^url$/,
    families: python,
    file: /urls?\w*\.py$|\/urls\//,
    value: /^\^?([^\s"']*?)\$?$/,
    least: 2
  },
  {
    kind: "route",
    path: /(?:^|\.)(?:add_(?:get|post|put|patch|delete|route|view|api_route|url_rule|static)|web\.(?:get|post|put|patch|delete|view)|(?:Route|Mount|WebSocketRoute))$/,
    families: python,
    from: "all",
    value: slash,
    least: 2
  },
  { kind: "route", path: /(?:^|\.)router\.register$/, families: python, value: anyPath, least: 2 },
  {
    kind: "route",
    path: /^(?:get|post|put|patch|delete|match|mount)$/,
    families: /^ruby$/,
    bracket: /^[ (]$/,
    file: /(?:^|\/)(?:config\/)?routes(?:\.rb|\/)/,
    value: anyPath
  },
  {
    kind: "route",
    path: /^resources?$/,
    families: /^ruby$/,
    bracket: /^[ (]$/,
    file: /(?:^|\/)(?:config\/)?routes(?:\.rb|\/)/,
    value: /^(:\w+)$/
  },
  {
    kind: "route",
    path: /^(?:get|post|put|patch|delete|live|forward|resources)$/,
    families: /^(?:ruby|elixir|kotlin)$/,
    bracket: /^[ (]$/,
    value: slash
  },
  {
    kind: "route",
    path: /^(?:Route|\$app|\$router|\$group|\$routes)\.(?:get|post|put|patch|delete|any|match|resource)$/,
    families: /^php$/,
    value: anyPath,
    least: 2
  }
]

/** Annotations that give a class the beginning of its routes. */
const prefixes = /^(?:RequestMapping|Path|Controller|Route)$/

export const calledNames = (path: string, lines: ReadonlyArray<string>, syntax: Syntax): ReadonlyArray<CalledName> => {
  const { family } = syntax
  const own = forms.filter(({ families, file }) => families?.test(family) !== false && file?.test(path) !== false)
  const known = new Map<string, ReadonlyArray<CallForm>>()
  const formsOf = (called: string): ReadonlyArray<CallForm> => {
    const matching = known.get(called) ?? own.filter(({ path }) => path.test(called))
    known.set(called, matching)
    return matching
  }
  const tokens = tokensOf(lines, syntax)
  const found: Array<CalledName> = []
  let prefix = ""
  for (const call of callsIn(tokens)) {
    const add = (kind: CalledName["kind"], name: string, value: string | null = null) =>
      found.push({ kind, name, line: call.line + 1, value })
    if (call.bracket === "" && call.mark === "") {
      for (const name of environmentOf(call, tokens)) add("environment", name)
      continue
    }
    if (call.mark !== "" && prefixes.test(call.path) && isOfClass(tokens, call.end)) {
      prefix = call.strings[0] ?? call.named.get("value")?.[0] ?? call.named.get("path")?.[0] ?? ""
      continue
    }
    for (const form of formsOf(call.path)) {
      const names = namesIn(form, call)
      for (const name of names) {
        if (form.kind !== "route") add(form.kind, name, form.kind === "flag" ? defaultOf(form, call) : null)
        else for (const route of routeTexts(call, prefix, name)) add("route", route)
      }
      const isEmpty = names.length === 0 && call.strings.length === 0 && call.named.size === 0
      if (isEmpty && form.mayBeEmpty === true && prefix !== "" && isMeant(form, call))
        for (const route of routeTexts(call, prefix, "")) add("route", route)
    }
    if (family === "rust" && call.mark === "#" && call.words.includes("long") && /^(?:arg|clap)$/.test(call.path)) {
      const field = fieldAfter(tokens, call.end)
      if (field !== null) add("flag", field.replaceAll("_", "-"), call.defaults.join(", ") || null)
    }
  }
  if (family === "go") found.push(...taggedNames(tokens))
  return found
}

const namesIn = (form: CallForm, call: Call): ReadonlyArray<string> => {
  const { from = "first", value } = form
  if (!isMeant(form, call)) return []
  const { leading, named, strings } = call
  const texts = from === "first" ? leading : from === "all" ? strings : from.flatMap((name) => named.get(name) ?? [])
  return texts.flatMap((text) => (text.length > 200 ? [] : (value.exec(text)?.[1] ?? [])))
}

const isMeant = (form: CallForm, call: Call): boolean => {
  const { bracket = /^\($/, least = 0, mark = /^$/ } = form
  return bracket.test(call.bracket) && mark.test(call.mark) && call.count >= least
}

/** Functions of Go without a default. */
const withoutDefault = /\.(?:Var|VarP|VarPF|Func|BoolFunc|Count\w*)$/

const defaultOf = ({ hasDefault }: CallForm, { beforeLast, defaults, path }: Call): string | null => {
  const isGiven = hasDefault === true && beforeLast !== "" && !withoutDefault.test(path)
  return [...(isGiven ? [`default=${beforeLast}`] : []), ...defaults].join(", ") || null
}

const methods = /^(?:get|post|put|patch|delete|head|options)$/i

/** `GET /users`: one for each method, with the beginning that its class has. */
const routeTexts = ({ mark, named, path, words }: Call, prefix: string, name: string): ReadonlyArray<string> => {
  if (name.startsWith(":") && path.startsWith("resource")) return [name]
  const [, written, rest = name] = /^([A-Z]+) (.*)$/.exec(name) ?? []
  const own = path.replace(/^.*[._]|(?:Mapping)?$/g, "").replace(/^(?:Http|Map)/, "")
  const given = [...(named.get("methods") ?? []), ...(named.get("method") ?? [])]
  const handlers = words.flatMap((each) =>
    each
      .replaceAll("()", "")
      .split(".")
      .filter((part) => methods.test(part))
  )
  const found =
    written !== undefined ? [written] : methods.test(own) ? [own] : given.length > 0 ? given : handlers.slice(0, 1)
  const route = `/${mark === "" ? "" : prefix}/${rest}`.replace(/\/{2,}/g, "/").replace(/(.)\/$/, "$1")
  return found.length === 0 ? [route] : found.map((method) => `${method.toUpperCase()} ${route}`)
}

/** `process.env.NAME`, and the names of `const { NAME } = process.env`. */
const environmentOf = ({ end, path }: Call, tokens: ReadonlyArray<Token>): ReadonlyArray<string> => {
  const member = /(?:^|\.)(?:process|import\.meta|Bun)\.env\.([A-Z][A-Z0-9_]+)$/.exec(path)?.[1]
  if (member !== undefined) return [member]
  if (!/^(?:process|import\.meta|Bun)\.env$/.test(path)) return []
  const start = end - path.split(".").length * 2 + 1
  return tokens[start - 1]?.text === "=" ? destructured(tokens, start - 2) : []
}

/** The most tokens of a pattern. */
const mostOfPattern = 400

const destructured = (tokens: ReadonlyArray<Token>, close: number): ReadonlyArray<string> => {
  if (tokens[close]?.text !== "}") return []
  const names: Array<string> = []
  for (let at = close - 1; at > close - mostOfPattern && at >= 0; at--) {
    const { text } = tokens[at]!
    const before = tokens[at - 1]?.text
    if (upper.test(text) && (before === "{" || before === ",")) names.push(text)
    if (text === "{") return names
  }
  return []
}

/** Is the annotation that ends here one of a class? */
const isOfClass = (tokens: ReadonlyArray<Token>, end: number): boolean => {
  for (let at = end; at < Math.min(tokens.length, end + 60); at++) {
    const { text } = tokens[at]!
    if (/^(?:class|interface|record|object)$/.test(text)) return true
    if (/^[{;=]$/.test(text) || text === "def" || text === "function" || text === "fun") return false
    // A method has brackets that are not those of an annotation.
    if (text === "(" && !isAnnotated(tokens, at)) return false
  }
  return false
}

const isAnnotated = (tokens: ReadonlyArray<Token>, open: number): boolean => {
  let at = open - 1
  while (tokens[at - 1]?.text === ".") at -= 2
  return /^[@[]$/.test(tokens[at - 1]?.text ?? "")
}

/** The field below an attribute of Rust. */
const fieldAfter = (tokens: ReadonlyArray<Token>, end: number): string | null => {
  for (let at = end; at < Math.min(tokens.length, end + 80); at++) {
    const isField = tokens[at]!.kind === "word" && tokens[at + 1]?.text === ":"
    if (isField && /^(?:pub|\]|\))$/.test(tokens[at - 1]?.text ?? "")) return tokens[at]!.text
    if (/^(?:fn|struct|enum)$/.test(tokens[at]!.text)) return null
  }
  return null
}

/** Tags of Go's fields: `env:"NAME"`. */
const taggedNames = (tokens: ReadonlyArray<Token>): ReadonlyArray<CalledName> =>
  tokens.flatMap(({ kind, line, text }): ReadonlyArray<CalledName> => {
    const name =
      kind === "string" && text.startsWith("`") && text.length < 400
        ? /\b(?:env|envconfig)\s*:\s*"([A-Z][A-Z0-9_]+)/.exec(text)?.[1]
        : undefined
    return name === undefined ? [] : [{ kind: "environment", name, line: line + 1, value: null }]
  })
