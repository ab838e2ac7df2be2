/** Checks that a fix brought in and that a change deletes, without another edit of the function. Pure. */
import { type Run, runsOf } from "../../brief/form/changedRuns.ts"
import { type FixedFile, issueOf, keysOf, type PastFix } from "../../brief/pastFixes.ts"
import type { CommitSummary } from "../../change/Change.ts"
import type { DiffFile } from "../../change/Diff.ts"
import type { PastCommit } from "../../change/PastCommit.ts"
import { lineKey } from "../../change/PastEdit.ts"
import { qualifiedName } from "../../code/CodeQuery.ts"
import type { Definition } from "../../code/Symbol.ts"

export interface UndoneFix {
  readonly fix: PastFix
  readonly definition: Definition
  /** The line after the deleted ones, of the head side. */
  readonly line: number
  /** The deleted lines, of the base side. */
  readonly deleted: { readonly start: number; readonly end: number }
  readonly condition: string
  /** Words of the deleted lines, without those of the function's name and path. */
  readonly words: ReadonlySet<string>
}

const mostLines = 8
const assertion = /^(?:assert|debug_assert|require|check)\w*!?[ (]|\brequireNonNull\b|^(?:Preconditions\.|invariant\b)/
const condition =
  /^(?:\} ?else )?(?:if|unless|guard)\b|^let\b.*\belse \{|\b(?:return|raise|throw|next|break)\b.* (?:if|unless) /
const exit = /\b(?:return|raise|throw|continue|next|break|panic!?|abort|exit|bail!|fatal\w*)\b/i

const guardsIn = (file: DiffFile): ReadonlyArray<Run> =>
  runsOf(file).filter(({ lines }) => {
    const code = lines.map(({ text }) => text.trim()).filter((text) => text !== "")
    const [first = ""] = code
    const isGuard = condition.test(first) && code.some((text) => exit.test(text))
    return (
      lines.every(({ kind }) => kind === "deleted") && code.length <= mostLines && (isGuard || assertion.test(first))
    )
  })

export const deletesGuard = (file: DiffFile): boolean => file.newPath !== null && guardsIn(file).length > 0

/** `added`: all lines that the change adds. The definitions are those of the file on each side. */
export const undoneFixes = (
  { file, fixes, head }: FixedFile,
  added: ReadonlyArray<string>,
  definitions: { readonly base: ReadonlyArray<Definition>; readonly head: ReadonlyArray<Definition> }
): ReadonlyArray<UndoneFix> => {
  const runs = runsOf(file)
  const kept = keysOf([...head, ...added])
  const addedWords = new Set(added.flatMap(wordsOf))
  return guardsIn(file).flatMap(({ base, head: place, lines }): ReadonlyArray<UndoneFix> => {
    const [first = ""] = lines.map(({ text }) => text).filter((text) => text.trim() !== "")
    const needed = lineKey(first)
    const keys = lines.flatMap(({ text }) => lineKey(text) ?? [])
    if (needed === null || keys.some((key) => kept.has(key))) return []
    const fix = fixes.find(({ edit }) => keys.every((key) => edit.added.includes(key)))
    const definition = innermost(definitions.base, base.start + 1, base.end)
    if (fix === undefined || definition === null) return []
    const after = definitions.head.filter(isSame(definition))
    const [remains] = after
    if (remains === undefined || after.length > 1 || definitions.base.filter(isSame(definition)).length > 1) return []
    const edits = runs.filter((run) => overlaps(run.base, definition) || overlaps(run.head, remains))
    const line = Math.min(place.start + 1, remains.endLine)
    const deleted = { start: base.start + 1, end: base.end }
    const usual = new Set(wordsOf(`${file.path} ${qualifiedName(definition)}`))
    const words = new Set(lines.flatMap(({ text }) => wordsOf(text)).filter((word) => !usual.has(word)))
    // The check may stand elsewhere with other names.
    const isElsewhere = [...words].some((word) => addedWords.has(word))
    return edits.length > 1 || isElsewhere ? [] : [{ fix, definition, line, deleted, condition: first.trim(), words }]
  })
}

const innermost = (definitions: ReadonlyArray<Definition>, first: number, last: number): Definition | null =>
  definitions
    .filter(({ endLine, kind, line }) => isFunction(kind) && line < first && endLine >= last)
    .sort((a, b) => b.line - a.line)[0] ?? null

const isFunction = (kind: Definition["kind"]): boolean => kind === "function" || kind === "method"

const isSame =
  ({ container, name }: Definition) =>
  (other: Definition): boolean =>
    isFunction(other.kind) && other.name === name && other.container === container

const overlaps = (
  { end, start }: { readonly start: number; readonly end: number },
  { endLine, line }: Definition
): boolean => start < endLine && Math.max(end, start + 1) >= line

const says =
  /\b(?:revert|remov|drop|delet|undo|unne(?:eded|cessary)|redundant|superfluous|obsolete|unreachable|back(?:s|ed)? out|allow|permit|accept|move[sd]?\b|instead|always|never|mandatory|guarantee|validat|requir)|\bno (?:longer|need)\b|\bnot needed\b/i

/**
 * Do the messages of the change say that something goes, or name the fix or what it checked? `checked`: words of the
 * deleted lines.
 */
export const saysSo = (
  commits: ReadonlyArray<CommitSummary>,
  { sha, subject: fix }: PastCommit,
  checked: ReadonlySet<string>
): boolean => {
  const issue = issueOf(fix)
  return commits.some(({ body, subject }) => {
    const message = `${subject}\n${body}`
    const isNamed = message.includes(sha.slice(0, 7)) || (issue !== null && message.includes(issue))
    return isNamed || says.test(message) || wordsOf(message).some((word) => checked.has(word))
  })
}

/** In lower case, of four letters or more; names of several words are taken apart. */
export const wordsOf = (text: string): ReadonlyArray<string> =>
  (text.match(/\p{Lu}?\p{Ll}+|\p{Lu}+/gu) ?? []).flatMap((word) =>
    word.length < 4 || common.has(word.toLowerCase()) ? [] : [word.toLowerCase().replace(/s$/, "")]
  )

const common = new Set([
  "return",
  "raise",
  "throw",
  "throws",
  "continue",
  "break",
  "else",
  "none",
  "null",
  "self",
  "this",
  "error",
  "length",
  "with",
  "when",
  "from",
  "undefined"
])
