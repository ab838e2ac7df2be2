/**
 * One git process, from its arguments to its answer: clean environment, fixed settings, a deadline, bounded output.
 *
 * Any exit status is an answer here; `callFailed` turns one into an error.
 */
import { Config, Context, Duration, Effect } from "effect"
import { concatBytes } from "../domain/concatBytes.ts"
import { GitFailed, GitMissing, GitOutputTooLarge, GitTimedOut, ObjectMissing } from "./GitError.ts"
import { childEnvironment, filterEnvironment, globalArguments } from "./gitHardening.ts"
import { type NotStarted, Subprocess } from "./Subprocess.ts"

/** How long one call may take. */
export const GitTimeout = Context.Reference<Duration.Input>("dd/services/GitTimeout", {
  defaultValue: () => "30 seconds"
})

/** How much one call may print, in bytes. */
export const GitMaxOutput = Context.Reference<number>("dd/services/GitMaxOutput", { defaultValue: () => 1 << 29 })

export interface GitStart {
  /** Where git runs: a working tree's root, or a bare repository. */
  readonly directory: string
  readonly bare: boolean
  /** Names of the filters to switch off. */
  readonly filters: ReadonlyArray<string>
  readonly arguments: ReadonlyArray<string>
}

export interface GitCall extends GitStart {
  /** Standard input. */
  readonly input?: Uint8Array
  /** Takes standard output as it comes; nothing of it is kept then. */
  readonly each?: (chunk: Uint8Array) => void
  /** Output that is kept, at most; else `GitMaxOutput`. */
  readonly maxBytes?: number
}

export interface GitAnswer {
  readonly exitCode: number
  readonly stdout: Uint8Array
  readonly stderr: string
}

/** Enough for every message worth showing. */
const maxComplaint = 4000

export const makeGitCall = Effect.gen(function* () {
  const subprocess = yield* Subprocess
  // Unset is not a failure: a container may have no HOME, and without PATH git is simply missing.
  const settings = Config.all({
    path: Config.String("PATH").pipe(Config.withDefault("")),
    home: Config.String("HOME").pipe(Config.withDefault(null))
  })
  const { path, home } = yield* Effect.orDie(settings)
  const environment = childEnvironment(path, home)

  const started = ({ arguments: args, bare, directory, filters }: GitStart) => ({
    program: "git",
    arguments: [...(bare ? ["--bare"] : []), ...globalArguments(directory), ...args],
    directory,
    environment: { ...environment, ...filterEnvironment(filters) }
  })

  const run = Effect.fnUntraced(function* (call: GitCall) {
    const verb = verbOf(call.arguments)
    const timeout = yield* GitTimeout
    const maxBytes = call.maxBytes ?? (yield* GitMaxOutput)
    const chunks: Array<Uint8Array> = []
    let kept = 0
    const keep = (chunk: Uint8Array) => {
      kept += chunk.length
      if (kept > maxBytes) return false
      chunks.push(chunk)
      return true
    }
    const each = call.each
    const pass = (chunk: Uint8Array) => {
      each?.(chunk)
      return true
    }
    let stderr = ""
    const decoder = new TextDecoder()
    const exitCode = yield* subprocess
      .run({
        ...started(call),
        ...(call.input === undefined ? {} : { input: call.input }),
        onOutput: each === undefined ? keep : pass,
        onComplaint: (chunk) => {
          if (stderr.length < maxComplaint) stderr += decoder.decode(chunk, { stream: true })
        }
      })
      .pipe(
        Effect.mapError((cause) => notStarted(verb, cause)),
        Effect.timeoutOrElse({
          duration: timeout,
          orElse: () =>
            Effect.fail(
              new GitTimedOut({ command: verb, seconds: Duration.toSeconds(Duration.fromInputUnsafe(timeout)) })
            )
        })
      )
    if (kept > maxBytes) return yield* new GitOutputTooLarge({ command: verb, maxBytes })
    const answer: GitAnswer = { exitCode, stdout: concatBytes(chunks), stderr }
    return answer
  })

  const converse = (call: GitStart) => subprocess.converse(started(call))

  return { run, converse }
})

export const callFailed = (args: ReadonlyArray<string>, { exitCode, stderr }: GitAnswer) =>
  /lazy fetching|promisor|unable to read [0-9a-f]{7}|missing blob/.test(stderr)
    ? new ObjectMissing({ command: verbOf(args) })
    : new GitFailed({ command: verbOf(args), exitCode, stderr: stderr.trim().slice(0, 500) })

const verbOf = (args: ReadonlyArray<string>): string => args.find((word) => !word.startsWith("-")) ?? ""

const notStarted = (command: string, cause: NotStarted): GitMissing | GitFailed =>
  cause.missing
    ? new GitMissing({ cause })
    : new GitFailed({ command, exitCode: -1, stderr: String(cause.cause).slice(0, 500) })
