/** One git process: clean environment, fixed settings, a deadline, bounded output. */
import { Config, Context, Duration, Effect, Layer, Schema } from "effect"
import { type NotStarted, Subprocess } from "../system/Subprocess.ts"
import { GitFailed, GitMemoryExceeded, GitMissing, GitOutputTooLarge, GitTimedOut, ObjectMissing } from "./GitError.ts"
import { childEnvironment, filterEnvironment, globalArguments } from "./gitHardening.ts"

/** The time limit of one call. */
export const GitTimeout = Context.Reference<Duration.Input>("dd/services/GitTimeout", {
  defaultValue: () => "30 seconds"
})

export class GitTimeoutInvalid extends Schema.TaggedError<GitTimeoutInvalid>()("GitTimeoutInvalid", {
  value: Schema.String
}) {
  override get message() {
    return `${timeoutVariable} is "${this.value}"; set it to whole seconds from 1 to ${mostSeconds}, or unset it`
  }
}

const timeoutVariable = "DD_GIT_TIMEOUT"
const mostSeconds = 86_400

/** `GitTimeout` from the environment, in seconds. */
export const layerTimeout = Layer.effect(
  GitTimeout,
  Effect.gen(function* () {
    const value = yield* Effect.orDie(Config.String(timeoutVariable).pipe(Config.withDefault("")))
    if (value === "") return yield* GitTimeout
    const seconds = Number(value)
    if (!Number.isInteger(seconds) || seconds < 1 || seconds > mostSeconds)
      return yield* new GitTimeoutInvalid({ value })
    return Duration.seconds(seconds)
  })
)

/** The index file that git uses; null: the repository's own. Git gives the hook of a commit one of its own. */
export const GitIndex = Context.Reference<string | null>("dd/services/GitIndex", { defaultValue: () => null })

/** The output limit of one call, in bytes. */
export const GitMaxOutput = Context.Reference<number>("dd/services/GitMaxOutput", { defaultValue: () => 1 << 29 })

/**
 * The memory limit of one call, in bytes. A pack of a few hundred bytes can contain an object of gigabytes, and git
 * often unpacks all of it.
 */
export const GitMaxMemory = Context.Reference<number>("dd/services/GitMaxMemory", { defaultValue: () => 1 << 29 })

export interface GitStart {
  /** The working directory of git: the root of a working tree, or a bare repository. */
  readonly directory: string
  readonly bare: boolean
  /** Names of the filters to disable. */
  readonly filters: ReadonlyArray<string>
  readonly arguments: ReadonlyArray<string>
}

/** Where and how git is called for a repository. */
export interface GitPlace {
  /** The working tree with links resolved; null for a bare repository. */
  readonly root: string | null
  readonly gitDir: string
  readonly bare: boolean
  /** Names of the filters in its configuration. */
  readonly filters: ReadonlyArray<string>
}

export const callIn = ({ bare, filters, gitDir, root }: GitPlace, args: ReadonlyArray<string>): GitStart => ({
  directory: root ?? gitDir,
  bare,
  filters,
  arguments: args
})

interface GitInput {
  /** Standard input. */
  readonly input?: Uint8Array
  /** The output limit; absent: `GitMaxOutput`. */
  readonly maxBytes?: number
  /** Sees the output as it arrives. */
  readonly onOutput?: (chunk: Uint8Array) => void
}

interface GitCall extends GitStart, GitInput {}

export interface GitAnswer {
  readonly exitCode: number
  readonly stdout: Uint8Array
  readonly stderr: string
}

/** In bytes, for standard error. */
const maxStderr = 4000

export type GitCalls = Effect.Success<typeof makeGitCall>

