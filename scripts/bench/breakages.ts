/**
 * What the cross-file findings see and what they make up. Run `bun scripts/bench/breakages.ts REPOSITORY [count] [seed]`.
 *
 * In a clone that is thrown away afterwards it takes definitions that other files use, found by text alone, breaks
 * each in one commit (rename, remove, a new required parameter, a dropped export, a deleted file), and does as many
 * harmless things (a complete rename, an optional parameter, a new line in the body). Each commit is reviewed by the
 * compiled binary. The table: language, kind, made, found or wrongly reported, and the median time of a review.
 */
import { mkdtempSync, readFileSync, rmSync, unlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const binary = join(import.meta.dir, "../../dist/dd")
const [repository, count = "8", seed = "1"] = process.argv.slice(2)
if (repository === undefined) {
  console.error("usage: bun scripts/bench/breakages.ts REPOSITORY [count] [seed]")
  process.exit(2)
}

const workshop = mkdtempSync(join(tmpdir(), "dd-breakages-"))
const clone = join(workshop, "clone")

const git = (...args: ReadonlyArray<string>): string => {
  const child = Bun.spawnSync(
    ["git", "-c", "user.name=dd", "-c", "user.email=dd@example.invalid", "-c", "commit.gpgsign=false", ...args],
    { stdin: "ignore", stdout: "pipe", stderr: "pipe" }
  )
  if (!child.success) throw new Error(`git ${args[0]}: ${child.stderr.toString().slice(0, 300)}`)
  return child.stdout.toString()
}

/** The same choice for the same seed. */
const numbers = (start: number): (() => number) => {
  let state = start
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state / 2_147_483_648
  }
}

interface Language {
  readonly name: string
  readonly isFile: (path: string) => boolean
  /** A definition that fits one line: [1] what stands before the name, [2] the name, [3] parameters or "". */
  readonly definition: RegExp
  /** Does another file's text use the name through this file? */
  readonly uses: (text: string, name: string, definedIn: string, path: string) => boolean
  readonly lastLine: (lines: ReadonlyArray<string>, first: number) => number
  readonly required: string
  readonly optional: string | null
  readonly dropExport: ((line: string, name: string) => string) | null
  readonly bodyLine: string
  readonly deletes: boolean
}

const stemOf = (path: string): string => {
  const name = path.slice(path.lastIndexOf("/") + 1).replace(/\.\w+$/, "")
  return /^(?:__init__|index)$/.test(name) ? (path.split("/").at(-2) ?? "") : name
}
const folderOf = (path: string): string => path.slice(0, path.lastIndexOf("/") + 1)

const closingBrace = (lines: ReadonlyArray<string>, first: number): number => {
  for (let at = first + 1; at < lines.length; at++) if (/^[})]/.test(lines[at] ?? "")) return at
  return first
}

