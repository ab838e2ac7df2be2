/**
 * Patterns for environment variables, command-line flags, routes, columns and settings keys.
 *
 * Each line is read separately. Every pattern is linear in the line.
 */
import type { Mention, Role } from "../../domain/code/SharedName.ts"

export interface NameKind {
  /** The rule that reports it. */
  readonly rule: string
  readonly noun: string
  readonly mentions: (path: string, text: string) => ReadonlyArray<Mention>
  /** A line without it mentions no such name. */
  readonly hint: RegExp
  /** The word that a line with a mention of this name must contain; absent: the name. */
  readonly word?: (name: string) => string
  /** The role whose renaming makes a document outdated. */
  readonly documented: Role
}

type FileKind = "code" | "shell" | "settings" | "docs"

const codeEndings =
  "py pyi ts mts cts tsx jsx js mjs cjs go rs ex exs eex heex leex java swift rb erb rake kt kts php cs scala vue svelte dart c cc cpp h hpp m mm lua pl clj groovy gradle html haml slim".split(
    " "
  )
const shellEndings = ["sh", "bash", "zsh", "fish", "ps1", "mk"]
const shellNames = ["Dockerfile", "Containerfile", "Makefile", "makefile", "justfile", "Justfile", "Procfile", "envrc"]
const settingsEndings =
  "yml yaml toml json jsonc json5 ini cfg conf properties tf tfvars hcl service nix plist env".split(" ")
const envEndings = ["example", "sample", "template", "dist", "test", "development", "production", "local", "staging"]
const docsEndings = ["md", "mdx", "rst", "adoc", "txt"]

/** The endings of the files that may mention such a name. */
export const mentioningEndings: ReadonlyArray<string> = [
  ...[...codeEndings, ...shellEndings, ...settingsEndings, ...docsEndings].map((ending) => `.${ending}`),
  ...envEndings.map((ending) => `env.${ending}`),
  ...shellNames
]

const kinds: ReadonlyMap<string, FileKind> = new Map([
  ...codeEndings.map((ending) => [ending, "code"] as const),
  ...shellEndings.map((ending) => [ending, "shell"] as const),
  ...settingsEndings.map((ending) => [ending, "settings"] as const),
  ...docsEndings.map((ending) => [ending, "docs"] as const)
])

/** Documents that contain old names on purpose, such as changelogs and migration guides. */
const historyDocument =
  /(?:^|\/)[^/]*(?:changelog|changes|history|release|upgrad|migrat|news|deprecat|whatsnew)[^/]*(?:\/|$)|(?:^|\/)(?:blog|posts|versioned_docs|archive|decisions|adr|rfcs?|proposals)\//i

/** Null for a file without such names, and for a document of the history. */
const fileKind = (path: string): FileKind | null => {
  const name = path.slice(path.lastIndexOf("/") + 1)
  if (shellNames.some((each) => name.startsWith(each) || name === `.${each}`)) return "shell"
  if (/^\.env\b/.test(name)) return "settings"
  const kind = kinds.get(name.slice(name.lastIndexOf(".") + 1)) ?? null
  return kind === "docs" && historyDocument.test(path) ? null : kind
}

const isEnvFile = (path: string): boolean => /(?:^|\/)(?:[^/]*\.env|\.env[^/]*|\.envrc)$/.test(path)

/** All matches of the patterns; the first group is the name. */
const all = (text: string, role: Role, ...patterns: ReadonlyArray<RegExp>): ReadonlyArray<Mention> =>
  patterns.flatMap((pattern) =>
    [...text.matchAll(pattern)].flatMap((match) => {
      const name = match.slice(1).find((group) => group !== undefined)
      return name === undefined ? [] : [{ name, role }]
    })
  )

/** A pattern whose first group is a name. */
const pattern = (strings: TemplateStringsArray, ...parts: ReadonlyArray<string>): RegExp =>
  new RegExp(String.raw(strings, ...parts), "g")

const isNote = (path: string, text: string): boolean =>
  /\.(?:py|rb|ex|exs|sh|ya?ml|toml|rake)$/.test(path) ? /^\s*#/.test(text) : /^\s*(?:\/\/|\/?\*)/.test(text)

// --- Environment variables

