/**
 * Reads a rule that a user or a team wrote from its TOML file, and finds the errors in the file.
 *
 * Each file has one rule: a pattern and texts, no code. The id begins with its place (`user/`, `repo/`), so it cannot
 * equal the id of one of dd's rules. All errors of a file are reported at once, each with a fix.
 */
import { Result } from "effect"
import { type Grammar, type GrammarFiles, grammars } from "../change/Grammar.ts"
import { compareText } from "../text/compareText.ts"
import { globFault, pathGlob } from "../text/PathGlob.ts"
import { oneLine } from "../text/Printable.ts"
import { queryFault } from "../text/queryFault.ts"
import { readSettingsFile, type Written } from "../text/SettingsFile.ts"
import { didYouMean, nearest } from "../text/Suggestion.ts"
import type { Severity } from "./Finding.ts"

/** `user`: from the home directory; `repo`: from the repository. */
export type RuleArea = "user" | "repo"

/** The folder in the `.daydream` directory of the user and of the repository. */
export const ruleFolder = "rules"
export const repositoryRuleFolder = ".daydream/rules"

/** The maximum number of rule files from one place; the first ones by name are read. */
export const mostRuleFiles = 50
/** In UTF-16 units: enough for a rule with a page of examples. */
export const longestRuleFile = 32_000
export const longestPattern = 500

/** Finds text in a line. */
export interface LinePatternText {
  readonly _tag: "Line"
  readonly line: string
  /** Lines that match this are not reported. */
  readonly unless: string | null
}

/** Finds nodes in the syntax tree. */
export interface QueryPatternText {
  readonly _tag: "Query"
  readonly query: string
  /** Patterns that the text of a capture must match. */
  readonly where: ReadonlyMap<string, string>
  /** Patterns that it must not match. */
  readonly unless: ReadonlyMap<string, string>
}

export interface UserExample {
  readonly kind: "bad" | "good"
  /** From 1, among the examples of its kind. */
  readonly number: number
  readonly text: string
  /** The path of the text, for rules with `paths`. */
  readonly path: string
}

export interface UserRule {
  readonly id: string
  readonly area: RuleArea
  /** As shown to users: `~/.daydream/rules/x.toml`. */
  readonly file: string
  readonly severity: Severity
  readonly title: string
  readonly why: string
  readonly fix: string
  readonly reference: string
  readonly inTests: boolean
  /** Empty: any text file. */
  readonly languages: ReadonlyArray<Grammar>
  readonly paths: ReadonlyArray<string>
  readonly pattern: LinePatternText | QueryPatternText
  readonly examples: ReadonlyArray<UserExample>
}

/** An error at a place of a rule file. `problem` ends with the fix. */
export interface RuleFileProblem {
  readonly file: string
  readonly line: number
  readonly key: string
  readonly problem: string
}

export const ruleFileProblemText = ({ file, line, key, problem }: RuleFileProblem): string =>
  `${oneLine(file)}:${line}${key === "" ? "" : ` ${oneLine(key)}`}: ${problem}`

const keys = [
  "id",
  "languages",
  "paths",
  "in_tests",
  "severity",
  "title",
  "why",
  "fix",
  "reference",
  "line",
  "query",
  "where",
  "unless",
  "bad",
  "good"
]

const severities = ["high", "medium", "low"] as const

/** The maximum number of characters of `title`, and of `why`, `fix` and `reference`. */
const longestTitle = 80
const longestWords = 600

