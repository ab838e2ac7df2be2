/** Which files are tests, and which tests belong to a file, by the naming conventions of each language. */

const testNames: ReadonlyArray<RegExp> = [
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

/** The file names under which a file's own tests go; empty for a test or a language without a convention. */
export const testNamesOf = (path: string): ReadonlyArray<string> => {
  const name = path.slice(path.lastIndexOf("/") + 1)
  const dot = name.lastIndexOf(".")
  if (dot <= 0 || testNames.some((pattern) => pattern.test(name))) return []
  const stem = name.slice(0, dot)
  const extension = name.slice(dot + 1)
  switch (extension) {
    case "py":
    case "pyi":
      return [`test_${stem}.py`, `${stem}_test.py`]
    case "go":
      return [`${stem}_test.go`]
    case "rs":
      return [`${stem}_test.rs`, `test_${stem}.rs`]
    case "ex":
      return [`${stem}_test.exs`]
    case "rb":
      return [`${stem}_spec.rb`, `${stem}_test.rb`, `test_${stem}.rb`]
    case "java":
    case "kt":
      return [
        `${stem}Test.${extension}`,
        `${stem}Tests.${extension}`,
        `Test${stem}.${extension}`,
        `${stem}IT.${extension}`
      ]
    case "swift":
      return [`${stem}Tests.swift`, `${stem}Test.swift`]
    case "ts":
    case "tsx":
    case "js":
    case "jsx":
    case "mts":
    case "cts":
    case "mjs":
    case "cjs":
      return ["ts", "tsx", "js", "jsx", "mts", "mjs", "cjs"].flatMap((kind) => [
        `${stem}.test.${kind}`,
        `${stem}.spec.${kind}`
      ])
    default:
      return []
  }
}
