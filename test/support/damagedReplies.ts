/**
 * Replies of models as they are when something went wrong on the way: seeded, so that a failure can be had again.
 *
 * Each begins as a reply that fits, is written down in one of the ways models write, and is then damaged.
 */
import { modelReplies } from "../../src/domain/agent/ModelReply.ts"
import type { TaskTag } from "../../src/domain/agent/Task.ts"

export interface DamagedReply {
  readonly task: TaskTag
  readonly text: string
  /** Nothing was damaged, and nothing that could be taken for another answer stands beside it. */
  readonly isWhole: boolean
  /** How many items the whole reply has; null where it has no list. */
  readonly items: number | null
}

/** Findings went in and none came out, though more than two brackets of the text are left. */
export const isEmptied = (read: { readonly items: number | null }, { items, text }: DamagedReply): boolean =>
  (items ?? 0) > 0 && read.items === 0 && !/^\s*\[\s*\]\s*$/.test(text)

/** A generator of numbers below one: small, and the same everywhere. */
export const seeded = (seed: number): (() => number) => {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const tags = Object.keys(modelReplies) as ReadonlyArray<TaskTag>

const words = [
  "the",
  "handle",
  "is",
  "never",
  "closed",
  "🙂",
  '"quoted"',
  "{brace",
  "back\\slash",
  "new\nline",
  "[0]",
  "\u0000",
  "</think>",
  "```"
]

const claimOf = (random: () => number, tag: TaskTag): Record<string, unknown> => {
  const text = () =>
    Array.from({ length: 1 + Math.floor(random() * 8) }, () => words[Math.floor(random() * words.length)]).join(" ")
  const pick = <A>(...of: ReadonlyArray<A>) => of[Math.floor(random() * of.length)]
  const claim = {
    title: text(),
    description: text(),
    file: pick("src/a.py", "b.ts", ""),
    line: Math.floor(random() * 90),
    endLine: pick(null, 3),
    severity: pick("high", "medium", "low"),
    confidence: pick("HIGH", "MEDIUM"),
    quote: text(),
    rationale: text(),
    evidence: "src/a.py:2",
    suggestion: pick(null, text())
  }
  switch (tag) {
    case "Alternatives":
      return { ...claim, recommendation: text(), files: ["src/a.py"] }
    case "Arbitrate":
      return {
        arb_id: Math.floor(random() * 9),
        keep: random() < 0.5,
        severity: "low",
        confidence: "HIGH",
        description: null,
        rationale: text(),
        evidence: text()
      }
    case "Merge":
      return { id: Math.floor(random() * 9), lens: null, note: text() }
    case "Verify":
      return {
        issue_id: Math.floor(random() * 9),
        evidence: text(),
        unverified_assumptions: pick([], [text()]),
        verdict: pick("consistent", "uncertain", "contradicts")
      }
    case "Fix":
      return { issue_id: Math.floor(random() * 9), note: text(), status: pick("fixed", "not_fixed") }
    default:
      return claim
  }
}

const lists: Partial<Record<TaskTag, string>> = {
  Arbitrate: "findings",
  Merge: "notes",
  Verify: "verdicts",
  Fix: "outcomes"
}

const replyOf = (
  random: () => number,
  task: TaskTag
): { readonly value: Record<string, unknown>; readonly items: number | null } => {
  if (task === "Intent") return { value: { intent: "It closes the file." }, items: null }
  const items = Array.from({ length: Math.floor(random() * 5) }, () => claimOf(random, task))
  const list = lists[task] ?? "issues"
  const value = { ...(task === "StackReview" ? { review: "Looked at it.", coverage: [] } : {}), [list]: items }
  return { value, items: items.length }
}

/** As models write a reply down. */
const writings: ReadonlyArray<(json: string, random: () => number) => string> = [
  (json) => json,
  (json) => `\`\`\`json\n${json}\n\`\`\``,
  (json) => `Here is the review you asked for.\n\n\`\`\`json\n${json}\n\`\`\`\nI hope it helps.`,
  (json) => `I looked at it: ${json} and that is all.`,
  (json) => `<think>Is it {"issues": []}? No.</think>\n${json}`
]

/** What happens to a text on its way. */
const damages: ReadonlyArray<(text: string, random: () => number) => string> = [
  (text, random) => text.slice(0, Math.floor(random() * text.length)),
  (text, random) => text.slice(Math.floor(random() * text.length)),
  (text, random) => {
    const at = Math.floor(random() * text.length)
    return text.slice(0, at) + text.slice(at + 1 + Math.floor(random() * 20))
  },
  (text, random) => {
    const at = Math.floor(random() * text.length)
    const noise = ['"', "{", "}", "[", "]", ",", "\\", "```\n", "null", "\u0000", "\ud800", "NaN", "'"]
    return text.slice(0, at) + noise[Math.floor(random() * noise.length)] + text.slice(at)
  },
  (text) => text.replaceAll('"', "'"),
  (text) => text.replaceAll(/"(high|medium|low)"/g, '"critical"'),
  (text) => text.replaceAll(/"(title|line|issues|notes|findings|intent|verdicts|outcomes)"/g, '"other"'),
  (text) => text.replaceAll("null", "[]"),
  (text) => `${text}\n${text}`,
  (text) => `[${text}]`,
  (text) => text.replaceAll("}", "},"),
  (text, random) => "[{".repeat(Math.floor(random() * 5_000)) + text,
  (text, random) => text + '"'.repeat(Math.floor(random() * 5_000)),
  () => "I'm sorry, but I can't help with that.",
  () => ""
]

export const damagedReply = (random: () => number): DamagedReply => {
  const pick = <A>(of: ReadonlyArray<A>): A => of[Math.floor(random() * of.length)]!
  const task = pick(tags)
  const { items, value } = replyOf(random, task)
  const spaces = pick([undefined, 2])
  const written = pick(writings)(JSON.stringify(value, null, spaces), random)
  const count = Math.floor(random() * 4)
  let text = written
  for (let n = 0; n < count; n++) text = pick(damages)(text, random)
  return { task, text, items, isWhole: count === 0 }
}