const N = "([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)"
const envSetInCode = [
  pattern`\b(?:setenv|Setenv|put_env|set_var|setEnv|stubEnv|delenv|Unsetenv|remove_var)\(\s*["']${N}["']`,
  pattern`\b(?:os\.environ|ENV)\[\s*["']${N}["']\s*\]\s*=(?!=)`,
  pattern`\bprocess\.env\.${N}\s*=(?!=)`
]
const envReadInCode = [
  pattern`\benviron(?:\.get)?[\[(]\s*["']${N}["']`,
  pattern`\b(?:os\.getenv|os\.Getenv|os\.LookupEnv|env::var|env::var_os|env!|option_env!|System\.getenv|System\.get_env|System\.fetch_env!?|ENV\.fetch|Deno\.env\.get|getenv|GetEnvironmentVariable|[eE]nv(?:\.\w+)?|EnvVars?|BindEnv|env_config!?)\(\s*["']${N}["']`,
  pattern`\bENV\[\s*["']${N}["']`,
  pattern`\b(?:process|import\.meta|Bun)\.env(?:\.${N}\b|\[\s*["']${N}["'])`,
  pattern`\benvironment\[\s*"${N}"`,
  pattern`\b(?:env|envconfig)\s*[:=]\s*"${N}`,
  pattern`\bEnvVars?:.*?"${N}"`
]
/** A constant with the name of a variable. */
const quotedConstant = pattern`(?<![\w/.-])["']${N}["'](?!\s*[:\]])`

const environmentMentions = (path: string, text: string): ReadonlyArray<Mention> => {
  const kind = fileKind(path)
  if (kind === null) return []
  if (kind === "docs") return all(text, "documents", pattern`(?<![\w$-])${N}(?![\w(])`)
  if (isNote(path, text)) return []
  if (kind === "code") {
    const definitions = all(text, "defines", ...envSetInCode)
    const uses = all(text, "uses", ...envReadInCode, quotedConstant)
    return [...definitions, ...uses.filter(({ name }) => !definitions.some((each) => each.name === name))]
  }
  const uses = all(text, "uses", pattern`\$\{?${N}\b`)
  if (isEnvFile(path)) return [...all(text, "defines", pattern`^\s*(?:export\s+)?${N}\s*=`), ...uses]
  if (kind === "shell") {
    const definitions = all(text, "defines", pattern`(?<![\w$-])${N}=`, pattern`^\s*(?:ENV|ARG)\s+${N}\b`)
    return [...definitions, ...uses]
  }
  const definitions = all(
    text,
    "defines",
    pattern`^\s*(?:-\s+)?["']?${N}["']?\s*[:=]`,
    pattern`^\s*(?:-\s+)?["']?(?:name|key)["']?\s*[:=]\s*["']?${N}["']?,?\s*$`,
    pattern`^\s*-\s+["']?${N}["']?\s*$`,
    pattern`\b(?:Environment|env)\s*=\s*.*?${N}\s*=`,
    pattern`(?<![\w$-])${N}=`
  )
  return [...definitions, ...uses]
}

// --- Flags

