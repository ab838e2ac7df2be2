/**
 * One git process, from its arguments to its answer: clean environment, fixed settings, a deadline, bounded output.
 *
 * Any exit status is an answer here; `callFailed` turns one into an error.
 */
import { Config, Context, Duration, Effect, Stream } from "effect"
import type { PlatformError } from "effect/PlatformError"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { concatBytes } from "../domain/concatBytes.ts"
import { GitFailed, GitMissing, GitOutputTooLarge, GitTimedOut, ObjectMissing } from "./GitError.ts"
import { childEnvironment, filterEnvironment, globalArguments } from "./gitHardening.ts"

/** How long one call may take. */
export const GitTimeout = Context.Reference<Duration.Input>("dd/services/GitTimeout", {
  defaultValue: () => "30 seconds"
})

/** How much one call may print, in bytes. */
export const GitMaxOutput = Context.Reference<number>("dd/services/GitMaxOutput", { defaultValue: () => 1 << 29 })

export interface GitCall {
  /** Where git runs: a working tree's root, or a bare repository. */
  readonly directory: string
  readonly bare: boolean
  /** Names of the filters to switch off. */
  readonly filters: ReadonlyArray<string>
  readonly arguments: ReadonlyArray<string>
  /** Standard input. */
  readonly input?: Uint8Array
  /** Takes standard output as it comes; nothing of it is kept then. */
  readonly each?: (chunk: Uint8Array) => void
}

export interface GitAnswer {
  readonly exitCode: number
  readonly stdout: Uint8Array
  readonly stderr: string
}

/** Enough for every message worth showing. */
const maxComplaint = 4000

export const makeGitCall = Effect.gen(function* () {
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  // Unset is not a failure: a container may have no HOME, and without PATH git is simply missing.
  const settings = Config.all({
    path: Config.String("PATH").pipe(Config.withDefault("")),
    home: Config.String("HOME").pipe(Config.withDefault(null))
  })
  const { path, home } = yield* Effect.orDie(settings)
  const environment = childEnvironment(path, home)

  return Effect.fnUntraced(function* (call: GitCall) {
    const verb = verbOf(call.arguments)
    const timeout = yield* GitTimeout
    const maxBytes = yield* GitMaxOutput
    const command = ChildProcess.make(
      "git",
      [...(call.bare ? ["--bare"] : []), ...globalArguments(call.directory), ...call.arguments],
      {
        cwd: call.directory,
        env: { ...environment, ...filterEnvironment(call.filters) },
        extendEnv: false,
        stdin: call.input === undefined ? "ignore" : Stream.make(call.input),
        forceKillAfter: "1 second"
      }
    )
    const chunks: Array<Uint8Array> = []
    let kept = 0
    const keep = (chunk: Uint8Array) =>
      Effect.suspend(() => {
        kept += chunk.length
        if (kept > maxBytes) return Effect.fail(new GitOutputTooLarge({ command: verb, maxBytes }))
        chunks.push(chunk)
        return Effect.void
      })
    const each = call.each
    const take = each === undefined ? keep : (chunk: Uint8Array) => Effect.sync(() => each(chunk))
    let stderr = ""
    const decoder = new TextDecoder()
    const listen = (chunk: Uint8Array) =>
      Effect.sync(() => {
        if (stderr.length < maxComplaint) stderr += decoder.decode(chunk, { stream: true })
      })
    const exitCode = yield* spawner.spawn(command).pipe(
      Effect.flatMap((child) =>
        Effect.all([child.exitCode, Stream.runForEach(child.stdout, take), Stream.runForEach(child.stderr, listen)], {
          concurrency: 3
        })
      ),
      Effect.map(([code]) => Number(code)),
      Effect.scoped,
      Effect.catchTag("PlatformError", (cause) => Effect.fail(notStarted(verb, cause))),
      Effect.timeoutOrElse({
        duration: timeout,
        orElse: () =>
          Effect.fail(
            new GitTimedOut({ command: verb, seconds: Duration.toSeconds(Duration.fromInputUnsafe(timeout)) })
          )
      })
    )
    const answer: GitAnswer = { exitCode, stdout: concatBytes(chunks), stderr }
    return answer
  })
})

export const callFailed = (args: ReadonlyArray<string>, { exitCode, stderr }: GitAnswer) =>
  /lazy fetching|promisor|unable to read [0-9a-f]{7}|missing blob/.test(stderr)
    ? new ObjectMissing({ command: verbOf(args) })
    : new GitFailed({ command: verbOf(args), exitCode, stderr: stderr.trim().slice(0, 500) })

const verbOf = (args: ReadonlyArray<string>): string => args.find((word) => !word.startsWith("-")) ?? ""

const notStarted = (command: string, cause: PlatformError): GitMissing | GitFailed => {
  const { reason } = cause
  return reason._tag === "NotFound" && reason.module === "ChildProcess"
    ? new GitMissing({ cause })
    : new GitFailed({ command, exitCode: -1, stderr: cause.message.slice(0, 500) })
}
