/** `$PAGER`, else `less`, with colours; it exits at once if the text fits on the screen. */
import { Effect, Layer } from "effect"
import { Pager } from "../../../services/system/Pager.ts"
import { isTerminal } from "../terminal.ts"

/** The exit code of a shell that does not find the program. */
const programMissing = 127

export const layer = Layer.succeed(
  Pager,
  Pager.of({
    show: (text) => {
      const { PAGER, TERM } = process.env
      const program = PAGER ?? "less"
      if (!isTerminal(1) || TERM === "dumb" || program === "" || program === "cat") return Effect.succeed(false)
      return Effect.promise(() => {
        const child = Bun.spawn(["sh", "-c", program], {
          // LESS in the environment takes precedence.
          env: { LESS: "FRX", ...process.env },
          stdin: new Blob([text]),
          stdout: "inherit",
          stderr: "ignore"
        })
        return child.exited.then((code) => code !== programMissing)
        // The pager handles interruptions itself.
      }).pipe(Effect.uninterruptible)
    }
  })
)
