/** Recognises by their paths test files, also of languages that dd does not judge, and documents. */

export const testNames: ReadonlyArray<RegExp> = [
  /^test_.+\.pyi?$/,
  /_test\.(?:py|go|exs?|rb|rs|dart|[jt]s)$/,
  /_tests\.(?:py|rs)$/,
  /^tests?\.(?:py|rs|rb|[jt]s)$/,
  /_spec\.rb$/,
  /[.-](?:tests?|spec|cy|e2e|test-d|spec-d)\.[cm]?[jt]sx?$/,
  /(?:Test|Tests|IT|TestCase|Spec)\.(?:java|kt|scala|swift|groovy)$/,
  /^conftest\.py$/,
  /^Test[A-Z].*\.java$/
]
const testFolders = new Set([
  "test",
  "tests",
  "spec",
  "specs",
  "__tests__",
  "e2e",
  "testsuite",
  "testsuites",
  "androidtest"
])
const testFolder = /Tests$|_tests?$|-tests?$/

/** Is it a line of Rust that makes a test of what follows, or keeps it for tests? */
export const marksRustTest = (line: string): boolean =>
  /^\s*#\[(?:(?:\w+::)*(?:test|rstest)\b|cfg\((?:all\()?test\b)/.test(line)

/** The first line of the test module at the end of a Rust file, from 1; infinite without one. */
export const firstTestLine = (path: string, lines: ReadonlyArray<string>): number => {
  if (!path.endsWith(".rs")) return Number.POSITIVE_INFINITY
  const at = lines.findIndex(
    (text, index) => text.startsWith("#[") && marksRustTest(text) && /^(?:pub )?mod \w+ \{/.test(lines[index + 1] ?? "")
  )
  return at < 0 ? Number.POSITIVE_INFINITY : at + 1
}

/** Does the file contain tests, or is it only used by tests, such as a fixture? */
export const isTestFile = (path: string): boolean => {
  const folders = path.split("/")
  const name = folders.pop() ?? ""
  return (
    testNames.some((pattern) => pattern.test(name)) ||
    folders.some((folder) => testFolders.has(folder.toLowerCase()) || testFolder.test(folder))
  )
}

const documentFolders = new Set(["docs", "doc", "documentation"])
/** Text files that a tool reads. */
const toolText =
  /(?:^|\/)(?:[^/]*requirements[^/]*|constraints[^/]*|cmakelists|conanfile|meson_options)\.txt$|(?:^|\/)requirements\/[^/]*\.txt$/

/** Written for people, by its folder or its ending. */
export const isDocument = (path: string): boolean => {
  const folders = path.toLowerCase().split("/")
  const name = folders.pop() ?? ""
  if (toolText.test(path.toLowerCase())) return false
  return folders.some((folder) => documentFolders.has(folder)) || /\.(?:mdx?|rst|adoc|txt)$/.test(name)
}
