/** The checks of the rules about tests: focused, skipped without a reason, emptied of their assertions, deleted. */

import { isTestFile } from "../../domain/change/TestFile.ts"
import { nameOf } from "../../domain/code/Repository.ts"
import type { Claim, RuleChange, RuleFile } from "../../domain/finding/Rule.ts"
import { type TestCase, testCases, testNamesOf } from "../../languages/tests.ts"
import type { ChangeChecks, LineChecks } from "../page/Checks.ts"
import { isTouched } from "../shared/changedLines.ts"

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

/** By extension: a skip without the reason that the language supports. */
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

/** Is there a reason in a comment: after the skip, or directly above or below it? */
const hasReasonBeside = (text: string, line: number, file: RuleFile): boolean =>
  /(?:\/\/|\s#)\s*\S/.test(text.replace(/(["'`]).*?\1/g, "")) ||
  isComment(file.head?.[line - 2]) ||
  isComment(file.head?.[line])

/** Matches assertions in any of these languages, and names of functions that may contain one. */
const assertion =
  /\bassert|\bexpect|\brefute|\bshould|\bXCT(?!Skip)|#expect|#require|\bfail\b|\braises\b|\bthrows?\b|\bt\.(?:Error|Fatal|Fail|Run)|\brequire\.|\bmust|\bverify|\bcheck|\bensure|\bmatch|\bsnapshot|\bis\.|\.rejects|\.resolves|\bassume|::assert|\bcmp\.|\bpanic|_ok\b|\bunwrap|\bdone\b|\bproperty|\bprop_|\bcompile|\btypecheck|\bconfirm|\bvalidate|\bcompare|\bis_?[A-Z_]|\breturn\b/i

const strictAssertion =
  /\bassert|\bexpect\(|\brefute\b|\bXCTAssert|#expect|#require|\bt\.(?:Error|Fatal)|\brequire\.[A-Z]/

/** Tests that still run the same code, but lost all their assertions. */
const emptied = (file: RuleFile): ReadonlyArray<Claim & { readonly path: string }> => {
  if (file.base === null || file.head === null || !isTestFile(file.path)) return []
  const { deleted, added } = changedLines(file)
  // An assertion is lost only if the change deletes its line and does not add it elsewhere.
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
      title: "Test keeps its steps but loses all assertions",
      description: `"${now.name}" had ${held.length === 1 ? "one assertion" : `${held.length} assertions`} before this change and has none now.`
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

/** Two tests of one name in a file (in two classes, for example) cannot be distinguished here. */
const uniqueByName = (cases: ReadonlyArray<TestCase>): ReadonlyMap<string, TestCase> => {
  const seen = Map.groupBy(cases, ({ name }) => name)
  return new Map(
    [...seen].flatMap(([name, [only, ...others]]) => (others.length === 0 ? [[name, only!] as const] : []))
  )
}

/** Does the line contain only punctuation, or the condition of a check in the lines below? */
const saysNothing = (text: string): boolean => /^\W*$/.test(text) || /^\s*if .*\{\s*$/.test(text)

const lostAssertions = (then: TestCase, now: TestCase): boolean => {
  if (now.body.length === 0 || now.body.some((text) => assertion.test(text))) return false
  if (!then.body.some((text) => strictAssertion.test(text))) return false
  const steps = then.body.filter((text) => !assertion.test(text) && !saysNothing(text)).map((text) => text.trim())
  const kept = new Set(now.body.map((text) => text.trim()))
  return steps.length > 0 && steps.filter((step) => kept.has(step)).length * 2 >= steps.length
}

/** Deleted test files whose subject remains unchanged and has no other test file. */
const orphaned = ({ files, headPaths }: RuleChange): ReadonlyArray<Claim & { readonly path: string }> => {
  const gone = files.filter(({ path, diff }) => diff.status === "deleted" && isTestFile(path))
  if (gone.length === 0 || headPaths.size === 0) return []
  const touched = new Set(files.filter(isTouched).map(({ path }) => path))
  const testsTouched = files.some((file) => file.diff.status !== "deleted" && isTouched(file) && isTestFile(file.path))
  if (testsTouched) return []
  const wanted = new Set(gone.map(({ path }) => nameOf(path)))
  const byTestName = new Map<string, Array<string>>()
  const present = new Set<string>()
  for (const path of headPaths) {
    present.add(nameOf(path))
    for (const name of testNamesOf(path)) {
      if (!wanted.has(name)) continue
      const subjects = byTestName.get(name)
      if (subjects === undefined) byTestName.set(name, [path])
      else subjects.push(path)
    }
  }
  return gone.flatMap(({ path }) => {
    const name = nameOf(path)
    const subjects = byTestName.get(name) ?? []
    // The subject must be clear: `index.test.ts` may belong to many files.
    if (subjects.length !== 1 || touched.has(subjects[0]!)) return []
    if (testNamesOf(subjects[0]!).some((test) => present.has(test))) return []
    return [{ path, line: 0, description: `${subjects[0]} is unchanged, and no other test file changes.` }]
  })
}

export const lineChecks: LineChecks = {
  focused: (text, _line, file) => text.length < 500 && isTestFile(file.path) && isFocused(file.path, text),
  "skipped-without-reason": (text, line, file) =>
    text.length < 500 &&
    (isTestFile(file.path) || file.path.endsWith(".rs")) &&
    // A benchmark is usually skipped in the suite and run by hand.
    !/perf|bench/i.test(file.path) &&
    skips.some(([path, skip]) => path.test(file.path) && skip.test(text)) &&
    !hasReasonBeside(text, line, file)
}

export const changeChecks: ChangeChecks = {
  "assertions-removed": ({ files }) => files.flatMap(emptied),
  "file-deleted": orphaned
}