/** Reads the rule of a file; `name` is the name of the file. */
export const readUserRule = (
  text: string,
  { area, file, name }: { readonly area: RuleArea; readonly file: string; readonly name: string },
  files: GrammarFiles
): Result.Result<UserRule, ReadonlyArray<RuleFileProblem>> => {
  if (text.length > longestRuleFile) {
    return Result.fail([
      { file, line: 1, key: "", problem: `a rule file may have ${longestRuleFile} characters; shorten its examples` }
    ])
  }
  const read = readSettingsFile(text, "")
  if (Result.isFailure(read)) {
    const { line, problem } = read.failure
    const quotes = "; patterns are easiest in single quotes: line = 'a\\.b'"
    return Result.fail([{ file, line, key: "", problem: `not TOML: ${oneLine(problem)}${quotes}` }])
  }
  const problems: Array<RuleFileProblem> = []
  const written = new Map((read.success ?? []).map((each) => [each.key, each]))
  const say = (key: string, problem: string) =>
    problems.push({ file, line: written.get(key)?.line ?? lineBelow(written, key), key, problem })

  for (const { key } of written.values()) {
    const top = key.split(".", 1)[0] ?? key
    if (!keys.includes(top))
      say(key, `there is no such key${didYouMean(nearest(top, keys))}; known: ${keys.join(", ")}`)
  }

  const ask = asking(written, say, files)
  const id = idOf(ask.text("id", longestWords, stem(name)), area, say)
  const title = ask.text("title", longestTitle)
  const why = ask.text("why", longestWords)
  const fix = ask.text("fix", longestWords)
  const reference = ask.text("reference", longestWords, file)
  const severity = severities.find((each) => each === ask.text("severity", 10, "medium"))
  if (severity === undefined) say("severity", `write one of ${severities.map((each) => `"${each}"`).join(", ")}`)
  const languages = ask.texts("languages").flatMap((each): ReadonlyArray<Grammar> => {
    const known = grammars.find((grammar) => grammar === each)
    if (known === undefined) {
      say(
        "languages",
        `"${oneLine(each)}" is no language of dd${didYouMean(nearest(each, grammars))}; known: ${grammars.join(", ")}`
      )
    }
    return known === undefined ? [] : [known]
  })
  const paths = ask.texts("paths")
  for (const glob of paths) {
    const fault = globFault(glob)
    if (fault !== null) say("paths", `"${oneLine(glob)}": ${fault}; write it like "src/**/*.py"`)
  }
  const inTests = written.get("in_tests")?.value ?? true
  if (typeof inTests !== "boolean") say("in_tests", "write true or false")
  const pattern = patternOf(written, ask, say)
  if (pattern?._tag === "Query" && languages.length === 0) {
    say("languages", 'a query is written for a grammar; name it: languages = ["python"]')
  }
  const examples = [...ask.examples("bad", languages, paths), ...ask.examples("good", languages, paths)]

  if (problems.length > 0 || pattern === null || severity === undefined) {
    return Result.fail(problems.sort((a, b) => a.line - b.line || compareText(a.key, b.key)))
  }
  return Result.succeed({
    id,
    area,
    file,
    severity,
    title,
    why,
    fix,
    reference,
    inTests: inTests === true,
    languages,
    paths,
    pattern,
    examples
  })
}

/** Is the path one of these, or are there none? */
export const isInPaths = (paths: ReadonlyArray<string>): ((path: string) => boolean) => {
  const globs = paths.map(pathGlob)
  return (path) => globs.length === 0 || globs.some((matches) => matches(path))
}

/** The stack under which lists show the rule: that of its languages, if they have the same. */
export const stackOf = (languages: ReadonlyArray<Grammar>): string => {
  const stacks = new Set(languages.map((grammar) => stackOfGrammar[grammar] ?? grammar))
  return stacks.size === 1 ? ([...stacks][0] ?? "generic") : "generic"
}

const stackOfGrammar: Partial<Record<Grammar, string>> = {
  tsx: "typescript",
  javascript: "typescript",
  swift: "ios"
}

type Say = (key: string, problem: string) => void

/** Reads the keys of a file; an invalid value is reported and replaced by a default. */
const asking = (written: ReadonlyMap<string, Written>, say: Say, files: GrammarFiles) => {
  const text = (key: string, longest: number, otherwise?: string): string => {
    const value = written.get(key)?.value
    if (value === undefined && otherwise !== undefined) return otherwise
    if (typeof value !== "string" || value.trim() === "") {
      say(key, value === undefined ? `missing; add ${key} = "..."` : `write a text in quotes: ${key} = "..."`)
      return otherwise ?? ""
    }
    if (value.length > longest) say(key, `at most ${longest} characters; it has ${value.length}`)
    // A pattern is literal, including white space.
    return key === "line" || key === "unless" ? value : oneLine(value)
  }

  const texts = (key: string): ReadonlyArray<string> => {
    const value = written.get(key)?.value
    if (value === undefined) return []
    const items = Array.isArray(value) ? value.filter((item) => typeof item === "string") : []
    if (!Array.isArray(value) || items.length < value.length || items.length === 0) {
      say(key, `write a list of texts: ${key} = ["..."]`)
    }
    if (items.length > mostItems) say(key, `at most ${mostItems} entries; it has ${items.length}`)
    return items.slice(0, mostItems)
  }

  const examples = (
    kind: "bad" | "good",
    languages: ReadonlyArray<Grammar>,
    paths: ReadonlyArray<string>
  ): ReadonlyArray<UserExample> => {
    const value = written.get(kind)?.value
    if (value === undefined) return []
    if (!Array.isArray(value)) {
      say(kind, `write it in double brackets, as often as there are examples: [[${kind}]]`)
      return []
    }
    return value.flatMap((item, at): ReadonlyArray<UserExample> => {
      const table: Readonly<Record<string, unknown>> = typeof item === "object" && item !== null ? item : {}
      const odd = Object.keys(table).find((key) => key !== "text" && key !== "path")
      if (odd !== undefined) say(kind, `an example has text and path, not ${oneLine(odd)}; remove it`)
      if (typeof table.text !== "string" || (table.path !== undefined && typeof table.path !== "string")) {
        say(kind, `example ${at + 1} needs text = '''...''' (and may have path = "src/a.py")`)
        return []
      }
      const path = table.path ?? examplePath(languages, files)
      const grammar = files.grammarOf(path)
      const isLanguage = languages.length === 0 || (grammar !== null && languages.includes(grammar))
      if (!isLanguage || !isInPaths(paths)(path)) {
        say(kind, `example ${at + 1}: the rule does not look at ${oneLine(path)}; give the example a path it looks at`)
      }
      return [{ kind, number: at + 1, text: table.text, path }]
    })
  }

  return { text, texts, examples }
}

