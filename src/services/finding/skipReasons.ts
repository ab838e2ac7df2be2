/** Why a changed file is not reviewed. */
import { Effect } from "effect"
import { type FileCoverage, withoutRules } from "../../domain/change/Coverage.ts"
import { type DiffFile, isLink, isSubmodule } from "../../domain/change/Diff.ts"
import type { Grammar } from "../../domain/change/Grammar.ts"
import {
  isBinaryPath,
  isGeneratedPath,
  isMarkedGenerated,
  isMinified,
  isVendoredPath,
  markedInAttributes
} from "../../domain/change/PathKind.ts"
import { pointerReason } from "../../domain/change/remote/pointers.ts"
import { overLimit, whyUnread } from "../../domain/change/remote/whyUnread.ts"
import { codeOnlyOf, grammarsOf } from "../../domain/finding/Claims.ts"
import type { Rule, RuleFile } from "../../domain/finding/Rule.ts"
import { type FileKind, kindByName } from "../../languages/fileKinds.ts"
import { catalogue } from "../../rules/catalogue.ts"
import { Sources, type SourceText } from "../change/Sources.ts"

/** The reason, if the diff shows it; null if it is reviewed. */
export const skipReason = (diff: DiffFile): string | null => {
  if (diff.status === "deleted") return "deleted"
  if (isSubmodule(diff)) return "a submodule: its content is in another repository"
  if (isLink(diff)) return diff.unread === undefined ? "a symbolic link" : null
  if (isVendoredPath(diff.path)) return "vendored"
  if (isGeneratedPath(diff.path)) return "generated, by its path"
  if (!diff.pointer && diff.binary && isBinaryPath(diff.path)) return "binary"
  if (diff.unread !== undefined) return null
  return whyUnread(diff) ?? (diff.binary ? "binary" : null)
}

/** The grammars that dd has rules for. */
const withRules: ReadonlySet<Grammar> = new Set(catalogue.flatMap((rule) => grammarsOf(rule) ?? []))

/** The coverage of code that no rule of its language was applied to. */
export const withoutRulesFor = ({ grammar, title }: FileKind) =>
  withoutRules(title, grammar !== null && withRules.has(grammar))

/** The file's coverage, if dd has no rules for its language and no user's rule applies; null if it is reviewed. */
export const skippedWithoutModel = (path: string, rules: ReadonlyArray<Rule>): FileCoverage | null => {
  const kind = kindByName(path)
  // Whether it has code, and of which language, is in its text.
  if (kind === null || kind.embedding !== null) return null
  const isRead = (rule: Rule) =>
    rule.appliesToPath?.(path) !== false &&
    (grammarsOf(rule)?.some((each) => each === kind.grammar) ?? rule.file !== undefined)
  return rules.some(isRead) ? null : { path, ...withoutRulesFor(kind) }
}

/** The files that `.gitattributes` marked as generated before the change: a change cannot exclude itself. */
export const filesMarkedGenerated = Effect.gen(function* () {
  const sources = yield* Sources
  const attributes = yield* sources.base(".gitattributes")
  return attributes._tag === "Text" ? markedInAttributes(attributes.text) : () => false
})

/** The reason, if the text after the change shows it; null if it is reviewed. */
export const notReviewed = (
  head: SourceText,
  file: RuleFile,
  isMarked: (path: string) => boolean
): Omit<FileCoverage, "path"> | null => {
  if (head._tag === "Binary") return { status: "skipped", reason: "binary" }
  if (head._tag === "Pointer") return { status: "unread", reason: pointerReason }
  if (head._tag === "Link") return { status: "skipped", reason: "a symbolic link" }
  if (head._tag === "TooLarge") return { status: "skipped", reason: `too large: ${overLimit(head.bytes)}` }
  if (head._tag === "Unreadable") return { status: "unread", reason: head.reason }
  // Pictures in a notebook or a component do not make its code data.
  if (isAlways(codeOnlyOf(file), isMinified))
    return { status: "skipped", reason: "minified, or data on very long lines" }
  if (isMarked(file.path)) return { status: "skipped", reason: "generated, according to .gitattributes" }
  if (isAlways(file, isMarkedGenerated)) return { status: "skipped", reason: "generated, according to a comment in it" }
  return null
}

/** Checked before and after the change, so that a change cannot exclude a file from its own review. */
const isAlways = ({ diff, head, base }: RuleFile, test: (lines: ReadonlyArray<string>) => boolean): boolean =>
  head !== null && test(head) && (diff.oldPath === null || (base !== null && test(base)))