export const makeGitCall = Effect.gen(function* () {
  const subprocess = yield* Subprocess
  const settings = Config.all({
    path: Config.String("PATH").pipe(Config.withDefault("")),
    home: Config.String("HOME").pipe(Config.withDefault(null))
  })
  const { path, home } = yield* Effect.orDie(settings)
  const index = yield* GitIndex
  const environment = { ...childEnvironment(path, home), ...(index === null ? {} : { GIT_INDEX_FILE: index }) }
  const maxMemory = yield* GitMaxMemory

  const started = ({ arguments: args, bare, directory, filters }: GitStart) => ({
    program: "git",
    arguments: [...(bare ? ["--bare"] : []), ...globalArguments(directory), ...args],
    directory,
    environment: { ...environment, ...filterEnvironment(filters) },
    maxMemory
  })

  const commandOf = (call: GitCall) => ({
    ...started(call),
    ...(call.input === undefined ? {} : { input: call.input })
  })

  const inTime = Effect.fnUntraced(function* <A>(call: GitCall, answer: Effect.Effect<A, NotStarted>) {
    const verb = verbOf(call.arguments)
    const timeout = yield* GitTimeout
    return yield* answer.pipe(
      Effect.mapError((cause) => notStarted(verb, cause)),
      Effect.timeoutOrElse({
        duration: timeout,
        orElse: () =>
          Effect.fail(
            new GitTimedOut({ command: verb, seconds: Duration.toSeconds(Duration.fromInputUnsafe(timeout)) })
          )
      })
    )
  })

  const run = Effect.fnUntraced(function* (call: GitCall) {
    const maxOutput = call.maxBytes ?? (yield* GitMaxOutput)
    const watched = call.onOutput === undefined ? {} : { onOutput: call.onOutput }
    const collecting = subprocess.collect({ ...commandOf(call), ...watched, maxOutput, maxStderr })
    const { stderr, exitCode, isCut, output } = yield* inTime(call, collecting)
    if (isCut) return yield* new GitOutputTooLarge({ command: verbOf(call.arguments), maxBytes: maxOutput })
    const answer: GitAnswer = { exitCode, stdout: output, stderr: decoder.decode(stderr) }
    return answer
  })

  /** Runs git in a repository; an exit code that is not accepted is a failure. */
  const ask = Effect.fnUntraced(function* (
    place: GitPlace,
    args: ReadonlyArray<string>,
    { accept = [], ...input }: GitInput & { readonly accept?: ReadonlyArray<number> } = {}
  ) {
    const answer = yield* run({ ...callIn(place, args), ...input })
    return answer.exitCode === 0 || accept.includes(answer.exitCode) ? answer : yield* callFailed(args, answer)
  })

  /** `each` receives standard output, which is not kept. */
  const stream = Effect.fnUntraced(function* (call: GitCall, each: (chunk: Uint8Array) => void) {
    let stderr = ""
    const decoder = new TextDecoder()
    const running = subprocess.run({
      ...commandOf(call),
      onOutput: (chunk) => {
        each(chunk)
        return true
      },
      onStderr: (chunk) => {
        if (stderr.length < maxStderr) stderr += decoder.decode(chunk, { stream: true })
      }
    })
    const exitCode = yield* inTime(call, running)
    const answer: GitAnswer = { exitCode, stdout: new Uint8Array(), stderr }
    return answer
  })

  const converse = (call: GitStart) => subprocess.converse(started(call))

  return { ask, run, stream, converse }
})

export const callFailed = (args: ReadonlyArray<string>, { exitCode, stderr }: GitAnswer) => {
  if (/out of memory|attempting to allocate|unable to generate diff/i.test(stderr))
    return new GitMemoryExceeded({ command: verbOf(args) })
  return (
    objectMissing(verbOf(args), stderr) ??
    new GitFailed({ command: verbOf(args), exitCode, stderr: stderr.trim().slice(0, 500) })
  )
}

/** The error for an object that this clone lacks; null for other failures. */
export const objectMissing = (command: string, stderr: string): ObjectMissing | null =>
  /lazy fetching|promisor|unable to read [0-9a-f]{7}|missing blob/.test(stderr) ? new ObjectMissing({ command }) : null

const decoder = new TextDecoder()

const verbOf = (args: ReadonlyArray<string>): string => args.find((word) => !word.startsWith("-")) ?? ""

const notStarted = (command: string, cause: NotStarted): GitMissing | GitFailed =>
  cause.missing
    ? new GitMissing({ cause })
    : new GitFailed({ command, exitCode: -1, stderr: String(cause.cause).slice(0, 500) })
