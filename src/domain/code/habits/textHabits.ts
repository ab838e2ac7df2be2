/**
 * The habits that the text of one file shows: how it imports, and for a test, how its tests are written and what runs them.
 *
 * Statements are found by their form at the start of a line, without a parser. A file that does both of two things has the
 * value `mixed`. Scripts and Python only; other files show none.
 */
import { isMachineWritten, isTestPath } from "../../change/PathKind.ts"
import { testNames } from "../../change/TestFile.ts"
import { nameParts } from "../../text/foldersAbove.ts"
import { type Habit, mixed } from "./Habit.ts"

const script = /^[cm]?[jt]sx?$/

/** Can the text of this file show a habit? */
export const hasTextHabits = (path: string): boolean => {
  const { ending, name } = nameParts(path)
  return (script.test(ending) || ending === "py") && !name.endsWith(".d.ts") && !isMachineWritten(path)
}

export const textHabits = (path: string, text: string): ReadonlyArray<Habit> => {
  if (!hasTextHabits(path)) return []
  const isPython = path.endsWith(".py")
  if (isTestFile(path)) return isPython ? pythonTest(text) : scriptTest(path, text)
  if (isTestPath(path)) return []
  return isPython ? pythonImports(path, text) : scriptImports(path, text)
}

const isTestFile = (path: string): boolean => {
  const { name } = nameParts(path)
  return testNames.some((form) => form.test(name)) || /(?:^|\/)(?:tests?|specs?|__tests__)\/(?:.*\/)?[^/]+$/.test(path)
}

/** The value that all items have; null without items. */
const unanimous = (values: ReadonlyArray<string>): string | null => {
  const [first] = values
  return first === undefined ? null : values.every((value) => value === first) ? first : mixed
}

const habits = (found: Readonly<Record<string, string | null>>): ReadonlyArray<Habit> =>
  Object.entries(found).flatMap(([slot, value]) => (value === null ? [] : [{ slot, value }]))

const importForm =
  /^(?:import|export)\s(?:[^'"`;]{0,1500}?\sfrom\s*)?["']([^"'\n]+)["']|^(?:const|let|var)\s[^=;]{1,300}=\s*require\(["']([^"'\n]+)["']\)/gm

interface ScriptImport {
  readonly from: string
  readonly isRequire: boolean
}

const importsIn = (text: string): ReadonlyArray<ScriptImport> =>
  [...text.matchAll(importForm)].map(([, imported, required]) => ({
    from: imported ?? required ?? "",
    isRequire: required !== undefined
  }))

const isRelative = (from: string): boolean => /^\.\.?(?:\/|$)/.test(from)
const aliasOf = (from: string): string | null => /^(?:[@~#$]|src|\$\w+|#\w+)\//.exec(from)?.[0] ?? null

const scriptImports = (path: string, text: string): ReadonlyArray<Habit> => {
  const language = /\.[cm]?tsx?$/.test(path) ? "ts" : "js"
  const found = importsIn(text)
  const outside = found.flatMap(({ from }) => (from.startsWith("../") ? ["relative"] : (aliasOf(from) ?? [])))
  return habits({
    [`imports:extension:${language}`]: unanimous(found.flatMap(({ from }) => extensionOf(from) ?? [])),
    [`imports:path:${language}`]: unanimous(outside),
    [`imports:order:${language}`]: orderOf(found),
    "imports:node:script": unanimous(found.flatMap(({ from }) => nodeForm(from) ?? [])),
    ...(language === "js"
      ? { "imports:modules:js": unanimous(found.map(({ isRequire }) => (isRequire ? "require" : "import"))) }
      : {})
  })
}

const otherAssets =
  /\.(?:css|scss|sass|less|styl|json5?|svg|png|jpe?g|gif|webp|vue|svelte|astro|wasm|mdx?|html?|txt|gql|graphql|ya?ml|snap|node)$/i

/** Null for a specifier that is not relative, or names something else than a script. */
const extensionOf = (from: string): string | null => {
  const path = from.replace(/\?.*$/, "")
  if (!isRelative(path) || otherAssets.test(path)) return null
  const written = /\.([cm]?[jt])sx?$/.exec(path)?.[1]
  return written === undefined ? "none" : `.${written.at(-1)}s`
}

/** Null unless the file imports packages and its own files. */
const orderOf = (found: ReadonlyArray<ScriptImport>): string | null => {
  const own = found.map(({ from }) => isRelative(from) || aliasOf(from) !== null)
  const first = own.indexOf(true)
  return first < 0 || !own.includes(false) ? null : own.lastIndexOf(false) < first ? "packages first" : mixed
}

const builtins =
  /^(?:assert|async_hooks|buffer|child_process|cluster|crypto|dns|events|fs|http|http2|https|module|net|os|path|perf_hooks|process|querystring|readline|stream|timers|tls|url|util|v8|vm|worker_threads|zlib)(?:\/promises)?$/

const nodeForm = (from: string): string | null =>
  from.startsWith("node:") ? "node:" : builtins.test(from) ? "bare" : null

const runnerOf = /^(?:vitest|bun:test|node:test|@jest\/globals|ava|tap|tape|mocha|uvu|@playwright\/test|@japa\/runner)$/

const scriptTest = (path: string, text: string): ReadonlyArray<Habit> => {
  const count = (call: string) => text.match(new RegExp(`^\\s*${call}(?:\\.\\w+)*\\s*\\(`, "gm"))?.length ?? 0
  const [describes, its, tests] = [count("describe"), count("it"), count("test")]
  const runner = unanimous([...new Set(importsIn(text).flatMap(({ from }) => (runnerOf.test(from) ? from : [])))])
  if (its + tests === 0 && runner === null) return []
  const { ending, name } = nameParts(path)
  const call = its === tests ? null : its > tests ? "it" : "test"
  return habits({
    "testing:runner:script": runner ?? "globals",
    "structure:calls:script": call === null ? null : describes > 0 ? `describe and ${call}` : `${call} alone`,
    // A test that only its folder marks has no suffix.
    [`testing:suffix:${ending}`]: testNames.some((form) => form.test(name)) ? null : "none"
  })
}

const pythonTest = (text: string): ReadonlyArray<Habit> => {
  const isUnittest = /^class \w+\((?:unittest\.)?(?:\w*TestCase)\b/m.test(text)
  const [functions, classes] = [/^(?:async )?def test_/m.test(text), /^class \w*Test/m.test(text)]
  if (!functions && !classes) return []
  return habits({
    "testing:runner:py": isUnittest ? (functions ? mixed : "unittest") : "pytest",
    "structure:calls:py": functions && classes ? mixed : functions ? "functions" : "classes"
  })
}

const pythonImports = (path: string, text: string): ReadonlyArray<Habit> => {
  const own = path.replace(/^(?:src|lib|python)\//, "").split("/")
  if (own.length < 2) return []
  const absolute = new RegExp(`^(?:from|import) ${RegExp.escape(own[0]!)}(?:\\.|\\s)`, "m").test(text)
  const relative = /^from \./m.test(text)
  return habits({
    "imports:path:py": absolute && relative ? mixed : absolute ? "absolute" : relative ? "relative" : null
  })
}
