/**
 * Computes the value of each key once, also for fibers that request it meanwhile.
 *
 * Keys are compared by reference. `Cache` compares objects by their structure, and a file's diff can have a million
 * lines.
 */
import { Effect } from "effect"

export const oncePerKey = <K, A>(): ((key: K, compute: Effect.Effect<A>) => Effect.Effect<A>) => {
  const answers = new Map<K, Effect.Effect<A>>()
  return (key, compute) =>
    Effect.suspend(() => {
      const known = answers.get(key)
      if (known !== undefined) return known
      return Effect.flatMap(Effect.cached(compute), (fresh) => {
        const answer = answers.get(key) ?? fresh
        answers.set(key, answer)
        return answer
      })
    })
}
