/** Shows the stage of a pack on a terminal. */
import { Effect, Stdio } from "effect"
import type { Stage } from "../../domain/pack/PackReport.ts"
import * as Progress from "../review/Progress.ts"
import { canShowColour, isDumb, lineWidth } from "../system/terminal.ts"

export const withStages = <A, E, R>(run: (onStage: (stage: Stage) => Effect.Effect<void>) => Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const terminal = (yield* (yield* Stdio.Stdio).stderrIsTerminal) && !(yield* isDumb)
    const { record } = yield* Progress.make({
      terminal,
      colour: terminal && (yield* canShowColour),
      verbose: false,
      quiet: false,
      width: yield* lineWidth(terminal)
    })
    return yield* run((stage) => record({ _tag: "StepStarted", step: `pack: ${stage}` }))
  }).pipe(Effect.scoped)
