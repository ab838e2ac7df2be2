/**
 * The tests in a file's text, by each language's own way to write one.
 *
 * Found by header and indentation, without a parser: enough for text that a formatter or a person has laid
 * out, and a test that is laid out otherwise is not found rather than found wrong.
 */

export interface TestCase {
  readonly name: string
  /** From 1: the header's line, and the last line of the body. */
  readonly line: number
  readonly endLine: number
  /** The lines below the header that are indented deeper, blank ones left out. */
  readonly body: ReadonlyArray<string>
}

interface Style {
  /** A header line; the first group is the test's name. */
  readonly header: RegExp
  /** What must stand on a line above the header, where the header alone does not say that it is a test. */
  readonly mark?: RegExp
}

const script: ReadonlyArray<Style> = [
  { header: /^\s*(?:it|test)(?:\.(?:only|concurrent|effect|live|failing))*\(\s*(["'`])(?<name>.{1,200}?)\1\s*,/ }
]
const styles: Readonly<Record<string, ReadonlyArray<Style>>> = {
  py: [{ header: /^\s*(?:async )?def (?<name>test_?\w*)\(/ }],
  js: script,
  go: [{ header: /^func (?<name>Test\w*)\(\w* \*testing\.T\)/ }],
  rs: [{ header: /^\s*(?:pub )?(?:async )?fn (?<name>\w+)\(/, mark: /^\s*#\[(?:\w+::)*test\b/ }],
  exs: [{ header: /^\s*test (?<quote>")(?<name>.{1,200}?)\k<quote>.*\bdo\s*$/ }],
  java: [{ header: /^\s*(?:public )?void (?<name>\w+)\(/, mark: /^\s*@(?:Test|ParameterizedTest|RepeatedTest)\b/ }],
  rb: [
    { header: /^\s*(?:it|specify|test) (?<quote>["'])(?<name>.{1,200}?)\k<quote>.*\bdo\s*$/ },
    { header: /^\s*def (?<name>test_\w+)/ }
  ],
  swift: [
    { header: /^\s*(?:@\w+ )*func (?<name>test\w*)\(/ },
    { header: /^\s*func (?<name>\w+)\(/, mark: /^\s*@Test\b/ }
  ]
}
const aliases: Readonly<Record<string, string>> = {
  ts: "js",
  tsx: "js",
  jsx: "js",
  mts: "js",
  mjs: "js",
  cts: "js",
  cjs: "js",
  kt: "java"
}

/** In order of place; nothing for a language dd knows no test style of. */
export const testCases = (path: string, lines: ReadonlyArray<string>): ReadonlyArray<TestCase> => {
  const extension = path.slice(path.lastIndexOf(".") + 1)
  const known = styles[aliases[extension] ?? extension] ?? []
  const cases: Array<TestCase> = []
  for (let i = 0; i < lines.length; i++) {
    const name = nameOfTest(known, lines, i)
    if (name !== null) cases.push({ name, ...bodyBelow(lines, i) })
  }
  return cases
}

const nameOfTest = (known: ReadonlyArray<Style>, lines: ReadonlyArray<string>, index: number): string | null => {
  const text = lines[index]!
  if (text.length > 1_000) return null
  for (const { header, mark } of known) {
    const name = header.exec(text)?.groups?.name
    if (name !== undefined && (mark === undefined || isMarked(lines, index, mark))) return name
  }
  return null
}

/** Annotations stand right above, at most a few, with comments among them. */
const isMarked = (lines: ReadonlyArray<string>, index: number, mark: RegExp): boolean => {
  for (let i = index - 1; i >= Math.max(0, index - 6); i--) {
    const text = lines[i]!
    if (mark.test(text)) return true
    if (!/^\s*(?:#\[|@|\/\/|\*|\/\*)/.test(text)) return false
  }
  return false
}

const indentOf = (text: string): number => text.length - text.trimStart().length

const bodyBelow = (lines: ReadonlyArray<string>, index: number) => {
  const depth = indentOf(lines[index]!)
  const body: Array<string> = []
  let endLine = index + 1
  for (let i = index + 1; i < lines.length; i++) {
    const text = lines[i]!
    // Conditional compilation stands where it likes.
    if (text.trim() === "" || /^\s*#(?:if|else|elseif|endif)\b/.test(text)) continue
    // The end of a header that was broken over lines: `) -> None:`, `) {`, `}) => {`.
    const continuesHeader = body.length === 0 || /^\s*[)\]}]+.*[:{(]\s*$/.test(text)
    if (indentOf(text) <= depth && !(continuesHeader && indentOf(text) === depth && /^\s*[)\]}]+.*[:{]\s*$/.test(text)))
      break
    body.push(text)
    endLine = i + 1
  }
  return { line: index + 1, endLine, body }
}
