/** The checks of the rules about tests: focused, skipped without a reason, emptied of their assertions, deleted. */

import { isTestFile } from "../../domain/change/TestFile.ts"
import { nameOf } from "../../domain/code/Repository.ts"
import { type Claim, matchOf, type Range, type RuleChange, type RuleFile } from "../../domain/finding/Rule.ts"
import { bodyBelow, type TestCase, testCases, testNamesOf } from "../../languages/tests.ts"
import type { ChangeChecks, LineChecks } from "../page/Checks.ts"
import { isTouched } from "../shared/changedLines.ts"

const isScript = (path: string): boolean => /\.[cm]?[jt]sx?$/.test(path)

const focusedScript =
  /^\s*(?:(?:describe|it|test|suite|context|specify)(?:\.(?:each|concurrent|sequential))*\.only(?:\.each)?|fdescribe|fit|fcontext)\s*[(`]/

const focusedRuby =
  /^\s*(?:(?:fit|fdescribe|fcontext|fspecify)\s+["'A-Z].*\bdo\b|(?:it|describe|context)\b.*[,(]\s*(?:focus: true|:focus)\b.*\bdo\b)/

const focusedGo = /^\s*(?:FIt|FDescribe|FContext|FWhen|FDescribeTable)\(\s*"/

const focusIn = (path: string, text: string): RegExpExecArray | null =>
  isScript(path)
    ? focusedScript.exec(text)
    : path.endsWith(".rb")
      ? focusedRuby.exec(text)
      : path.endsWith("_test.go")
        ? focusedGo.exec(text)
        : null

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

const isAnnotation = (text: string | undefined): boolean => text !== undefined && /^\s*(?:@\w|#\[)/.test(text)

/** A title that says why the test does not run. */
const namesReason =
  /\b(?:TODO|FIXME|flaky|until|unless|once|broken|unsupported|not (?:yet )?(?:implemented|supported))\b|#\d+|https?:/i

/** Is there a reason in the skip itself, in a comment of the test, or in one after, above or below the skip? */
const hasReasonBeside = (text: string, line: number, { head, path }: RuleFile): boolean => {
  if (/(?:\/\/|\s#)\s*\S/.test(text.replace(/(["'`]).*?\1/g, "")) || namesReason.test(text)) return true
  // The comment may be above or below other annotations.
  let [above, below] = [line - 2, line]
  while (isAnnotation(head?.[above])) above--
  while (isAnnotation(head?.[below])) below++
  const test = testCases(path, head ?? []).find((each) => each.line >= line && each.line <= below + 1)
  const inside = (head ?? []).slice(below, test?.endLine ?? below + 3)
  return (
    [head?.[above], inside[0]].some(isComment) ||
    inside.some((each) => namesReason.test(/(?:\/\/|\/\*|(?:^|\s)#).*/.exec(each)?.[0] ?? ""))
  )
}

/** Matches assertions in any of these languages, calls that fail, and names of functions that may contain an assertion. */
const assertion =
  /assert|expect|verif|check|ensure|validate|compare|raise|\brefute|\bshould|\bXCT(?!Skip)|#expect|#require|\bfail\b|\bthrows?\b|\bt\.(?:Error|Fatal|Fail|Run)|\brequire\.|\bmust|\bmatch|snapshot|\bis\.|\.rejects|\.resolves|\bassume|\bcmp\.|\bpanic|_ok\b|\bunwrap|\bdone\b|\bproperty|\bprop_|\bcompile|typecheck|\bconfirm|\bis_?[A-Z_]|\breturn\b|(?:^|[.:_])(?:parse|decode|deserialize|from_str)\w*\(|^\s*(?:async )?with\b/i

const strictAssertion =
  /\bassert|\bexpect\(|\brefute\b|\bXCTAssert|#expect|#require|\bt\.(?:Error|Fatal)|\brequire\.[A-Z]/

/** Only tells that a call has no result. A linter asks to remove it. */
const ofNothing = /\bis None\s*$|\bassertIsNone\(|\bassert_eq!\(\s*\(\)|\.toBeUndefined\(\)|\bassertNull\(/

/** Tests that still run the same code, but lost all their assertions. */
const emptied = (file: RuleFile): ReadonlyArray<Claim & { readonly path: string }> => {
  if (file.base === null || file.head === null || !isTestFile(file.path)) return []
  const { deleted, added } = changedLines(file)
  // An assertion is lost only if the change deletes its line and does not add it elsewhere.
  const isLost = (line: number, text: string) => deleted.has(line) && !added.has(text.trim())
  const { base, head } = file
  const before = uniqueByName(testCases(file.path, base))
  const claims: Array<Claim & { readonly path: string }> = []
  for (const now of uniqueByName(testCases(file.path, head)).values()) {
    const then = before.get(now.name)
    if (then === undefined || !lostAssertions(then, now) || mayAssert(then, now, file.path, head)) continue
    const held = linesWithin(then).filter((line) => strictAssertion.test(base[line - 1] ?? ""))
    if (!held.every((line) => isLost(line, base[line - 1] ?? ""))) continue
    // An assertion may be about the environment, or that a call has no result.
    const used = namesIn(now.body.join(" "))
    const lost = held
      .map((line) => statementAt(base, line))
      .filter((text) => !ofNothing.test(text) && [...namesIn(text)].some((name) => used.has(name)))
    if (lost.length === 0) continue
    claims.push({
      path: file.path,
      line: now.line,
      title: "Test keeps its steps but loses all assertions",
      description: `"${now.name}" had ${held.length === 1 ? "one assertion" : `${held.length} assertions`} before this change and has none now: \`${base[(held[0] ?? 1) - 1]?.trim()}\`.`
    })
  }
  return claims
}

/** With the condition above it, and with the line below if it is open. */
const statementAt = (lines: ReadonlyArray<string>, line: number): string => {
  const [above = "", text = "", below = ""] = ["", ...lines].slice(line - 1, line + 2)
  return [/^\s*if /.test(above) ? above : "", text, /[({[,]\s*$/.test(text) ? below : ""].join(" ")
}

const keywords = new Set("and async await const def fn for func if in is let not or self this var with".split(" "))

const namesIn = (text: string): ReadonlySet<string> =>
  new Set(text.match(/[A-Za-z_]\w*/g)?.filter((word) => !keywords.has(word)))

const calledIn = (body: ReadonlyArray<string>): ReadonlyArray<string> =>
  [...body.join("\n").matchAll(/([A-Za-z_]\w*)!?\(/g)].map(([, name = ""]) => name)

/** Does the test call something new, or a function of the file with an assertion, or return the errors of its calls? */
const mayAssert = (then: TestCase, now: TestCase, path: string, head: ReadonlyArray<string>): boolean => {
  const known = new Set(calledIn(then.body))
  if (calledIn(now.body).some((name) => !known.has(name))) return true
  if (path.endsWith(".rs") && now.body.some((text) => /\?(?:[;.)\s]|$)/.test(text))) return true
  return [...known].some((name) => {
    const header = new RegExp(`\\b(?:def|fn|func|fun|function|const|void)\\s+(?:\\([^)]*\\)\\s*)?${name}\\b`)
    const at = head.findIndex((text) => header.test(text))
    return at >= 0 && bodyBelow(head, at).body.some((text) => assertion.test(text))
  })
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

/** Without the beginning of the arguments of a call, `("`. */
const withoutOpening = (match: Range, text: string): Range => {
  const { column = 1, endColumn = 1, line } = match
  const name = /^[\w.@#[\]:]+/.exec(text.slice(column - 1, endColumn - 1))?.[0]
  return name === undefined ? match : { line, column, endColumn: column + name.length }
}

export const lineChecks: LineChecks = {
  focused: (text, line, file) => {
    const found = text.length < 500 && isTestFile(file.path) ? focusIn(file.path, text) : null
    return found !== null && withoutOpening(matchOf(line, found), text)
  },
  "skipped-without-reason": (text, line, file) => {
    const isRead =
      text.length < 500 &&
      (isTestFile(file.path) || file.path.endsWith(".rs")) &&
      // A benchmark is usually skipped in the suite and run by hand.
      !/perf|bench/i.test(file.path)
    const pattern = isRead ? skips.find(([path, skip]) => path.test(file.path) && skip.test(text)) : undefined
    const found = pattern?.[1].exec(text) ?? null
    if (found === null || hasReasonBeside(text, line, file)) return false
    const skipped = isAnnotation(text) ? file.head?.slice(line).find((below) => !isAnnotation(below)) : text
    return {
      ...withoutOpening(matchOf(line, found), text),
      description: `The test begins with \`${(skipped ?? text).trim().slice(0, 80)}\`.`
    }
  }
}

export const changeChecks: ChangeChecks = {
  "assertions-removed": ({ files }) => files.flatMap(emptied),
  "file-deleted": orphaned
}
