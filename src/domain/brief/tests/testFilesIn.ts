/** Recognises the files that a test runner runs, unlike what only tests use: helpers, fixtures and their data. */
import { isVendoredPath } from "../../change/PathKind.ts"
import { pythonTests } from "./pythonTests.ts"

/** The names of such files, for each ending. */
const names: ReadonlyArray<RegExp> = [
  /_test\.(?:go|exs|dart|cc|cpp|cxx|c)$/,
  /\.(?:tests?|spec|test-d|spec-d|e2e)\.[cm]?[jt]sx?$/,
  /(?:Test|Tests|TestCase)\.(?:swift|cs|php)$/,
  /^(?:.+_(?:spec|test)|test_.+)\.rb$/,
  /^(?:test_.+\.(?:c|cc|cpp|rs)|.+_tests?\.rs|tests\.rs)$/
]

/** Of languages whose sources are in `src/main/java` and `src/test/java`. */
const classes = /^(?:Test[A-Z]\w*|\w*(?:Test|Tests|IT|TestCase|Spec))\.(?:java|kt|scala|groovy)$/
const sourceSet = /(?:^|\/)src\/(\w+)\//

/** A script that may be a test, or be about tests: `cart-test.js`, `create-test.js`. */
const maybeTest = /[-_](?:tests?|spec|e2e)\.[cm]?[jt]sx?$/

/** In these, a script or a Rust file needs no such name. */
const folders = new Set(["test", "tests", "__tests__"])
const helpers =
  /^(?:__fixtures__|__mocks__|__snapshots__|fixtures?|helpers?|support|utils?|data|testdata|mocks?|stubs?|assets|resources|common|shared|templates?|snapshots?|setup|macros|bench|benches|benchmarks?|benchmarking)$/i
const helperNames =
  /^(?:mod|main|util|utils|helpers?|common|support|setup|build|lib|index|constants|types|config|fixtures?)\.|\.d\.ts$|config\.|setup/i

/** The test files of a repository. `isPython`: whether a Python file is a test. */
export const testFilesIn = (
  paths: ReadonlyArray<string>,
  isPython: (path: string) => boolean = pythonTests(new Map())
): ReadonlyArray<string> => {
  const kinds = new Map(paths.map((path) => [path, kindOf(path, isPython)]))
  /** Where tests have such names, other scripts are something else. */
  const withNames = new Set(paths.filter((path) => kinds.get(path) === "name").map(testFolderOf))
  const isScript = /\.[cm]?[jt]sx?$/
  const hasScripts = paths.some((path) => kinds.get(path) === "name" && isScript.test(path))
  const all = new Set(paths)
  return paths.filter((path) => {
    const kind = kinds.get(path)
    if (kind === "maybe") return !hasScripts
    if (kind !== "folder") return kind === "name"
    return path.endsWith(".rs") ? isCompiled(path, all) : !withNames.has(testFolderOf(path))
  })
}

/** A path without a match is none of these. */
const mayBeTest = /test|spec|e2e|IT\./i

const isDataPath = (path: string): boolean => /(?:^|\/)(?:testdata|__fixtures__)\//.test(path)

/** By what a file is a test: its name, perhaps its name, or its folder; null for any other file. */
const kindOf = (path: string, isPython: (path: string) => boolean): "name" | "maybe" | "folder" | null => {
  if (path.endsWith(".py")) return isPython(path) && !isVendoredPath(path) && !isDataPath(path) ? "name" : null
  if (!mayBeTest.test(path) || isVendoredPath(path)) return null
  const above = path.split("/")
  const name = above.pop() ?? ""
  const isData = isDataPath(path)
  const at = above.findLastIndex((folder) => folders.has(folder))
  if (names.some((form) => form.test(name))) return isData ? null : "name"
  if (maybeTest.test(name)) return isData ? null : at >= 0 ? "name" : "maybe"
  if (classes.test(name)) return /test/i.test(sourceSet.exec(path)?.[1] ?? "test") ? "name" : null
  if (!/\.(?:[cm]?[jt]sx?|rs)$/.test(name) || helperNames.test(name)) return null
  return at >= 0 && !above.slice(at + 1).some((folder) => helpers.test(folder)) ? "folder" : null
}

/** Beside `tests/ui.rs`, the files in `tests/ui` are cases that it compiles, if they have no root of their own. */
const isCompiled = (path: string, all: ReadonlySet<string>): boolean => {
  const folder = testFolderOf(path)
  const inside = path.slice(folder.length + 1).split("/")
  const below = `${folder}/${inside[0]}`
  return inside.length === 1 || !all.has(`${below}.rs`) || all.has(`${below}/main.rs`) || all.has(`${below}/mod.rs`)
}

/** Up to the last folder of tests. */
const testFolderOf = (path: string): string => {
  const above = path.split("/").slice(0, -1)
  return above.slice(0, above.findLastIndex((folder) => folders.has(folder)) + 1).join("/")
}
