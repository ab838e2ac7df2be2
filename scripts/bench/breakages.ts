/**
 * What the cross-file findings see and what they make up. Run
 * `bun scripts/bench/breakages.ts REPOSITORY [count] [seed] [language] [rows]`; `rows` is a pattern of
 * the rows that are wanted, for example `method rename`.
 *
 * In a clone that is thrown away afterwards it takes definitions that other files use, breaks them, a few in a commit
 * (rename, remove, a new required parameter, a parameter less, a dropped export or visibility, a deleted file), and
 * does as many harmless things (a complete rename, a new parameter that every call gives, an optional parameter, a line
 * in the body, a comment). Each commit is reviewed by the compiled binary. The table: language, what was broken, how,
 * made, found (by a cross-file rule) or wrongly reported (by any rule of the lens `structural`), and the median time of a
 * review.
 *
 * Subjects are picked by text alone, never by dd's own resolver: a definition on one line under a name that no other
 * line of the repository defines, and a use of that name in another file as the language writes it. `function`: a use
 * by name, through an import, a package, a module path or a class. `method`: `.name(` in another file that mentions
 * the class; `field`: `.name` without a call there. Whether that object is of the class at all, nobody looks.
 */
import { unlinkSync } from "node:fs"
import { join } from "node:path"
import { isGeneratedPath } from "../../src/domain/change/PathKind.ts"
import { isTestFile } from "../../src/domain/change/TestFile.ts"
import { git, openScratchClone, type Reported, shuffler } from "./scratchClone.ts"
import { median } from "./timed.ts"

const [repository, count = "15", seed = "1", only, rows = ""] = process.argv.slice(2)
if (repository === undefined) {
  console.error("usage: bun scripts/bench/breakages.ts REPOSITORY [count] [seed] [language] [rows]")
  process.exit(2)
}

const scratch = openScratchClone("breakages")
const { clone, read, write } = scratch

const kinds = ["function", "method", "field"] as const

/** A definition found by text. */
interface Found {
  readonly name: string
  /** As the line writes them, without `self` and its like. */
  readonly parameters: string
  /** The class of a method, or of a static function. */
  readonly owner: string | null
  readonly kind: (typeof kinds)[number]
}

interface Language {
  readonly name: string
  readonly isFile: (path: string) => boolean
  /** What this line defines; `owner` is the class whose body it stands in, by indentation or braces. */
  readonly definition: (line: string, owner: string | null) => Found | null
  /** [1] the class that this line opens. */
  readonly owner: RegExp
  /** Lines that define the name, however. */
  readonly defines: (name: string) => RegExp
  /** Does another file's text use the name through this file? */
  readonly uses: (text: string, found: Found, definedIn: string, path: string) => boolean
  readonly lastLine: (lines: ReadonlyArray<string>, first: number) => number
  readonly required: string
  /** What a call gives for it. */
  readonly given: string
  readonly optional: string | null
  /** The line without its export; unchanged where there is none. `users`: files that use it. */
  readonly dropExport: ((line: string, found: Found, definedIn: string, users: ReadonlyArray<string>) => string) | null
  readonly bodyLine: string
  readonly comment: string
}

const stemOf = (path: string): string => {
  const name = path.slice(path.lastIndexOf("/") + 1).replace(/\.\w+$/, "")
  return /^(?:__init__|index|mod)$/.test(name) ? (path.split("/").at(-2) ?? "") : name
}
const folderOf = (path: string): string => path.slice(0, path.lastIndexOf("/") + 1)
const mentions = (text: string, word: string): boolean => new RegExp(`\\b${word}\\b`).test(text)

/** The line that closes what the first one opened, by indentation. */
const closingBrace = (lines: ReadonlyArray<string>, first: number): number => {
  const indent = /^\s*/.exec(lines[first] ?? "")?.[0] ?? ""
  for (let at = first + 1; at < lines.length; at++) if (new RegExp(`^${indent}[})]`).test(lines[at] ?? "")) return at
  return first
}

