/** Which files are tests, by the naming conventions of languages and tools, dd's own languages and others. */

export const testNames: ReadonlyArray<RegExp> = [
  /^test_.+\.pyi?$/,
  /_test\.(?:py|go|exs?|rb|rs|dart|[jt]s)$/,
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

/** Does this file hold tests or serve only them? Fixtures beside the tests count. */
export const isTestFile = (path: string): boolean => {
  const folders = path.split("/")
  const name = folders.pop() ?? ""
  return (
    testNames.some((pattern) => pattern.test(name)) ||
    folders.some((folder) => testFolders.has(folder.toLowerCase()) || testFolder.test(folder))
  )
}
