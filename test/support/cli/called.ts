/** Runs a command through its parser in a directory, with an environment, and gives what it prints and how it fails. */
import {
  Cause,
  ConfigProvider,
  Console,
  Effect,
  Exit,
  Layer,
  Logger,
  Option,
  Queue,
  Sink,
  Stdio,
  Terminal
} from "effect"
import { Command } from "effect/cli"
import * as Platform from "../../../src/layers/system/Platform.ts"

interface Place {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** What the user types on a terminal; null: there is none. */
  readonly keys?: ReadonlyArray<string> | null
}

export const called = Effect.fnUntraced(function* <Name extends string, Input, ContextInput, E, R>(
  command: Command.Command<Name, Input, ContextInput, E, R>,
  args: ReadonlyArray<string>,
  { cwd, env, keys = null }: Place
) {
  let out = ""
  const take = (chunk: string | Uint8Array) =>
    Effect.sync(() => {
      out += typeof chunk === "string" ? chunk : new TextDecoder().decode(chunk)
    })
  const isTerminal = Effect.succeed(keys !== null)
  const stdio = Stdio.layerTest({
    stdout: () => Sink.forEach(take),
    stdinIsTerminal: isTerminal,
    stdoutIsTerminal: isTerminal
  })
  const printed: Console.Console = Object.assign(Object.create(console), {
    log: (...words: ReadonlyArray<unknown>) => {
      out += `${words.join(" ")}\n`
    }
  })
  const before = process.cwd()
  process.chdir(cwd)
  const dd = Command.make("dd").pipe(Command.withSubcommands([command]))
  const exit = yield* Effect.exit(Command.runWith(dd, { version: "0", renderErrors: false })(args)).pipe(
    Effect.provide(Layer.mergeAll(Platform.layer, stdio, Logger.layer([])).pipe(Layer.merge(typing(keys ?? [])))),
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env })),
    Effect.provideService(Console.Console, printed),
    Effect.ensuring(Effect.sync(() => process.chdir(before)))
  )
  const error = Exit.isFailure(exit) ? Cause.squash(exit.cause) : null
  return { out, error: error instanceof Error ? error.message : null }
})

/** A terminal whose user types these keys and closes it. */
const typing = (keys: ReadonlyArray<string>) =>
  Layer.sync(Terminal.Terminal, () =>
    Terminal.make({
      columns: Effect.succeed(80),
      rows: Effect.succeed(24),
      size: Effect.die("not used"),
      readInput: Effect.gen(function* () {
        const queue = yield* Queue.make<Terminal.UserInput, Cause.Done>()
        for (const name of keys) {
          yield* Queue.offer(queue, { input: Option.some(name), key: { name, ctrl: false, meta: false, shift: false } })
        }
        yield* Queue.end(queue)
        return queue
      }),
      readLine: Effect.die("not used"),
      display: () => Effect.void
    })
  )
