/**
 * Two steps that work at once, on the same state. The second finishes after the first, with its state, so that artifacts and
 * `degraded` are as if they had run in order. The first one does not end the flow.
 */
import { Deferred, Effect } from "effect"
import { type Advance, isEnabled, type PartedBody, type StepBody } from "../../domain/run/Step.ts"
import type { FailPolicy } from "./FailPolicy.ts"

type Run<S, E, R> = Effect.Effect<Advance<S>, E, R>

/** `within`: what is around each of them. */
export const runSideBySide = Effect.fnUntraced(function* <S, E, R, More>(
  { apart }: Pick<FailPolicy["Service"], "apart">,
  [first, second]: readonly [PartedBody<S, E, R> & More, PartedBody<S, E, R> & More],
  state: S,
  within: (body: More, run: Run<S, E, R>) => Run<S, E, R> = (_, run) => run
) {
  const ended = yield* Deferred.make<S>()
  const one = Effect.gen(function* () {
    const { report, value: finish } = yield* apart(first.work(state))
    yield* report
    return yield* finish(state)
  })
  const two = Effect.gen(function* () {
    const { report, value: finish } = yield* apart(second.work(state))
    const after = yield* Deferred.await(ended)
    yield* report
    return yield* finish(after)
  })
  const [, advance] = yield* Effect.all(
    [Effect.tap(within(first, one), ({ state: after }) => Deferred.succeed(ended, after)), within(second, two)],
    { concurrency: "unbounded" }
  )
  return advance
})

/** Both as one body; if the first is not enabled, only the second runs. */
export const sideBySide = <S, E, R>(
  onFailure: Pick<FailPolicy["Service"], "apart">,
  first: PartedBody<S, E, R>,
  second: PartedBody<S, E, R>
): StepBody<S, E, R> => ({
  run: (state) => (isEnabled(first, state) ? runSideBySide(onFailure, [first, second], state) : second.run(state))
})
