/**
 * The rules of users and teams: those of the home directory, and those of the repository's base.
 *
 * Only adds rules. A file that is broken, too large or over the limit of files is skipped and named in `problems`.
 * Nothing of a rule file is executed: patterns run in an engine of linear time, queries are bounded.
 */
import { Effect, FileSystem, Path, Result } from "effect"
import { type LineRule, matchOf, type SyntaxRule } from "../../domain/finding/Rule.ts"
import {
  isInPaths,
  longestRuleFile,
  mostRuleFiles,
  type RuleArea,
  type RuleFileProblem,
  readUserRule,
  repositoryRuleFolder,
  ruleFolder,
  stackOf,
  type UserRule
} from "../../domain/finding/UserRule.ts"
import { compareText } from "../../domain/text/compareText.ts"
import { usualEnding } from "../../languages/fileKinds.ts"
import { grammarOf } from "../../languages/languages.ts"
import { Sources } from "../change/Sources.ts"
import { type Find, LinePatterns, type Search } from "../finding/LinePatterns.ts"
import { daydreamHome } from "./Settings.ts"

/** A valid rule file: as written, and as a rule of dd. */
export interface LoadedRule {
  readonly written: UserRule
  readonly rule: LineRule | SyntaxRule
}

/** A rule file that could be read. */
export interface RuleText {
  readonly area: RuleArea
  /** Its path, as shown to the user. */
  readonly file: string
  readonly name: string
  readonly text: string
}

const ofHome = Effect.fnUntraced(function* (home: string) {
  const fs = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const folder = paths.join(home, ruleFolder)
  const names = yield* fs.readDirectory(folder).pipe(Effect.result)
  if (Result.isFailure(names)) {
    const missing = names.failure.reason._tag === "NotFound"
    return missing ? [] : [problem(folder, `could not be read (${names.failure.reason._tag}); correct its permissions`)]
  }
  const read = Effect.fnUntraced(function* (name: string) {
    const file = paths.join(folder, name)
    const { size, type } = yield* fs.stat(file)
    if (type !== "File") return problem(file, "is not a file; remove it or rename it")
    if (size > longestRuleFile * 4) return problem(file, tooLarge)
    const found: RuleText = { area: "user", file, name, text: yield* fs.readFileString(file) }
    return found
  })
  const found: ReadonlyArray<Found> = yield* Effect.forEach(ruleFiles(names.success), (name) =>
    read(name).pipe(
      Effect.catch((error) =>
        Effect.succeed(
          problem(paths.join(folder, name), `could not be read (${error.reason._tag}); correct its permissions`)
        )
      )
    )
  )
  return [...found, ...overLimit(folder, names.success)]
})

const ofBase = Effect.gen(function* () {
  const sources = yield* Sources
  const found = new Map((yield* sources.baseFolder(repositoryRuleFolder)).map((path) => [nameOf(path), path]))
  const read = yield* Effect.forEach(ruleFiles([...found.keys()]), (name) => {
    const file = found.get(name) ?? name
    return Effect.map(sources.base(file), (source): Found => {
      if (source._tag === "Text") return { area: "repo", file, name, text: source.text }
      if (source._tag === "Unreadable") return problem(file, `could not be read: ${source.reason}`)
      return problem(file, source._tag === "TooLarge" ? tooLarge : "is not a text file; remove it or rename it")
    })
  })
  return [...read, ...overLimit(repositoryRuleFolder, [...found.keys()])]
})

const compileOne = Effect.fnUntraced(function* (file: RuleText) {
  const patterns = yield* LinePatterns
  const read = readUserRule(file.text, file, { grammarOf, usualEnding })
  if (Result.isFailure(read)) return { loaded: [], problems: read.failure }
  const written = read.success
  const wrong: Array<RuleFileProblem> = []
  const search = Effect.fnUntraced(function* (key: string, pattern: string) {
    const compiled = yield* Effect.result(patterns.compile(pattern, file.area))
    if (Result.isSuccess(compiled)) return compiled.success
    wrong.push({ file: file.file, line: lineOf(file.text, key), key, problem: compiled.failure.message })
    return never
  })
  // A pattern that is not valid is reported by `search`.
  const finder = (pattern: string) =>
    Effect.map(
      Effect.result(patterns.finder(pattern)),
      Result.getOrElse((): Find => () => null)
    )
  const rule = yield* ruleOf(written, search, finder)
  return wrong.length > 0 ? { loaded: [], problems: wrong } : { loaded: [{ written, rule }], problems: [] }
})

