/** How often files changed in the same commits as the changed ones. */
import { type PastCommit, touching } from "../../change/PastCommit.ts"
import type { Scores } from "./Scores.ts"

/** A larger commit is a move or a reformatting. */
const largestCommit = 60
/** The number of commits after which one counts half. */
const halfLife = 1_500
const scale = 1e6

/** `changed`: paths on the base side. */
export const historyScores = (commits: ReadonlyArray<PastCommit>, changed: ReadonlyArray<string>): Scores => {
  const wanted = new Set(changed)
  const scores = new Map<string, number>()
  for (const { age, names } of touching(commits, changed)) {
    if (names.length > largestCommit) continue
    const items = new Set(names.filter((name) => name !== ""))
    const overlap = [...items].filter((name) => wanted.has(name)).length
    const weight = (overlap / items.size) * 0.5 ** (age / halfLife)
    for (const item of items) if (!wanted.has(item)) scores.set(item, (scores.get(item) ?? 0) + weight)
  }
  return new Map([...scores].map(([path, score]) => [path, Math.round(score * scale)] as const))
}