const F = "([a-z][a-z0-9]*(?:-[a-z0-9]+)+)"
const flagDefinitions = [
  pattern`\b(?:add_argument|option|Option|on|addOption|requiredOption|add_option)\(?\s*(?:["']-\w["'],?\s*)?["'](?:-\w[,|]?\s*)?--${F}(?=[\s=<"'\[])`,
  pattern`\blong\s*(?:=|\()\s*"${F}"`,
  pattern`\b(?:Flags\(\)|flags?|fs|pflag|flagset|flagSet|cmd)\.(?:\w*Var|\w*VarP)\(\s*&?[\w.]+,\s*"${F}"`,
  pattern`\b(?:Flags\(\)|flags?|fs|pflag|flagset|flagSet|kingpin|app|a)\.(?:String|Bool|Int|Int64|Uint|Duration|Float64|StringSlice|StringP|BoolP|IntP|Flag)\(\s*"${F}"`,
  pattern`^\s*Name:\s*"${F}",`,
  pattern`\bnames\s*=\s*\{?[^}]*?"--${F}"`
]
/** Flags that many programs have. */
const ordinaryFlags = new Set(
  "dry-run log-level log-file config-file no-color no-cache no-verify output-dir no-deps fail-fast max-time exit-code save-dev no-edit skip-ci user-agent no-install all-features no-default-features frozen-lockfile".split(
    " "
  )
)
/** Lines that call an external program. */
const otherProgram =
  /(?:^|[\s`$("'|&;])(?:docker|podman|kubectl|helm|aws|gcloud|az|terraform|npm|npx|yarn|pnpm|pip|pip3|uv|poetry|cargo|rustc|go|git|gh|curl|wget|make|pytest|psql|mysql|redis-\w+|tar|rsync|ssh|apt|apt-get|brew|bundle|rails|mix|mvn|gradle|java|xcodebuild|swift|eslint|prettier|tsc|jest|vitest|playwright|cypress|vite|webpack|next|node|python3?)\s/

const flagMentions = (path: string, text: string): ReadonlyArray<Mention> => {
  const kind = fileKind(path)
  if (kind === null) return []
  const worth = (mentions: ReadonlyArray<Mention>) => mentions.filter(({ name }) => !ordinaryFlags.has(name))
  if (kind === "code") {
    const given = all(text, "defines", ...flagDefinitions)
    if (given.length > 0 || isNote(path, text)) return worth(given)
    return worth(otherProgram.test(text) ? [] : all(text, "uses", pattern`["']--${F}(?=["'=])`))
  }
  if (otherProgram.test(text)) return []
  const passed = pattern`(?<![\w-])--${F}(?![\w-])`
  return worth(all(text, kind === "docs" ? "documents" : "uses", passed))
}

// --- Routes

const P = "(/[\\w:{}<>*.$#\\[\\]-]+(?:/[\\w:{}<>*.$#\\[\\]-]+)+/?)"
const routeDefinitions = [
  pattern`@\w+\.(?:route|get|post|put|patch|delete|websocket)\(\s*["']${P}["']`,
  pattern`(?<![\w.])(?:app|router|server|fastify|mux|r|e|g|engine|group|v\d|srv)\.(?:get|post|put|patch|delete|all|use|route|Get|Post|Put|Patch|Delete|GET|POST|PUT|PATCH|DELETE|Handle|HandleFunc|Any|Group)\(\s*["'\`]${P}["'\`]`,
  pattern`\bhttp\.(?:HandleFunc|Handle)\(\s*"${P}"`,
  pattern`^\s*(?:get|post|put|patch|delete|match|live|forward|scope|pipe_through|namespace)[\s(]+["']${P}["']`,
  pattern`@(?:Get|Post|Put|Patch|Delete|Request|Path)(?:Mapping)?\(\s*(?:value\s*=\s*|path\s*=\s*)?\{?\s*"${P}"`,
  pattern`\.(?:route|service|resource|scope|nest)\(\s*"${P}"`,
  pattern`#\[(?:get|post|put|patch|delete)\(\s*"${P}"`,
  pattern`\b(?:re_)?path\(\s*["']${P}["']`
]
const routeUses = [
  pattern`\b(?:fetch|request|navigate|redirect|goto|visit|open|push|replace|redirect_to|href|action|to|url|URL|api|client|http|axios|\$http|ky|got|session|c|test_client|Client|requests)(?:\.\w+)?(?:<[^>]*>)?\s*[(=:]\s*(?:to:\s*)?\{?["'\`]${P}(?=["'\`?#])`,
  pattern`\b(?:GET|POST|PUT|PATCH|DELETE)["']?,\s*["'\`]${P}(?=["'\`?#])`
]

const plainPath = (path: string): string =>
  path.replace(/\/$/, "").replace(/:\w+|\{[^}]*\}|<[^>]*>|\[[^\]]*\]|\$\{[^}]*\}|#\{[^}]*\}/g, "*")

const routeMentions = (path: string, text: string): ReadonlyArray<Mention> => {
  const kind = fileKind(path)
  if (kind === null || kind === "shell" || kind === "settings" || (kind === "code" && isNote(path, text))) return []
  const plain = (mentions: ReadonlyArray<Mention>) =>
    mentions
      .map(({ name, role }) => ({ name: plainPath(name), role }))
      .filter(({ name }) => !name.includes("$") && /\/[a-z][\w-]+\/[\w*-]+|-/.test(name))
  if (kind === "docs") return plain(all(text, "documents", pattern`\b(?:GET|POST|PUT|PATCH|DELETE)\s+\`?${P}`))
  const definitions = plain(all(text, "defines", ...routeDefinitions))
  return definitions.length > 0 ? definitions : plain(all(text, "uses", ...routeUses))
}

// --- Settings keys

const K = "([a-z][A-Za-z0-9]*(?:[._-][A-Za-z0-9]+)+)"
const keysRead = [
  pattern`\b(?:[cC]onfig(?:uration)?|[sS]ettings|[oO]ptions|[pP]references|[pP]roperties|[cC]onf|cfg|viper|[fF]eature[sF]?\w*|[fF]lipper|FunWithFlags|[uU]nleash)(?:\(\))?(?:\.\w+)*!?\??[\[(]\s*[:"']${K}["'\])!?,]`,
  pattern`\b(?:yaml|toml|mapstructure|koanf|hcl|ini):"${K}`,
  pattern`@Value\(\s*"\$\{${K}`
]