const memberUse = (text: string, { kind, name, owner }: Found): boolean =>
  owner !== null &&
  mentions(text, owner) &&
  new RegExp(kind === "field" ? `\\.${name}\\b(?!\\s*(?:\\(|=[^=]))` : `\\.${name}\\(`).test(withoutComments(text))

/** Lines that are nothing but a comment use nothing. */
const withoutComments = (text: string): string => text.replace(/^\s*(?:\/\/|#|\*).*$/gm, "")

const languages: ReadonlyArray<Language> = [
  {
    name: "python",
    isFile: (path) => path.endsWith(".py") && !/(^|\/)(docs|examples?)\//.test(path),
    owner: /^class (\w+)/,
    definition: (line, owner) => {
      const [, name, parameters = ""] = /^def ([A-Za-z]\w{4,})\(([^()=*/]*)\)(?: -> [^:]+)?:$/.exec(line) ?? []
      if (name !== undefined) return { name, parameters, owner: null, kind: "function" }
      const [, method, own = ""] =
        /^ {4}def ([A-Za-z]\w{4,})\(self(?:, ?)?([^()=*/]*)\)(?: -> [^:]+)?:$/.exec(line) ?? []
      if (method !== undefined) return { name: method, parameters: own, owner, kind: "method" }
      const [, field] = /^ {4}(?: {4}self\.)?([a-z]\w{4,})(?:: [^=]+| = .+|: [^=]+ = .+)$/.exec(line) ?? []
      return field === undefined || owner === null ? null : { name: field, parameters: "", owner, kind: "field" }
    },
    defines: (name) => new RegExp(`\\b(?:def|class) ${name}\\b|^\\s*(?:self\\.)?${name}\\s*(?::[^=]*)?=`, "gm"),
    uses: (text, found, definedIn) =>
      found.kind !== "function"
        ? memberUse(text, found)
        : new RegExp(`^from [\\w.]*\\b${stemOf(definedIn)} import [^#(]*\\b${found.name}\\b(?! as)`, "m").test(text) &&
          new RegExp(`\\b${found.name}\\(`).test(text),
    lastLine: (lines, first) => {
      const indent = /^\s*/.exec(lines[first] ?? "")?.[0] ?? ""
      for (let at = first + 1; at < lines.length; at++) {
        if (new RegExp(`^\\s{0,${indent.length}}\\S`).test(lines[at] ?? "")) return at - 1
      }
      return lines.length - 1
    },
    required: "added_parameter",
    given: "added_parameter=0",
    optional: "added_parameter=None",
    dropExport: null,
    bodyLine: "    _ = 'an added line'",
    comment: "# an added comment"
  },
  {
    name: "typescript",
    isFile: (path) => /\.tsx?$/.test(path) && !path.endsWith(".d.ts"),
    owner: /^(?:export )?(?:default )?(?:abstract )?(?:class|interface) (\w+)/,
    definition: (line, owner) => {
      const [, name, parameters = ""] =
        /^export (?:async )?function ([A-Za-z]\w{4,})\(([^()=?.]*)\)(?:: [\w<>[\]| ]+)? \{$/.exec(line) ?? []
      if (name !== undefined) return { name, parameters, owner: null, kind: "function" }
      const [, method, own = ""] =
        /^ {2}(?:public )?(?:async )?([a-z]\w{4,})\(([^()=?.]*)\)(?:: [\w<>[\]| ]+)? \{$/.exec(line) ?? []
      const isMethod =
        method !== undefined && owner !== null && !/^(?:while|switch|catch|super|constructor)$/.test(method)
      if (isMethod) return { name: method, parameters: own, owner, kind: "method" }
      const [, field] = /^ {2}(?:public )?(?:readonly )?([a-z]\w{4,})\??: [^=(){}]+;?$/.exec(line) ?? []
      return field === undefined || owner === null ? null : { name: field, parameters: "", owner, kind: "field" }
    },
    defines: (name) =>
      new RegExp(
        `\\b(?:class|function|const|let|var|type|interface) ${name}\\b|^\\s+(?:\\w+ )*${name}\\??(?:<.*>)?\\([^)]*\\)(?:: [^;]*)?(?: \\{|;)$|^\\s+(?:\\w+ )*${name}\\??\\s*[:=]`,
        "gm"
      ),
    uses: (text, found, definedIn) =>
      found.kind !== "function"
        ? memberUse(text, found)
        : new RegExp(
            `import (?:type )?\\{[^}]*\\b${found.name}\\b(?! as)[^}]*\\} from ["'][^"']*\\b${stemOf(definedIn)}(?:\\.\\w+)?["']`
          ).test(text) && new RegExp(`\\b${found.name}\\(`).test(text),
    lastLine: closingBrace,
    required: "addedParameter: number",
    given: "0",
    optional: "addedParameter?: number",
    dropExport: (line, { kind, name }) =>
      kind === "function"
        ? line.replace(/^export /, "")
        : line.replace(/^ {2}(?:public )?/, `  private `).replace(`private ${name}`, `private ${name}`),
    bodyLine: "  void 'an added line'",
    comment: "// an added comment"
  },
  {
    name: "go",
    isFile: (path) => path.endsWith(".go") && !path.endsWith("_test.go"),
    owner: /^(?!)()/,
    definition: (line) => {
      const [, name, parameters = ""] = /^func ([A-Za-z]\w{4,})\(([^().]*)\)[^{]*\{$/.exec(line) ?? []
      if (name !== undefined) return { name, parameters, owner: null, kind: "function" }
      const [, owner, method, own = ""] =
        /^func \(\w+ \*?(\w+)\) ([A-Za-z]\w{4,})\(([^().]*)\)[^{]*\{$/.exec(line) ?? []
      return method === undefined ? null : { name: method, parameters: own, owner: owner ?? null, kind: "method" }
    },
    defines: (name) =>
      new RegExp(
        `\\b(?:func|type|var|const) ${name}\\b|\\) ${name}\\(|^\\s+${name}(?:\\(| \\S)|\\b${name}\\s*:=`,
        "gm"
      ),
    uses: (text, { kind, name }, definedIn, path) => {
      const isNear = folderOf(path) === folderOf(definedIn)
      const isPackage = new RegExp(`"[^"]*\\b${stemOf(folderOf(definedIn).slice(0, -1))}"`).test(text)
      if (kind === "method")
        return (isNear || (isPackage && /^[A-Z]/.test(name))) && new RegExp(`\\.${name}\\(`).test(withoutComments(text))
      return isNear
        ? new RegExp(`(?<![\\w.])${name}\\(`).test(text)
        : /^[A-Z]/.test(name) && new RegExp(`\\b${stemOf(folderOf(definedIn).slice(0, -1))}\\.${name}\\(`).test(text)
    },
    lastLine: closingBrace,
    required: "addedParameter int",
    given: "0",
    optional: null,
    dropExport: (line, { name }, definedIn, users) =>
      users.some((user) => folderOf(user) !== folderOf(definedIn))
        ? line.replace(name, `${name[0]?.toLowerCase()}${name.slice(1)}`)
        : line,
    bodyLine: '\tprintln("an added line")',
    comment: "// an added comment"
  },
  {
    name: "rust",
    isFile: (path) => path.endsWith(".rs") && !/(^|\/)(examples|benches)\//.test(path),
    owner: /^impl(?:<[^>]*>)? (\w+)(?:<[^>]*>)? \{$/,
    definition: (line, owner) => {
      const [, name, parameters = ""] =
        /^pub(?:\(crate\))? (?:async )?fn ([a-z]\w{4,})\(([^()]*)\)[^{]*\{$/.exec(line) ?? []
      if (name !== undefined) return { name, parameters, owner: null, kind: "function" }
      const [, method, own = ""] =
        /^ {4}pub(?:\(crate\))? (?:async )?fn ([a-z]\w{4,})\(([^()]*)\)[^{]*\{$/.exec(line) ?? []
      if (method === undefined || owner === null) return null
      const isMethod = /\bself\b/.test(own)
      const rest = own.replace(/^[^,]*\bself\b,?\s*/, "")
      return { name: method, parameters: isMethod ? rest : own, owner, kind: isMethod ? "method" : "function" }
    },
    defines: (name) => new RegExp(`\\b(?:fn|struct|enum|mod|const|static|type|macro_rules!) ${name}\\b`, "gm"),
    uses: (text, found, definedIn) => {
      if (found.kind === "method") return memberUse(text, found)
      if (found.owner !== null) return new RegExp(`\\b${found.owner}::${found.name}\\(`).test(text)
      const isImported = new RegExp(`^\\s*(?:pub )?use [^;]*\\b${found.name}\\b[^;]*;`, "m").test(text)
      return (
        (isImported && new RegExp(`\\b${found.name}\\(`).test(text)) ||
        new RegExp(`\\b${stemOf(definedIn)}::${found.name}\\(`).test(text)
      )
    },
    lastLine: closingBrace,
    required: "added_parameter: usize",
    given: "0",
    optional: null,
    dropExport: (line, _found, definedIn, users) =>
      users.some(
        (user) => !user.startsWith(definedIn.replace(/(?:\/mod)?\.rs$/, "/")) && !/\/(?:lib|main)\.rs$/.test(definedIn)
      )
        ? line.replace(/pub(?:\(crate\))? /, "")
        : line,
    bodyLine: "    let _ = 1;",
    comment: "// an added comment"
  },
  {
    name: "java",
    isFile: (path) => path.endsWith(".java"),
    owner: /^(?:public )?(?:(?:abstract|final) )*(?:class|enum|record|interface) (\w+)/,
    definition: (line, owner) => {
      const [, modifiers = "", name, parameters = ""] =
        /^(?: {2}| {4}|\t)((?:public |protected )?(?:static )?(?:final )?)(?:<[^>]+> )?[\w<>[\], .?]+ ([a-z]\w{4,})\(([^()]*)\)(?: throws [\w, .]+)? \{$/.exec(
          line
        ) ?? []
      if (name === undefined || owner === null || /^\s*(?:return|throw|new|else)\b/.test(line)) return null
      return { name, parameters, owner, kind: /\bstatic\b/.test(modifiers) ? "function" : "method" }
    },
    defines: (name) =>
      new RegExp(
        `^\\s+(?!return\\b|throw\\b|new\\b|else\\b|assert\\b)(?:[\\w@<>\\[\\],.?()"]+ )+${name}\\s*\\([^;={]*(?:\\{|\\)\\s*;|,|\\()$|^\\s+(?!return\\b)(?:[\\w<>\\[\\].]+ )+${name}(?: =|;)`,
        "gm"
      ),
    uses: (text, found, definedIn, path) =>
      found.kind !== "function"
        ? memberUse(text, found)
        : new RegExp(`\\b${found.owner}\\.${found.name}\\(`).test(text) &&
          (folderOf(path).split("/java/").at(-1) === folderOf(definedIn).split("/java/").at(-1) ||
            new RegExp(`^import [\\w.]+\\.${found.owner};`, "m").test(text)),
    lastLine: closingBrace,
    required: "int addedParameter",
    given: "0",
    optional: null,
    dropExport: (line, _found, definedIn, users) => {
      const packageOf = (path: string) => folderOf(path).split("/java/").at(-1)
      const isFar = users.some((user) => packageOf(user) !== packageOf(definedIn))
      return line.replace(/^(\s+)(?:public |protected )/, isFar ? "$1" : "$1private ")
    },
    bodyLine: "    int addedLine = 1;",
    comment: "// an added comment"
  }
]

interface Subject extends Found {
  readonly path: string
  readonly line: number
  readonly users: ReadonlyArray<string>
  /** Does a user call it with as many arguments as it has parameters, plainly written? */
  readonly isFull: boolean
}

const partsOf = (parameters: string): ReadonlyArray<string> => {
  const parts: Array<string> = [""]
  let depth = 0
  for (const char of parameters) {
    if ("<[({".includes(char)) depth++
    if (">])}".includes(char)) depth--
    if (char === "," && depth === 0) parts.push("")
    else parts[parts.length - 1] += char
  }
  return parts.map((part) => part.trim()).filter((part) => part !== "")
}

/** Definitions under a name of their own that other files use and call. */
const subjectsOf = (
  language: Language,
  files: ReadonlyArray<string>,
  every: ReadonlyArray<string>
): ReadonlyArray<Subject> => {
  const texts = new Map(files.map((path) => [path, read(path)]))
  const all = new Map(every.map((path) => [path, texts.get(path) ?? read(path)]))
  const holders = new Map<string, Array<string>>()
  for (const [path, text] of all) {
    for (const word of new Set(text.match(/[A-Za-z_]\w{4,}/g) ?? [])) {
      const known = holders.get(word)
      if (known === undefined) holders.set(word, [path])
      else known.push(path)
    }
  }
  const subjects: Array<Subject> = []
  for (const [path, text] of texts) {
    let owner: string | null = null
    const lines = text.split("\n")
    for (const [line, words] of lines.entries()) {
      const opened = language.owner.exec(words)?.[1]
      if (opened !== undefined) owner = opened
      else if (/^[^\s})#/*@]/.test(words)) owner = null
      const found = language.definition(words, owner)
      if (found === null || /^\s*[@#]/.test(lines[line - 1] ?? "")) continue
      const holding = holders.get(found.name) ?? []
      const again = language.defines(found.name)
      if (holding.length > 60 || holding.flatMap((other) => all.get(other)?.match(again) ?? []).length > 1) continue
      // What tests define for themselves, nobody else uses, whatever its name.
      const users = holding.filter(
        (other) =>
          other !== path &&
          texts.has(other) &&
          (!isTestFile(path) || isTestFile(other)) &&
          language.uses(texts.get(other) ?? "", found, path, other)
      )
      if (users.length === 0) continue
      const wanted = partsOf(found.parameters).length
      const isFull = users.some((user) =>
        [...(texts.get(user) ?? "").matchAll(new RegExp(`\\b${found.name}\\(([^()]*)\\)`, "g"))].some(
          ([, given = ""]) => wanted > 0 && partsOf(given).length === wanted && !/[*=]|\.\.\./.test(given)
        )
      )
      subjects.push({ ...found, path, line, users, isFull })
    }
  }
  return subjects
}

/** Subjects that are broken in one commit: each in a file of its own, each with a user that the commit leaves alone. */
const together = 5

/** Takes the next ones out of those that wait. */
const takeBatch = (waiting: Array<Subject>, size: number): ReadonlyArray<Subject> => {
  const batch: Array<Subject> = []
  for (let at = 0; at < waiting.length && batch.length < size; ) {
    const next = waiting[at]
    const paths = new Set([...batch, ...(next === undefined ? [] : [next])].map(({ path }) => path))
    const isApart = [...batch, ...(next === undefined ? [] : [next])].every(({ users }) =>
      users.some((user) => !paths.has(user))
    )
    if (next !== undefined && isApart && paths.size === batch.length + 1) {
      batch.push(next)
      waiting.splice(at, 1)
    } else at++
  }
  // One that fits no batch goes alone.
  return batch.length > 0 ? batch : waiting.splice(0, 1)
}

/** Changes the clone's files; false when this breakage does not fit this definition. */
type Edit = (subject: Subject, language: Language, files: ReadonlyArray<string>) => boolean

const editLine = ({ path, line }: Subject, edit: (words: string) => string): boolean => {
  const lines = read(path).split("\n")
  const before = lines[line] ?? ""
  lines[line] = edit(before)
  write(path, lines.join("\n"))
  return lines[line] !== before
}

/** The words between the parentheses behind the name. */
const editParameters = (
  subject: Subject,
  edit: (parameters: ReadonlyArray<string>) => ReadonlyArray<string>
): boolean =>
  editLine(subject, (words) => {
    const start = words.indexOf(`${subject.name}(`) + subject.name.length + 1
    const end = words.indexOf(")", start)
    return `${words.slice(0, start)}${edit(partsOf(words.slice(start, end))).join(", ")}${words.slice(end)}`
  })

const insertLine = ({ line, path }: Subject, text: string, at: number): boolean => {
  const lines = read(path).split("\n")
  const indent = /^\s*/.exec(lines[line] ?? "")?.[0] ?? ""
  lines.splice(line + at, 0, `${indent}${text}`)
  write(path, lines.join("\n"))
  return true
}

const breakages: Readonly<Record<string, Edit>> = {
  rename: (subject) => editLine(subject, (words) => words.replace(subject.name, `${subject.name}Renamed`)),
  remove: (subject, language) => {
    const lines = read(subject.path).split("\n")
    lines.splice(subject.line, language.lastLine(lines, subject.line) - subject.line + 1)
    write(subject.path, lines.join("\n"))
    return true
  },
  "required parameter": (subject, { required }) => editParameters(subject, (parameters) => [...parameters, required]),
  "removed parameter": (subject) => subject.isFull && editParameters(subject, (parameters) => parameters.slice(0, -1)),
  "drop export": (subject, { dropExport }) =>
    dropExport !== null && editLine(subject, (words) => dropExport(words, subject, subject.path, subject.users)),
  "delete file": ({ path }) => {
    unlinkSync(join(clone, path))
    return true
  }
}

/** The others edit parameters or bodies. */
const editsOfFields = new Set(["rename", "remove", "delete file", "complete rename", "comment"])

/** Every place that names it, but for imports and its definition, calls it with arguments that text alone can read. */
const hasOnlyCalls = ({ name }: Subject, files: ReadonlyArray<string>): boolean =>
  files.every((path) => {
    const text = read(path)
    if (!text.includes(name)) return true
    const lines = text.split("\n").filter((line) => !/^\s*(?:import|from|use|pub use)\b/.test(line))
    return lines.every((line) => {
      const uses = line.match(new RegExp(`\\b${name}\\b`, "g"))?.length ?? 0
      return (line.match(new RegExp(`\\b${name}\\([^()]*\\)`, "g"))?.length ?? 0) === uses
    })
  })

/** One more argument for each call; the definition's own line already has its parameter. */
const giveEverywhere = ({ line, name, path }: Subject, given: string, files: ReadonlyArray<string>): true => {
  for (const file of files) {
    const text = read(file)
    if (!text.includes(`${name}(`)) continue
    const lines = text.split("\n").map((words, at) =>
      file === path && at === line
        ? words
        : words.replace(new RegExp(`\\b${name}\\(([^()]*)\\)`, "g"), (_, list: string) => {
            const bare = list.trim().replace(/,$/, "")
            return `${name}(${bare === "" ? given : `${bare}, ${given}`})`
          })
    )
    write(file, lines.join("\n"))
  }
  return true
}

/** The files keep their names, and so do the paths that lead to them. */
const renamedIn = (text: string, name: string): string =>
  text
    .split("\n")
    .map((line) => {
      const isPath = /\b(?:from|import|require|mock)\b.*["']/.test(line)
      return line.replace(new RegExp(`${isPath ? "(?<![/.])" : ""}\\b${name}\\b`, "g"), `${name}Renamed`)
    })
    .join("\n")

const harmless: Readonly<Record<string, Edit>> = {
  "complete rename": ({ name }, _, files) => {
    for (const path of files) {
      const text = read(path)
      if (text.includes(name)) write(path, renamedIn(text, name))
    }
    return true
  },
  "parameter, all calls": (subject, { given, required }, files) =>
    hasOnlyCalls(subject, files) &&
    editParameters(subject, (parameters) => [...parameters, required]) &&
    giveEverywhere(subject, given, files),
  "optional parameter": (subject, { optional }) =>
    optional !== null && editParameters(subject, (parameters) => [...parameters, optional]),
  "line in body": (subject, { bodyLine }) => insertLine(subject, bodyLine, 1),
  comment: (subject, { comment }) => insertLine(subject, comment, 0)
}

const reviewed = (): { readonly findings: ReadonlyArray<Reported>; readonly ms: number } => {
  const started = performance.now()
  const findings = scratch.reviewed()
  const ms = performance.now() - started
  return { findings: findings.filter(({ lens }) => lens === "structural"), ms }
}

const endings = ["py", "ts", "tsx", "mts", "cts", "js", "jsx", "mjs", "cjs", "vue", "svelte", "go", "rs", "java", "kt"]

/** Only sources are checked out and committed: of a partial clone the rest may be missing. */
const sourcesIn = (commit: string): ReadonlyArray<string> => {
  const paths = git("-C", clone, "ls-tree", "-r", "--name-only", commit).split("\n")
  const there = new Set(paths.map((path) => path.slice(path.lastIndexOf(".") + 1)))
  return endings.filter((ending) => there.has(ending)).map((ending) => `:(glob)**/*.${ending}`)
}

/** A finding about this breakage: it names the definition, or the file that is gone. */
const isAbout = ({ description, evidence, rule }: Reported, { name, path }: Subject, kind: string): boolean =>
  rule.startsWith("xref/") && (kind === "delete file" ? evidence.includes(path) : description.includes(name))

try {
  git("clone", "--quiet", "--no-hardlinks", "--no-checkout", repository, clone)
  const start = git("-C", clone, "rev-parse", "HEAD").trim()
  git("-C", clone, "read-tree", "HEAD")
  const sources = sourcesIn(start)
  const restore = () => git("-C", clone, "checkout", "--quiet", start, "--", ...sources)
  restore()
  const every = git("-C", clone, "ls-files")
    .split("\n")
    .filter(
      (path) =>
        endings.includes(path.slice(path.lastIndexOf(".") + 1)) &&
        !/(^|\/)(vendor|node_modules)\//.test(path) &&
        !isGeneratedPath(path)
    )
  const shuffled = shuffler(Number(seed))
  for (const language of languages) {
    const files = every.filter((path) => language.isFile(path))
    if (files.length < 5 || (only !== undefined && only !== language.name)) continue
    const subjects = shuffled(
      subjectsOf(language, files, every)
        .map((subject) => ({ subject, key: subject.path + subject.name }))
        .toSorted((a, b) => (a.key < b.key ? -1 : 1))
        .map(({ subject }) => subject)
    )
    for (const what of kinds) {
      for (const [kind, edit] of [...Object.entries(breakages), ...Object.entries(harmless)]) {
        if (!new RegExp(rows).test(`${what} ${kind}`) || (what === "field" && !editsOfFields.has(kind))) continue
        const times: Array<number> = []
        let made = 0
        let reported = 0
        const waiting = subjects.filter((each) => each.kind === what)
        while (made < Number(count) && waiting.length > 0) {
          const batch = takeBatch(waiting, Math.min(together, Number(count) - made)).filter((subject) =>
            edit(subject, language, every)
          )
          if (batch.length === 0) continue
          git("-C", clone, "add", "--update", "--", ...sources)
          // Of a partial clone, blobs may be missing that the commit does not touch.
          const tree = git("-C", clone, "write-tree", "--missing-ok").trim()
          const commit = git("-C", clone, "commit-tree", tree, "-p", start, "-m", `${kind}: ${batch[0]?.name}`).trim()
          git("-C", clone, "reset", "--quiet", "--soft", commit)
          const { findings, ms } = reviewed()
          times.push(ms)
          made += batch.length
          const isBreakage = kind in breakages
          if (!isBreakage && findings.length > 0) {
            reported += findings.length
            console.error(
              `${language.name} ${what} ${kind}: ${findings.map(({ description, rule }) => `${rule} ${description}`).join(" | ")}`
            )
          }
          for (const subject of isBreakage ? batch : []) {
            const { line, name, path, users } = subject
            if (findings.some((each) => isAbout(each, subject, kind))) reported++
            else console.error(`${language.name} ${what} ${kind}: ${path}:${line + 1} ${name} used in ${users[0]}`)
          }
          git("-C", clone, "reset", "--quiet", "--soft", start)
          restore()
        }
        if (made === 0) continue
        const word = kind in breakages ? "found" : "wrongly reported"
        console.log(
          `${language.name.padEnd(11)} ${what.padEnd(9)} ${kind.padEnd(19)} ${String(made).padStart(3)} made, ${String(reported).padStart(3)} ${word}, ${median(times).toFixed(0)} ms`
        )
      }
    }
  }
} finally {
  scratch.close()
}