const languages: ReadonlyArray<Language> = [
  {
    name: "python",
    isFile: (path) => path.endsWith(".py") && !/(^|\/)(docs|examples?)\//.test(path),
    definition: /^(def )([A-Za-z]\w{4,})\(([^()=*]*)\)(?: -> [^:]+)?:$/,
    uses: (text, name, definedIn) =>
      new RegExp(`^from [\\w.]*\\b${stemOf(definedIn)} import [^#(]*\\b${name}\\b(?! as)`, "m").test(text),
    lastLine: (lines, first) => {
      for (let at = first + 1; at < lines.length; at++) if (/^\S/.test(lines[at] ?? "")) return at - 1
      return lines.length - 1
    },
    required: "added_parameter",
    optional: "added_parameter=None",
    dropExport: null,
    bodyLine: "    _ = 'an added line'",
    deletes: true
  },
  {
    name: "typescript",
    isFile: (path) => /\.tsx?$/.test(path) && !path.endsWith(".d.ts"),
    definition: /^(export (?:async )?function )([A-Za-z]\w{4,})\(([^()=?.]*)\)(?:: [\w<>[\]| ]+)? \{$/,
    uses: (text, name, definedIn) =>
      new RegExp(
        `import (?:type )?\\{[^}]*\\b${name}\\b(?! as)[^}]*\\} from ["'][^"']*\\b${stemOf(definedIn)}(?:\\.\\w+)?["']`
      ).test(text),
    lastLine: closingBrace,
    required: "addedParameter: number",
    optional: "addedParameter?: number",
    dropExport: (line) => line.replace(/^export /, ""),
    bodyLine: "  void 'an added line'",
    deletes: true
  },
  {
    name: "go",
    isFile: (path) => path.endsWith(".go") && !path.endsWith("_test.go"),
    definition: /^(func )([A-Za-z]\w{4,})\(([^().]*)\)[^{]*\{$/,
    uses: (text, name, definedIn, path) =>
      folderOf(path) === folderOf(definedIn)
        ? new RegExp(`(?<![\\w.])${name}\\(`).test(text)
        : /^[A-Z]/.test(name) && new RegExp(`\\b${stemOf(folderOf(definedIn).slice(0, -1))}\\.${name}\\(`).test(text),
    lastLine: closingBrace,
    required: "addedParameter int",
    optional: null,
    dropExport: (line, name) => line.replace(name, `${name[0]?.toLowerCase()}${name.slice(1)}`),
    bodyLine: '\tprintln("an added line")',
    deletes: false
  }
]

interface Subject {
  readonly path: string
  readonly name: string
  readonly line: number
  readonly parameters: string
  readonly users: ReadonlyArray<string>
}

const read = (path: string): string => readFileSync(join(clone, path), "utf8")
const write = (path: string, text: string): void => writeFileSync(join(clone, path), text)

/** Definitions under a name of their own that other files use and call. */
const subjectsOf = (language: Language, files: ReadonlyArray<string>): ReadonlyArray<Subject> => {
  const texts = new Map(files.map((path) => [path, read(path)]))
  const subjects: Array<Subject> = []
  for (const [path, text] of texts) {
    const lines = text.split("\n")
    for (const [line, words] of lines.entries()) {
      const [, , name, parameters = ""] = language.definition.exec(words) ?? []
      if (name === undefined || /^\s*@/.test(lines[line - 1] ?? "")) continue
      const word = new RegExp(`\\b${name}\\b`, "g")
      const again = new RegExp(
        `\\b(?:def|class|function|const|let|var|func|type) ${name}\\b|\\) ${name}\\(|\\b${name}\\s*(?::?=)`,
        "g"
      )
      const holding = [...texts].filter(([, each]) => each.includes(name))
      if (holding.flatMap(([, each]) => each.match(again) ?? []).length > 1) continue
      const users = holding.filter(
        ([other, each]) =>
          other !== path && language.uses(each, name, path, other) && new RegExp(`\\b${name}\\([^)*.]`).test(each)
      )
      if (users.length > 0 && (text.match(word)?.length ?? 0) < 20) {
        subjects.push({ path, name, line, parameters, users: users.map(([other]) => other) })
      }
    }
  }
  return subjects
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

const withParameter =
  (parameter: string | null): Edit =>
  (subject) => {
    const { name, parameters } = subject
    if (parameter === null) return false
    const list = parameters.trim().replace(/,$/, "")
    return editLine(subject, (words) =>
      words.replace(`${name}(${parameters})`, () => `${name}(${list === "" ? "" : `${list}, `}${parameter})`)
    )
  }

const breakages: Readonly<Record<string, Edit>> = {
  rename: (subject) => editLine(subject, (words) => words.replace(subject.name, `${subject.name}Renamed`)),
  remove: (subject, language) => {
    const lines = read(subject.path).split("\n")
    lines.splice(subject.line, language.lastLine(lines, subject.line) - subject.line + 1)
    write(subject.path, lines.join("\n"))
    return true
  },
  "required parameter": (subject, language, files) => withParameter(language.required)(subject, language, files),
  "drop export": (subject, { dropExport }) =>
    dropExport !== null &&
    subject.users.some((user) => folderOf(user) !== folderOf(subject.path) || /\.tsx?$/.test(user)) &&
    editLine(subject, (words) => dropExport(words, subject.name)),
  "delete file": ({ path }, { deletes }) => {
    if (deletes) unlinkSync(join(clone, path))
    return deletes
  }
}

const harmless: Readonly<Record<string, Edit>> = {
  "complete rename": ({ name }, _, files) => {
    for (const path of files) {
      const text = read(path)
      if (text.includes(name)) write(path, text.replace(new RegExp(`\\b${name}\\b`, "g"), `${name}Renamed`))
    }
    return true
  },
  "optional parameter": (subject, language, files) => withParameter(language.optional)(subject, language, files),
  "new line in body": ({ line, path }, { bodyLine }) => {
    const lines = read(path).split("\n")
    lines.splice(line + 1, 0, bodyLine)
    write(path, lines.join("\n"))
    return true
  }
}

const reviewed = (): { readonly titles: ReadonlyArray<string>; readonly ms: number } => {
  const started = performance.now()
  const child = Bun.spawnSync(
    [binary, "review", clone, "--commit", "HEAD", "--format", "json", "--fail-on", "none", "--no-archive"],
    { stdin: "ignore", stdout: "pipe", stderr: "ignore" }
  )
  const ms = performance.now() - started
  const { findings }: { findings: ReadonlyArray<{ rule: string; title: string; description: string }> } = JSON.parse(
    child.stdout.toString()
  )
  return { titles: findings.filter(({ rule }) => rule.startsWith("xref/")).map(({ description }) => description), ms }
}

const median = (values: ReadonlyArray<number>): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0

try {
  git("clone", "--quiet", "--no-hardlinks", repository, clone)
  const start = git("-C", clone, "rev-parse", "HEAD").trim()
  const all = git("-C", clone, "ls-files").split("\n")
  const random = numbers(Number(seed))
  for (const language of languages) {
    const files = all.filter((path) => language.isFile(path) && !/(^|\/)(vendor|node_modules)\//.test(path))
    const every = all.filter((path) => /\.(?:py|tsx?|jsx?|go)$/.test(path))
    if (files.length < 5) continue
    const subjects = subjectsOf(language, files).toSorted((a, b) => (a.path + a.name < b.path + b.name ? -1 : 1))
    const chosen = subjects
      .map((subject) => ({ subject, order: random() }))
      .toSorted((a, b) => a.order - b.order)
      .map(({ subject }) => subject)
    const kinds = [...Object.entries(breakages), ...Object.entries(harmless)]
    for (const [kind, edit] of kinds) {
      const times: Array<number> = []
      let made = 0
      let reported = 0
      for (const subject of chosen) {
        if (made >= Number(count)) break
        if (!edit(subject, language, every)) continue
        git("-C", clone, "commit", "--quiet", "--no-verify", "--all", "--message", `${kind}: ${subject.name}`)
        const { ms, titles } = reviewed()
        times.push(ms)
        made++
        const isBreakage = kind in breakages
        const isFound = isBreakage
          ? titles.some((title) => title.includes(subject.name) || kind === "delete file")
          : titles.length > 0
        if (isFound) reported++
        if (isFound !== isBreakage)
          console.error(
            `${language.name} ${kind}: ${subject.path}:${subject.line + 1} ${subject.name} ${titles.join(" | ")}`
          )
        git("-C", clone, "reset", "--quiet", "--hard", start)
      }
      if (made > 0) {
        const word = kind in breakages ? "found" : "wrongly reported"
        console.log(
          `${language.name.padEnd(11)} ${kind.padEnd(19)} ${made} made, ${reported} ${word}, ${median(times).toFixed(0)} ms`
        )
      }
    }
  }
} finally {
  rmSync(workshop, { recursive: true, force: true })
}
