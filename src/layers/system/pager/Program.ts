/** `$PAGER`, else `less`, with colours, and gone at once when the text fits on the screen. */
import { Effect, Layer } from "effect"
import { Pager } from "../../../services/system/Pager.ts"
import { isTerminal } from "../terminal.ts"

/** How a shell says that there is no such program. */
const notThere = 127

export const layer = Layer.succeed(
  Pager,
  Pager.of({
    show: (text) => {
      const { PAGER, TERM } = process.env
      const program = PAGER ?? "less"
      if (!isTerminal(1) || TERM === "dumb" || program === "" || program === "cat") return Effect.succeed(false)
      return Effect.promise(() => {
        const child = Bun.spawn(["sh", "-c", program], {
          // What less is told by others stands.
          env: { LESS: "FRX", ...process.env },
          stdin: new Blob([text]),
          stdout: "inherit",
          stderr: "ignore"
        })
        return child.exited.then((code) => code !== notThere)
        // An interruption is meant for the pager, which knows what to do with it.
      }).pipe(Effect.uninterruptible)
    }
  })
)