const keyMentions = (path: string, text: string): ReadonlyArray<Mention> => {
  const kind = fileKind(path)
  if (kind === null || kind === "shell" || isNote(path, text)) return []
  if (kind === "docs") return all(text, "documents", pattern`^\s*["'\`]?${K}["'\`]?\s*[:=]\s`)
  if (kind === "code") return all(text, "uses", ...keysRead)
  return isEnvFile(path) ||
    /(?:^|\/)(?:package|tsconfig[\w.]*|composer|\w*locales?|i18n)(?:\.json|\/)|(?:^|\/)(?:locales?|i18n|translations?|\.github)\//.test(
      path
    )
    ? []
    : all(text, "defines", pattern`^\s*["']?${K}["']?\s*[:=]`)
}

// --- Columns and tables

const C = "([a-z]\\w*_\\w+)"
const columnRenames = [
  new RegExp(`\\brename_column[\\s(]+[:"']\\w+["']?,\\s*[:"']${C}["']?,\\s*[:"']${C}`),
  new RegExp(`\\brename_table[\\s(]+[:"']${C}["']?,\\s*[:"']${C}`),
  new RegExp(`\\brename[\\s(]+table\\(:\\w+\\),\\s*:${C},\\s*to:\\s*:${C}`),
  new RegExp(`\\brename[\\s(]+table\\(:${C}\\),\\s*to:\\s*table\\(:${C}`),
  new RegExp(`\\bRENAME\\s+(?:COLUMN\\s+)?["'\`]?${C}["'\`]?\\s+TO\\s+["'\`]?${C}`, "i"),
  new RegExp(`\\brenameColumn\\(\\s*["'][\\w.]+["'],\\s*["']${C}["'],\\s*["']${C}`),
  new RegExp(`\\balter_column\\(\\s*["']\\w+["'],\\s*["']${C}["'],.*\\bnew_column_name\\s*=\\s*["']${C}`)
]

/** The statement on this line that renames a column or a table. */
export const columnRename = (text: string): { readonly before: string; readonly after: string } | null => {
  if (!/rename|new_column_name/i.test(text)) return null
  for (const pattern of columnRenames) {
    const [, before, after] = pattern.exec(text) ?? []
    if (before !== undefined && after !== undefined && before !== after) return { before, after }
  }
  return null
}

const isMigration = (path: string): boolean =>
  /(?:^|\/)(?:migrations?|migrate|alembic|changelogs?|versions)\//i.test(path)
const isSchema = (path: string): boolean => /\.sql$|(?:^|\/)(?:schema|structure)\.\w+$/.test(path)

/** Mentions of columns; `def name` or an alias means that the old name is still defined. */
const columnMentions = (path: string, text: string): ReadonlyArray<Mention> => {
  if (isMigration(path)) return []
  if (isSchema(path)) return all(text, "defines", pattern`\b${C}\b`)
  if (fileKind(path) !== "code" || isNote(path, text)) return []
  return [...all(text, "defines", ...columnKept), ...all(text, "uses", ...columnUses)].filter(
    ({ name, role }, _, mentions) =>
      role === "defines" || !mentions.some((each) => each.name === name && each.role === "defines")
  )
}

const columnKept = [
  pattern`\b(?:defp?|function|func|fn|get|set)\s+(?:self\.)?${C}`,
  pattern`\b(?:alias|alias_attribute|alias_method|attr_\w+|delegate)[\s(]+:?["']?${C}`,
  pattern`\bfield[\s(]+:${C}.*\bsource:`
]
const columnUses = [pattern`(?:\.|:|["'\`])${C}\b(?![\w(/.-])`, pattern`\b${C}:(?!:)`]

export const nameKinds: ReadonlyArray<NameKind> = [
  {
    rule: "drift/environment-variable",
    noun: "environment variable",
    mentions: environmentMentions,
    hint: /[A-Z]_[A-Z0-9]/,
    documented: "uses"
  },
  {
    rule: "drift/command-line-flag",
    noun: "flag",
    mentions: flagMentions,
    hint: /[a-z]-[a-z]/,
    documented: "defines"
  },
  {
    rule: "drift/route",
    noun: "route",
    mentions: routeMentions,
    hint: /\/[\w:{<*[-]/,
    word: longestPart,
    documented: "defines"
  },
  {
    rule: "drift/settings-key",
    noun: "settings key",
    mentions: keyMentions,
    hint: /[a-z0-9][._-][a-z0-9]/i,
    documented: "uses"
  },
  {
    rule: "drift/column",
    noun: "column or table",
    mentions: columnMentions,
    hint: /[a-z]_[a-z]/,
    documented: "defines"
  }
]

/** The longest fixed part of a path. */
function longestPart(name: string): string {
  return (
    name
      .split("/")
      .filter((part) => /^[\w-]+$/.test(part))
      .toSorted((a, b) => b.length - a.length)[0] ?? name
  )
}