const mostItems = 20

const examplePath = ([first]: ReadonlyArray<Grammar>, { usualEnding }: GrammarFiles): string =>
  first === undefined ? "example.txt" : `example.${usualEnding(first)}`

const patternOf = (
  written: ReadonlyMap<string, Written>,
  ask: ReturnType<typeof asking>,
  say: Say
): UserRule["pattern"] | null => {
  const [hasLine, hasQuery] = [written.has("line"), written.has("query")]
  if (hasLine === hasQuery) {
    const both = "one rule has one pattern; keep line or query and move the other to a rule of its own"
    say(hasLine ? "query" : "line", hasLine ? both : "a pattern is missing; add line = '...' or query = '''...'''")
    return null
  }
  const tables = { where: tableOf(written, "where"), unless: tableOf(written, "unless") }
  if (hasLine) {
    if (written.has("where") || tables.where.size > 0) say("where", "it belongs to a query; remove it")
    if (tables.unless.size > 0) say("unless", "for a line pattern it is one text: unless = '...'")
    const line = ask.text("line", longestPattern)
    const unless = written.has("unless") ? ask.text("unless", longestPattern) : null
    return { _tag: "Line", line, unless }
  }
  const query = written.get("query")?.value
  if (typeof query !== "string") {
    say("query", "write a text in quotes: query = '''(call) @claim'''")
    return null
  }
  const fault = queryFault(query)
  if (fault !== null) say("query", fault)
  for (const name of ["where", "unless"] as const) {
    if (written.has(name)) say(name, `for a query it is a table: [${name}] and below it capture = '...'`)
    for (const [capture, pattern] of tables[name]) {
      const key = `${name}.${capture}`
      if (!new RegExp(`@${capture}(?![\\w.-])`).test(query)) say(key, `the query captures no @${capture}; add it there`)
      if (pattern.length === 0 || pattern.length > longestPattern) {
        say(key, `write a pattern of at most ${longestPattern} characters in quotes`)
      }
    }
  }
  return { _tag: "Query", query, ...tables }
}

/** `[where]` as capture to pattern; anything but a string becomes "" and is reported. */
const tableOf = (written: ReadonlyMap<string, Written>, name: string): ReadonlyMap<string, string> =>
  new Map(
    [...written.values()].flatMap(({ key, value }): ReadonlyArray<readonly [string, string]> => {
      const capture = key.startsWith(`${name}.`) ? key.slice(name.length + 1) : ""
      return /^\w{1,40}$/.test(capture) ? [[capture, typeof value === "string" ? value : ""]] : []
    })
  )

const idOf = (typed: string, area: RuleArea, say: Say): string => {
  const own = typed.startsWith(`${area}/`) ? typed.slice(area.length + 1) : typed
  if (/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(own) && own.length <= 60) return `${area}/${own}`
  say(
    "id",
    `"${oneLine(typed)}" is no id here; write lower-case words joined by hyphens: id = "no-legacy-client" (it becomes ${area}/no-legacy-client)`
  )
  return `${area}/unnamed`
}

const stem = (name: string): string => name.replace(/\.toml$/, "")

/** The line of a table is the line of its first key. */
const lineBelow = (written: ReadonlyMap<string, Written>, key: string): number =>
  [...written.values()].find((each) => each.key.startsWith(`${key}.`))?.line ?? 1
