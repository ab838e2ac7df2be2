/** The answered calls of a run, in order. */

import { isJsonObject } from "../system/jsonObject.ts"
import type { Trajectory } from "./Trajectory.ts"

export interface Answer {
  readonly phase: string
  readonly backend: string
  /** Null if no step names one. */
  readonly model: string | null
}

export const answersIn = (root: Trajectory, siblings: Iterable<Trajectory>): ReadonlyArray<Answer> => {
  const models = new Map<unknown, string>()
  for (const { extra, model_name } of [root, ...siblings].flatMap(({ steps }) => steps)) {
    if (typeof model_name === "string") models.set(extra?.daydream_call, model_name)
  }
  const answers: Array<Answer> = []
  for (const call of Array.isArray(root.extra?.subtrajectories) ? root.extra.subtrajectories : []) {
    if (!isJsonObject(call)) continue
    const { daydream_call: number, daydream_step: phase, outcome } = call
    // Older records do not name the backend of a call.
    const backend = call.backend ?? root.extra?.backend
    if (typeof phase !== "string" || typeof backend !== "string" || outcome !== "ok") continue
    answers.push({ phase, backend, model: models.get(number) ?? null })
  }
  return answers
}

/** The answers of reviewers, or all answers if there are none. */
export const reviewsAmong = (answers: ReadonlyArray<Answer>): ReadonlyArray<Answer> => {
  const reviews = answers.filter(({ phase }) => phase === reviewPhase)
  return reviews.length === 0 ? answers : reviews
}

export const reviewPhase = "per-stack-reviews"
export const fixPhase = "fix"
