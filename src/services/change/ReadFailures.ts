/**
 * Collects what could not be read or searched, and what was therefore not checked.
 *
 * Equal failures are one entry; the order of the entries does not depend on the order of the failures.
 */
import { Effect } from "effect"
import { type Degraded, meaningOf } from "../../domain/change/Degraded.ts"
import { compareText } from "../../domain/text/compareText.ts"

interface Failure {
  readonly error: string
  readonly message: string
  readonly unchecked: string
  readonly paths: Set<string>
}

const pathsNamed = 3

export type ReadFailures = ReturnType<typeof makeReadFailures>

export const makeReadFailures = () => {
  const known = new Map<string, Failure>()

  /** `paths`: the files that could not be read; null for a search or a listing. */
  const add = (
    unchecked: string,
    { _tag: error, message }: { readonly _tag: string; readonly message: string },
    all: Iterable<string> | null = null
  ) => {
    const paths = [...(all ?? [])].filter((path) => meaningOf("here", path, false) !== "nothing")
    if (all !== null && paths.length === 0) return
    const key = [unchecked, error, message].join("\0")
    const failure = known.get(key) ?? { error, message, unchecked, paths: new Set() }
    known.set(key, failure)
    for (const path of paths) failure.paths.add(path)
  }

  /** Records a failure of the effect and continues with `given`. */
  const survive =
    <B>(unchecked: string, given: B) =>
    <A, E extends { readonly _tag: string; readonly message: string }, R>(self: Effect.Effect<A, E, R>) =>
      Effect.catch(self, (error) =>
        Effect.sync(() => {
          add(unchecked, error)
          return given
        })
      )

  const all = Effect.sync(() =>
    [...known.entries()]
      .sort(([a], [b]) => compareText(a, b))
      .map(([, failure]): Degraded => {
        const { error, message, unchecked } = failure
        return { step: "git", error, detail: `not checked: ${unchecked}${namesOf(failure)}: ${message}`, unchecked }
      })
  )

  return { add, survive, all }
}

const namesOf = ({ paths }: Failure): string => {
  if (paths.size === 0) return ""
  const named = [...paths].sort(compareText).slice(0, pathsNamed).join(", ")
  return paths.size > pathsNamed ? ` (${named} and ${paths.size - pathsNamed} more)` : ` (${named})`
}
