/** Detects that an agent repeats itself: the same failing call, or results that it has already seen. Pure. */

/** Equal calls with an equal error. */
const mostEqualFailures = 3
/** Consecutive steps without a result that is new. */
const mostIdleSteps = 5

interface CallOutcome {
  /** Equal for equal calls. */
  readonly key: string
  readonly text: string
  readonly isError: boolean
  readonly changesThings: boolean
}

export class Progress {
  readonly #failures = new Map<string, number>()
  readonly #results = new Set<string>()
  #idleSteps = 0

  /** Takes the outcomes of one step. Returns whether the agent makes no progress any more. */
  take(outcomes: ReadonlyArray<CallOutcome>): boolean {
    // Without calls, the answer is new.
    let isNew = outcomes.length === 0
    let isRepeated = false
    for (const { changesThings, isError, key, text } of outcomes) {
      if (isError) {
        const failure = `${key}\n${text}`
        const times = (this.#failures.get(failure) ?? 0) + 1
        this.#failures.set(failure, times)
        isRepeated ||= times >= mostEqualFailures
      } else {
        isNew ||= changesThings || !this.#results.has(text)
        this.#results.add(text)
      }
    }
    this.#idleSteps = isNew ? 0 : this.#idleSteps + 1
    return isRepeated || this.#idleSteps >= mostIdleSteps
  }
}
