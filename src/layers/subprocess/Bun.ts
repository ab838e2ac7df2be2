/**
 * Processes by `Bun.spawn`: measured, a call costs a third of what Node's streams make of it, and dd asks git a dozen
 * times before its first word.
 */
import { Effect, Layer } from "effect"
import { type Command, type Conversation, NotStarted, type Start, Subprocess } from "../../services/Subprocess.ts"
import { exitCodeOf, isMissing } from "./child.ts"
import { listen } from "./group.ts"

/** Between asking a program to end and ending it. */
const patience = "1 second"

/** How long an interruption that has reached a program already may take to reach dd. */
const grace = "500 millis"

export const layer: Layer.Layer<Subprocess> = Layer.succeed(Subprocess, {
  run: (command) =>
    Effect.acquireUseRelease(
      start(command, command.input ?? "ignore"),
      (child) =>
        Effect.promise(() => finished(child, command)).pipe(
          Effect.tap(({ refused }) => (refused ? Effect.void : interruptedWith(child))),
          Effect.map(({ code }) => code)
        ),
      ended
    ),
  converse: (command) => Effect.map(Effect.acquireRelease(start(command, "pipe"), ended), conversationWith),
  listen
})

type Child<Input extends Uint8Array | "ignore" | "pipe"> = Bun.Subprocess<Input, "pipe", "pipe">

const start = <Input extends Uint8Array | "ignore" | "pipe">(
  { arguments: args, directory, environment, program }: Start,
  input: Input
) =>
  Effect.try({
    try: (): Child<Input> =>
      Bun.spawn([program, ...args], {
        cwd: directory,
        env: environment,
        stdin: input,
        stdout: "pipe",
        stderr: "pipe"
      }),
    catch: (cause) => new NotStarted({ program, missing: isMissing(cause, program), cause })
  })

const conversationWith = (child: Child<"pipe">): Conversation => {
  const output = child.stdout.getReader()
  // A pipe that nobody reads would stop the program.
  child.stderr.pipeTo(new WritableStream()).catch(() => undefined)
  // @effect-diagnostics-next-line asyncFunction:off
  const exchange = async (input: Uint8Array, heard: (chunk: Uint8Array) => boolean): Promise<boolean> => {
    try {
      // Not awaited: the program may have to be listened to before it takes the rest. A pipe that breaks is seen below.
      for (const sent of [child.stdin.write(input), child.stdin.flush()]) {
        void Promise.resolve(sent).catch(() => undefined)
      }
      for (;;) {
        const { done, value } = await output.read()
        if (done) return false
        if (heard(value)) return true
      }
    } catch {
      // Its input is closed: it has ended.
      return false
    }
  }
  return {
    exchange: (input, heard) =>
      Effect.promise(() => exchange(input, heard)).pipe(
        Effect.tap((isAnswered) => (isAnswered ? Effect.void : interruptedWith(child)))
      )
  }
}

/**
 * A terminal's Ctrl-C goes to a program and to dd, and the program may be the first to end: that is no failure of the
 * program, so its end is not told before dd has had the time to be interrupted itself.
 */
const interruptedWith = (child: Child<Uint8Array | "ignore" | "pipe">) =>
  child.signalCode === "SIGINT" || child.signalCode === "SIGTERM" ? Effect.sleep(grace) : Effect.void

// Plain promises: the streams are Bun's own, and nothing here can be interrupted but the child itself.
// @effect-diagnostics-next-line asyncFunction:off
const finished = async (child: Child<Uint8Array | "ignore">, { onComplaint, onOutput }: Command) => {
  let refused = false
  // @effect-diagnostics-next-line asyncFunction:off
  const read = async () => {
    for await (const chunk of child.stdout) {
      if (onOutput(chunk)) continue
      refused = true
      return child.kill()
    }
  }
  // @effect-diagnostics-next-line asyncFunction:off
  const listen = async () => {
    for await (const chunk of child.stderr) onComplaint(chunk)
  }
  await Promise.all([read(), listen(), child.exited])
  return { code: exitCodeOf(child), refused }
}

const ended = (child: Child<Uint8Array | "ignore" | "pipe">) =>
  Effect.suspend(() => {
    if (child.exitCode !== null || child.signalCode !== null) return Effect.void
    child.kill("SIGTERM")
    return Effect.promise(() => child.exited).pipe(
      Effect.timeoutOrElse({
        duration: patience,
        orElse: () => {
          child.kill("SIGKILL")
          return Effect.promise(() => child.exited)
        }
      })
    )
  })