/** Makes rules of these files; if two have the same id, the second has a problem. */
export const compileRules = Effect.fn("UserRules.compile")(function* (files: ReadonlyArray<RuleText>) {
  const parts = yield* Effect.forEach(files, compileOne)
  const byId = new Map<string, LoadedRule>()
  const problems: Array<RuleFileProblem> = parts.flatMap((part) => part.problems)
  for (const each of parts.flatMap((part): ReadonlyArray<LoadedRule> => part.loaded)) {
    const known = byId.get(each.written.id)
    if (known === undefined) byId.set(each.written.id, each)
    else
      problems.push(
        problem(each.written.file, `its id ${each.written.id} is that of ${known.written.file}; choose another`)
      )
  }
  const loaded = [...byId.values()].sort((a, b) => compareText(a.written.id, b.written.id))
  return { loaded, problems }
})

/** The user's own rules, and the repository's at the base of the change. */
export const allUserRules = Effect.gen(function* () {
  const home = yield* daydreamHome
  const found: ReadonlyArray<Found> = [...(home === null ? [] : yield* ofHome(home)), ...(yield* ofBase)]
  const { loaded, problems } = yield* compileRules(found.filter(isRuleText))
  const unread = found.filter((each): each is RuleFileProblem => !isRuleText(each))
  return { loaded, problems: [...unread, ...problems] }
}).pipe(Effect.withSpan("UserRules.all"))

const tooLarge = `a rule file may have ${longestRuleFile} characters; shorten its examples`

const problem = (file: string, text: string): RuleFileProblem => ({ file, line: 1, key: "", problem: text })

type Found = RuleText | RuleFileProblem

const isRuleText = (found: Found): found is RuleText => "text" in found

const overLimit = (folder: string, names: ReadonlyArray<string>): ReadonlyArray<RuleFileProblem> => {
  const more = names.filter(isRuleFile).length - mostRuleFiles
  return more > 0
    ? [problem(folder, `${mostRuleFiles} rule files are read, ${more} were not; join or remove some`)]
    : []
}

export const isRuleFile = (name: string): boolean => /^[^.].*\.toml$/.test(name)

const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1)

/** In the order of their names, up to a limit. */
export const ruleFiles = (names: ReadonlyArray<string>): ReadonlyArray<string> =>
  names.filter(isRuleFile).toSorted(compareText).slice(0, mostRuleFiles)

/** Replaces a pattern that could not be compiled; its rule is never applied. */
const never: Search = () => false

/** The first line that begins with the key, or with its last part below a table. */
const lineOf = (text: string, key: string): number => {
  const last = key.slice(key.indexOf(".") + 1)
  const at = text.split("\n").findIndex((line) => line.trimStart().replace(/\s*=.*$/, "") === last)
  return at < 0 ? 1 : at + 1
}

type Compile = (key: string, pattern: string) => Effect.Effect<Search>

const ruleOf = Effect.fnUntraced(function* (
  written: UserRule,
  compile: Compile,
  finder: (pattern: string) => Effect.Effect<Find>
) {
  const { id, file, severity, title, why, fix, reference, inTests, languages, paths, pattern } = written
  // Ranked after findings of the same severity by dd's own rules.
  const words = { id, file, severity, confidence: "MEDIUM", title, why, fix, reference, inTests } as const
  const shared = { ...words, stack: stackOf(languages), appliesToPath: isInPaths(paths) }
  if (pattern._tag === "Line") {
    const found = yield* compile("line", pattern.line)
    const excused = pattern.unless === null ? never : yield* compile("unless", pattern.unless)
    const find = yield* finder(pattern.line)
    const rule: LineRule = {
      ...shared,
      _tag: "Line",
      ...(languages.length === 0 ? {} : { grammars: languages }),
      check: (text, line) => {
        const place = found(text) && !excused(text) ? find(text) : null
        return place !== null && matchOf(line, { 0: text.slice(place.start, place.end), index: place.start })
      }
    }
    return rule
  }
  const tests = [
    ...(yield* Effect.forEach(pattern.where, ([capture, text]) => test(capture, `where.${capture}`, text, true))),
    ...(yield* Effect.forEach(pattern.unless, ([capture, text]) => test(capture, `unless.${capture}`, text, false)))
  ]
  function test(capture: string, key: string, text: string, wanted: boolean) {
    return Effect.map(compile(key, text), (search) => ({ capture, search, wanted }))
  }
  const rule: SyntaxRule = {
    ...shared,
    _tag: "Syntax",
    grammars: languages,
    keywords: [],
    pattern: { _tag: "Query", query: pattern.query, owner: written.area },
    check: (_node, _file, captures) =>
      tests.every(({ capture, search, wanted }) =>
        (captures[capture] ?? []).every((node) => search(node.text) === wanted)
      )
  }
  return rule
})
