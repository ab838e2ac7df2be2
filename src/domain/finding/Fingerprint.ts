/**
 * Identifies a finding across runs: by its rule, its file and its code.
 *
 * Line numbers and messages are not part of it, so it stays the same if code moves, adjacent code is edited or a message
 * is reworded. It changes with the claimed line. It is the same on every machine.
 */
import type { Lens } from "./Finding.ts"
import type { MergedItem } from "./MergedItem.ts"

/** The lines of a file by number, from 1; only some of them for a patch without a repository. */
export type NumberedLines = ReadonlyMap<number, string>

export const numbered = (lines: ReadonlyArray<string>): NumberedLines =>
  new Map(lines.map((line, index) => [index + 1, line]))

/** The rule part of a fingerprint for findings of models: the lens, never the wording. */
export const modelRules: Record<Lens, string> = {
  "per-stack": "model/review",
  "cross-stack": "model/review",
  structural: "model/structure",
  wonder: "model/alternative"
}

export const ruleOf = (item: Pick<MergedItem, "record" | "lens">): string => item.record.rule ?? modelRules[item.lens]

/**
 * The claimed line with white space collapsed, without the code around it, which may change. "" for a claim about the
 * whole file.
 */
export const contextOf = (lines: NumberedLines, line: number): string =>
  line === 0 ? "" : (lines.get(line) ?? "").replace(/\s+/g, " ").trim()

/** For each line of a file, the number of lines before it with the same context. */
export const occurrences = (lines: NumberedLines): ReadonlyMap<number, number> => {
  const met = new Map<string, number>()
  const found = new Map<number, number>()
  for (const line of lines.keys()) {
    const context = contextOf(lines, line)
    const before = met.get(context) ?? 0
    found.set(line, before)
    met.set(context, before + 1)
  }
  return found
}

export interface Identity {
  readonly rule: string
  readonly path: string
  readonly context: string
  /** Among equal contexts of the file, from 0. */
  readonly occurrence: number
  /** Among claims of one rule at one place, from 0. */
  readonly sibling: number
}

/** The bytes to hash, with unambiguous boundaries between fields. */
export const identityBytes = ({ rule, path, context, occurrence, sibling }: Identity): Uint8Array =>
  new TextEncoder().encode(JSON.stringify([rule, path, context, occurrence, sibling]))

/** `dd1:` and the first 16 digits of a SHA-256. */
export const fingerprintOf = (sha256: string): string => `dd1:${sha256.slice(0, 16)}`
