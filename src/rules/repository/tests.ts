/** Tests that a change switches off: focused, skipped without a reason, emptied of their assertions, deleted. */

import { isTestFile, testNamesOf } from "../../domain/change/TestFile.ts"
import { type TestCase, testCases } from "../../domain/code/TestCase.ts"
import type { ChangeRule, Claim, LineRule, Rule, RuleChange, RuleFile } from "../../domain/finding/Rule.ts"
import { isMovedLine } from "../movedLine.ts"

const isScript = (path: string): boolean => /\.[cm]?[jt]sx?$/.test(path)

const focusedScript =
  /^\s*(?:(?:describe|it|test|suite|context|specify)(?:\.(?:each|concurrent|sequential))*\.only(?:\.each)?|fdescribe|fit|fcontext)\s*[(`]/
const focusedRuby =
  /^\s*(?:(?:fit|fdescribe|fcontext|fspecify)\s+["'A-Z].*\bdo\b|(?:it|describe|context)\b.*[,(]\s*(?:focus: true|:focus)\b.*\bdo\b)/
const focusedGo = /^\s*(?:FIt|FDescribe|FContext|FWhen|FDescribeTable)\(\s*"/

const isFocused = (path: string, text: string): boolean =>
  isScript(path)
    ? focusedScript.test(text)
    : path.endsWith(".rb")
      ? focusedRuby.test(text)
      : path.endsWith("_test.go") && focusedGo.test(text)

/** By extension: a skip that gives no reason where the language has a place for one. */
const skips: ReadonlyArray<readonly [RegExp, RegExp]> = [
  [/\.py$/, /^\s*@(?:pytest\.mark\.skip(?:\(\s*\))?|unittest\.skip(?:\(\s*(?:""|'')?\s*\))?)\s*(?:#.*)?$/],
  [/\.(?:java|kt)$/, /^\s*@(?:Disabled|Ignore)(?:\(\s*(?:"")?\s*\))?\s*$/],
  [/\.rs$/, /^\s*#\[ignore\]\s*$/],
  [/\.exs$/, /^\s*@(?:module)?tag (?::skip|skip: true)\s*$/],
  [/\.swift$/, /^\s*throw XCTSkip\(\s*\)\s*$/],
  [/\.[cm]?[jt]sx?$/, /^\s*(?:(?:describe|it|test)(?:\.each)?\.skip|xdescribe|xit|xtest)\s*\(\s*["'`]/],
  [/\.rb$/, /^\s*(?:xit|xdescribe|xcontext)\s+["'A-Z].*\bdo\b/]
]

const isComment = (text: string | undefined): boolean => text !== undefined && /^\s*(?:\/\/|#(?!\[)|\*|\/\*)/.test(text)

/** A reason may also stand in a comment: behind the skip, or right above or below it. */
const hasReasonBeside = (text: string, line: number, file: RuleFile): boolean =>
  /(?:\/\/|\s#)\s*\S/.test(text.replace(/(["'`]).*?\1/g, "")) ||
  isComment(file.head?.[line - 2]) ||
  isComment(file.head?.[line])

/** What makes a statement an assertion in any of these languages, and names that may hide one. */
const assertion =
  /\bassert|\bexpect|\brefute|\bshould|\bXCT(?!Skip)|#expect|#require|\bfail\b|\braises\b|\bthrows?\b|\bt\.(?:Error|Fatal|Fail|Run)|\brequire\.|\bmust|\bverify|\bcheck|\bensure|\bmatch|\bsnapshot|\bis\.|\.rejects|\.resolves|\bassume|::assert|\bcmp\.|\bpanic|_ok\b|\bunwrap|\bdone\b|\bproperty|\bprop_|\bcompile|\btypecheck|\bconfirm|\bvalidate|\bcompare|\bis_?[A-Z_]|\breturn\b/i
const strictAssertion =
  /\bassert|\bexpect\(|\brefute\b|\bXCTAssert|#expect|#require|\bt\.(?:Error|Fatal)|\brequire\.[A-Z]/

/** Tests that had assertions, still do the same, and no longer look at what comes out. */
const emptied = (file: RuleFile): ReadonlyArray<Claim & { readonly path: string }> => {
  if (file.base === null || file.head === null || !isTestFile(file.path)) return []
  const { deleted, added } = changedLines(file)
  // Only assertions whose lines the change deletes, and writes nowhere else, are lost.
  const isLost = (line: number, text: string) => deleted.has(line) && !added.has(text.trim())
  const base = file.base
  const before = uniqueByName(testCases(file.path, file.base))
  const claims: Array<Claim & { readonly path: string }> = []
  for (const now of uniqueByName(testCases(file.path, file.head)).values()) {
    const then = before.get(now.name)
    if (then === undefined || !lostAssertions(then, now)) continue
    const held = linesWithin(then).filter((line) => strictAssertion.test(base[line - 1] ?? ""))
    if (!held.every((line) => isLost(line, base[line - 1] ?? ""))) continue
    claims.push({
      path: file.path,
      line: now.line,
      title: "A test keeps its steps and loses all its assertions",
      description: `"${now.name}" held ${held.length === 1 ? "one assertion" : `${held.length} assertions`} before this change and holds none now.`
    })
  }
  return claims
}

const linesWithin = ({ line, endLine }: TestCase): ReadonlyArray<number> =>
  Array.from({ length: endLine - line }, (_, i) => line + 1 + i)

const changedLines = ({ diff }: RuleFile) => {
  const deleted = new Set<number>()
  const added = new Set<string>()
  for (const { kind, oldLine, text } of diff.hunks.flatMap((hunk) => hunk.lines)) {
    if (kind === "deleted" && oldLine !== null) deleted.add(oldLine)
    if (kind === "added") added.add(text.trim())
  }
  return { deleted, added }
}

/** Two tests of one name in a file (in two classes, say) cannot be told apart here. */
const uniqueByName = (cases: ReadonlyArray<TestCase>): ReadonlyMap<string, TestCase> => {
  const seen = Map.groupBy(cases, ({ name }) => name)
  return new Map(
    [...seen].flatMap(([name, [only, ...others]]) => (others.length === 0 ? [[name, only!] as const] : []))
  )
}

/** Only punctuation, or the condition of a check that stands in the lines below it. */
const saysNothing = (text: string): boolean => /^\W*$/.test(text) || /^\s*if .*\{\s*$/.test(text)

const lostAssertions = (then: TestCase, now: TestCase): boolean => {
  if (now.body.length === 0 || now.body.some((text) => assertion.test(text))) return false
  if (!then.body.some((text) => strictAssertion.test(text))) return false
  const steps = then.body.filter((text) => !assertion.test(text) && !saysNothing(text)).map((text) => text.trim())
  const kept = new Set(now.body.map((text) => text.trim()))
  return steps.length > 0 && steps.filter((step) => kept.has(step)).length * 2 >= steps.length
}

/** A test file deleted while the file it is named after stays, untouched, and no other test file is named after it. */
const orphaned = ({ files, headPaths }: RuleChange): ReadonlyArray<Claim & { readonly path: string }> => {
  const gone = files.filter(({ path, diff }) => diff.status === "deleted" && isTestFile(path))
  if (gone.length === 0 || headPaths.size === 0) return []
  const touched = new Set(files.filter(isTouched).map(({ path }) => path))
  const testsTouched = files.some((file) => file.diff.status !== "deleted" && isTouched(file) && isTestFile(file.path))
  if (testsTouched) return []
  const wanted = new Set(gone.map(({ path }) => path.slice(path.lastIndexOf("/") + 1)))
  const byTestName = new Map<string, Array<string>>()
  const present = new Set<string>()
  for (const path of headPaths) {
    present.add(path.slice(path.lastIndexOf("/") + 1))
    for (const name of testNamesOf(path)) {
      if (!wanted.has(name)) continue
      const subjects = byTestName.get(name)
      if (subjects === undefined) byTestName.set(name, [path])
      else subjects.push(path)
    }
  }
  return gone.flatMap(({ path }) => {
    const name = path.slice(path.lastIndexOf("/") + 1)
    const subjects = byTestName.get(name) ?? []
    // Only one file can be meant: `index.test.ts` names many.
    if (subjects.length !== 1 || touched.has(subjects[0]!)) return []
    if (testNamesOf(subjects[0]!).some((test) => present.has(test))) return []
    return [{ path, line: 0, description: `${subjects[0]} stays as it was, and no other test file changes.` }]
  })
}

const isTouched = ({ diff }: RuleFile): boolean => diff.status !== "modified" || diff.binary || diff.hunks.length > 0

const focused: LineRule = {
  _tag: "Line",
  id: "test/focused",
  stack: "generic",
  severity: "high",
  confidence: "HIGH",
  title: "A focused test keeps all the others from running",
  why: "The runner sees the focus and leaves out the other tests of the file or the whole suite, so the build is green without them.",
  fix: "Remove the focus.",
  reference: "https://jestjs.io/docs/api#testonlyname-fn-timeout",
  inTests: true,
  check: (text, _line, file) =>
    text.length < 500 && isTestFile(file.path) && isFocused(file.path, text) && !isMovedLine(file, text),
  examples: {
    path: "src/cart.test.ts",
    bad: [
      'it.only("adds", () => {})\n',
      'describe.only("cart", () => {\n})\n',
      'fdescribe("cart", () => {})\n',
      "  test.only.each([1])('x', () => {})\n"
    ],
    good: [
      'it("adds", () => {})\n',
      "const only = 1\n",
      'fit(model, "adds")\n'.replace("fit(", "refit("),
      '// it.only("adds")\n'
    ]
  }
}

const skipped: LineRule = {
  _tag: "Line",
  id: "test/skipped-without-reason",
  stack: "generic",
  severity: "low",
  confidence: "MEDIUM",
  title: "A test is switched off without a reason",
  why: "Nobody will know when it may be switched on again, so it stays off and what it held is free to break.",
  fix: "Say why and until when: as the argument of the skip, or in a comment beside it.",
  reference: "https://docs.pytest.org/en/stable/how-to/skipping.html",
  inTests: true,
  check: (text, line, file) =>
    text.length < 500 &&
    (isTestFile(file.path) || file.path.endsWith(".rs")) &&
    // A measurement is run by hand; switching it off in the suite is its normal state.
    !/perf|bench/i.test(file.path) &&
    skips.some(([path, skip]) => path.test(file.path) && skip.test(text)) &&
    !hasReasonBeside(text, line, file) &&
    !isMovedLine(file, text),
  examples: {
    path: "tests/test_cart.py",
    bad: [
      "@pytest.mark.skip\ndef test_a():\n    assert f()\n",
      "@pytest.mark.skip()\ndef test_a():\n    assert f()\n",
      "    @unittest.skip\n    def test_a(self):\n        pass\n"
    ],
    good: [
      '@pytest.mark.skip(reason="needs a server")\ndef test_a():\n    assert f()\n',
      "# The server is down until May.\n@pytest.mark.skip\ndef test_a():\n    assert f()\n",
      "@pytest.mark.skip  # see the issue 12\ndef test_a():\n    assert f()\n",
      "@pytest.mark.skipif(windows)\ndef test_a():\n    assert f()\n"
    ]
  }
}

const assertionsRemoved: ChangeRule = {
  _tag: "Change",
  id: "test/assertions-removed",
  stack: "structure",
  severity: "medium",
  confidence: "MEDIUM",
  title: "A test keeps its steps and loses all its assertions",
  why: "It runs and passes whatever the code does, and its name still says that something is tested.",
  fix: "Assert what the code should do now, or delete the test.",
  reference: "CWE-1053",
  check: ({ files }) => files.flatMap(emptied),
  examples: {
    bad: [
      { "tests/test_a.py": ["def test_a():\n    x = f()\n    assert x == 1\n", "def test_a():\n    x = f()\n"] },
      {
        "a.test.ts": [
          'it("adds", () => {\n  const x = f()\n  expect(x).toBe(1)\n})\n',
          'it("adds", () => {\n  const x = f()\n})\n'
        ]
      },
      {
        "a_test.go": [
          'func TestA(t *testing.T) {\n\tx := f()\n\tif x != 1 {\n\t\tt.Fatal("no")\n\t}\n}\n',
          "func TestA(t *testing.T) {\n\tx := f()\n\t_ = x\n}\n"
        ]
      }
    ],
    good: [
      {
        "tests/test_a.py": [
          "def test_a():\n    x = f()\n    assert x == 1\n",
          "def test_a():\n    x = f()\n    assert x == 2\n"
        ]
      },
      {
        "tests/test_a.py": [
          "def test_a():\n    x = f()\n    assert x == 1\n",
          "def test_a():\n    x = f()\n    check(x)\n"
        ]
      },
      { "tests/test_a.py": ["def test_a():\n    x = f()\n    assert x == 1\n", "def test_a():\n    y = other()\n"] },
      {
        "tests/test_a.py": [
          "def test_a():\n    x = f()\n    assert x == 1\n",
          "def test_a():\n    x = f()\n# why\n    assert x == 1\n"
        ]
      },
      {
        "tests/test_a.py": [
          "def test_a():\n    x = f()\n    assert x == 1\n",
          "def test_a():\n    x = f()\n    hold(x)\n\ndef hold(x):\n    assert x == 1\n"
        ]
      },
      { "tests/test_a.py": ["def test_a():\n    assert f()\n", "def test_b():\n    x = 1\n"] },
      { "src/a.py": ["def test_a():\n    x = f()\n    assert x\n", "def test_a():\n    x = f()\n"] }
    ]
  }
}

const fileDeleted: ChangeRule = {
  _tag: "Change",
  id: "test/file-deleted",
  stack: "structure",
  severity: "medium",
  confidence: "MEDIUM",
  title: "A test file is deleted while the code it tests stays",
  why: "The code keeps running without what held it to its promises.",
  fix: "Keep the tests that still apply, or say in the commit message what holds the code now.",
  reference: "CWE-1059",
  check: orphaned,
  examples: {
    bad: [
      { "cart.py": ["x = 1\n", "x = 1\n"], "tests/test_cart.py": ["def test_a(): pass\n", null] },
      { "src/cart.ts": ["a\n", "a\n"], "src/cart.test.ts": ["b\n", null] },
      { "cart.go": ["package a\n", "package a\n"], "cart_test.go": ["package a\n", null] }
    ],
    good: [
      { "cart.py": ["x = 1\n", null], "tests/test_cart.py": ["def test_a(): pass\n", null] },
      { "cart.py": ["x = 1\n", "x = 2\n"], "tests/test_cart.py": ["def test_a(): pass\n", null] },
      { "cart.py": ["x = 1\n", "x = 1\n"], "tests/test_cart.py": ["a\n", null], "tests/test_shop.py": [null, "a\n"] },
      { "a/index.ts": ["a\n", "a\n"], "b/index.ts": ["a\n", "a\n"], "a/index.test.ts": ["a\n", null] },
      {
        "inhibit/inhibit.go": ["package a\n", "package a\n"],
        "inhibit/inhibit_test.go": ["package a\n", "package a\n"],
        "test/v1/acceptance/inhibit_test.go": ["package a\n", null]
      }
    ]
  }
}

export const testRules: ReadonlyArray<Rule> = [focused, skipped, assertionsRemoved, fileDeleted]
