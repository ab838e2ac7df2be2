/**
 * Finds the command that runs the project's tests, and runs it.
 *
 * Running tests runs the code of the repository: the command gets a small environment without keys, no terminal and an
 * empty standard input, a time limit, and a sandbox if there is one. Everything it starts ends with it.
 */
import { Clock, Config, Context, Effect, FileSystem, Layer, Option, Path, Schema, type Scope } from "effect"
import { decidingFiles, projectFiles } from "../../domain/brief/runners/ProjectFiles.ts"
import { detectTests } from "../../domain/fix/detectTests.ts"
import { environmentalFault } from "../../domain/fix/environmentalFault.ts"
import { failingTests } from "../../domain/fix/failingTests.ts"
import { OutputEnds } from "../../domain/fix/OutputEnds.ts"
import type { TestCommand } from "../../domain/fix/TestCommand.ts"
import type { TestResult } from "../../domain/fix/TestResult.ts"
import { testEnvironment, testVariables } from "../../domain/fix/testEnvironment.ts"
import { originText, type Setting } from "../../domain/run/Setting.ts"
import { foldersAbove } from "../../domain/text/foldersAbove.ts"
import { printable } from "../../domain/text/Printable.ts"
import { Redactor } from "../secret/Redactor.ts"
import { EndGrace, Subprocess } from "../system/Subprocess.ts"
import { bringDependencies } from "./bringDependencies.ts"
import { findSandbox, noSandbox, type Sandbox } from "./testSandbox.ts"

export class NoTestCommand extends Schema.TaggedError<NoTestCommand>()("NoTestCommand", { reason: Schema.String }) {
  override get message() {
    return `${this.reason}; name the command with the setting test_command`
  }
}

export interface TestOptions {
  /** In seconds. */
  readonly timeout: number
  /** `on`: without a sandbox, tests do not run. */
  readonly sandbox: "auto" | "on" | "off"
  /** The root of the user's working tree. */
  readonly own: string
}

/** For one run. */
export interface OnceOptions {
  /** In seconds, if it is less than that of all runs. */
  readonly timeout?: number
  /** Additional variables. */
  readonly variables?: Readonly<Record<string, string>>
}

export class TestRunner extends Context.Service<
  TestRunner,
  {
    /**
     * `root`: of the tree to test. `given`: the setting `test_command`, which takes precedence. `changed`: relative paths;
     * their packages are tested.
     */
    readonly find: (
      root: string,
      given: Setting<string | null>,
      changed: ReadonlyArray<string>
    ) => Effect.Effect<TestCommand, NoTestCommand>
    /**
     * Only the exit code decides whether the tests passed. The first run in a tree copies the installed dependencies from
     * the user's tree.
     */
    readonly run: (command: TestCommand, root: string, once?: OnceOptions) => Effect.Effect<TestResult>
  }
>()("dd/services/fix/TestRunner") {
  static readonly layer = (options: TestOptions) =>
    Layer.effect(
      TestRunner,
      Effect.gen(function* () {
        const services = yield* Effect.context<
          FileSystem.FileSystem | Path.Path | Redactor | Scope.Scope | Subprocess
        >()
        const prepared = new Map<string, Prepared>()
        return TestRunner.of({
          find: Effect.fn("TestRunner.find")(find, Effect.provide(services)),
          run: Effect.fn("TestRunner.run")(
            (command, root, once = {}) =>
              run(
                {
                  ...options,
                  prepared,
                  variables: once.variables ?? {},
                  timeout: Math.min(options.timeout, once.timeout ?? options.timeout)
                },
                command,
                root
              ),
            Effect.provide(services)
          )
        })
      })
    )
}

const find = Effect.fnUntraced(function* (root: string, given: Setting<string | null>, changed: ReadonlyArray<string>) {
  if (given.value !== null) return { command: given.value, directory: "", from: originText(given.origin) }
  const paths = [...changed, ""]
  const present = yield* filesBeside(root, paths)
  const deciding = decidingFiles(paths, present)
  const texts = new Map<string, string>()
  for (const path of deciding.read) {
    const text = yield* readText(root, path)
    if (text !== null) texts.set(path, text)
  }
  const found = detectTests(changed, projectFiles(deciding, texts))
  if (found === null) return yield* new NoTestCommand({ reason: "nothing tells how the tests of this project are run" })
  return found
})

/** The folders of CI files, and that of `bin/rails`. */
const otherFolders = ["bin/", ".github/workflows/", ".circleci/"]

/** The files in the folders above these paths. */
const filesBeside = Effect.fnUntraced(function* (root: string, paths: ReadonlyArray<string>) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const folders = new Set([...otherFolders, ...paths.flatMap(foldersAbove)])
  const names = yield* Effect.forEach(folders, (folder) =>
    Effect.map(Effect.option(fs.readDirectory(path.join(root, folder))), (found) =>
      Option.getOrElse(found, (): Array<string> => []).map((name) => `${folder}${name}`)
    )
  )
  return names.flat().toSorted()
})

/** In bytes. */
const largestManifest = 1_000_000

const readText = Effect.fnUntraced(function* (root: string, path: string) {
  const fs = yield* FileSystem.FileSystem
  const place = (yield* Path.Path).join(root, path)
  const info = Option.getOrNull(yield* Effect.option(fs.stat(place)))
  if (info?.type !== "File" || Number(info.size) > largestManifest) return null
  return Option.getOrNull(yield* Effect.option(fs.readFileString(place)))
})

/** How much of the output is read for names and causes, in bytes: of its start, and of its end. */
const keptHead = 200_000
const keptTail = 1_000_000
/** How much of it is in the result, in characters. */
const shownTail = 30_000

/** How long a command has to end after it was asked to. */
const grace = "2 seconds"

interface RunOptions extends TestOptions {
  readonly prepared: Map<string, Prepared>
  readonly variables: Readonly<Record<string, string>>
}

/** What is known of a tree before its code runs for the first time. */
interface Prepared {
  /** The dependencies that could not be copied. */
  readonly missing: ReadonlyArray<string>
  readonly emptyHome: string | null
}

const prepare = Effect.fnUntraced(function* (own: string, root: string) {
  const prepared: Prepared = {
    missing: yield* bringDependencies(own, root),
    emptyHome: yield* makeEmptyHome(root)
  }
  return prepared
})

interface Ran {
  /** Null if the time limit was reached. */
  readonly exitCode: number | null
  readonly output: string
}

const run = Effect.fnUntraced(function* (options: RunOptions, command: TestCommand, root: string) {
  const paths = yield* Path.Path
  const redactor = yield* Redactor
  const directory = paths.join(root, command.directory)
  const started = yield* Clock.currentTimeMillis
  const prepared = options.prepared.get(root) ?? (yield* prepare(options.own, root))
  options.prepared.set(root, prepared)
  const { missing } = prepared
  const sandbox = yield* sandboxFor(options, root, directory, prepared)
  const result = (fields: Pick<TestResult, "outcome" | "reason"> & Partial<TestResult>) =>
    Effect.map(
      Clock.currentTimeMillis,
      (now): TestResult => ({
        exitCode: null,
        failing: null,
        fault: null,
        output: "",
        durationMs: now - started,
        sandbox: sandbox.name,
        ...fields
      })
    )
  if (options.sandbox === "on" && !sandbox.confines) {
    const reason = `test_sandbox is on, and there is no sandbox: ${sandbox.name}; install bubblewrap, or set it to auto`
    return yield* result({ outcome: "not-run", reason })
  }
  const ran = yield* Effect.result(execute(options, command.command, directory, sandbox, root))
  if (ran._tag === "Failure") {
    return yield* result({ outcome: "not-run", reason: `the tests could not be started: ${ran.failure.message}` })
  }
  const { exitCode } = ran.success
  // Paths of a temporary tree differ between runs.
  const output = printable(redactor.text(ran.success.output.replaceAll(`${root}/`, "")))
  const shown = { exitCode, output: output.slice(-shownTail) }
  if (exitCode === 0) return yield* result({ ...shown, outcome: "passed", reason: "" })
  if (exitCode === null) {
    const reason = `the tests did not end within ${options.timeout} seconds; test_timeout sets the limit`
    return yield* result({ ...shown, outcome: "timed-out", reason })
  }
  const failing = failingTests(output)
  const fault = environmentalFault(exitCode, output, failing?.length ?? 0)
  if (fault !== null) {
    const because = [
      fault.reason,
      ...(missing.length === 0 ? [] : [`not copied from your working tree: ${missing.join(", ")}`]),
      ...(sandbox.confines && ofSandbox.has(fault.kind)
        ? [`the tests ran without a network, in a sandbox (${sandbox.name}); the setting test_sandbox turns it off`]
        : [])
    ]
    const reason = because.join("; ")
    return yield* result({ ...shown, failing, outcome: "environment", fault: fault.kind, reason })
  }
  const count = failing === null ? "" : `, ${failing.length} failing`
  return yield* result({
    ...shown,
    failing,
    outcome: "failed",
    reason: `the tests failed: exit code ${exitCode}${count}`
  })
})

/** What the sandbox itself can be the cause of. */
const ofSandbox: ReadonlySet<string> = new Set(["service", "network", "permission", "command", "dependency"])

const execute = (options: RunOptions, line: string, directory: string, sandbox: Sandbox, root: string) =>
  Effect.gen(function* () {
    const subprocess = yield* Subprocess
    const output = new OutputEnds(keptHead, keptTail)
    const variables = yield* ownVariables
    const processes = yield* mostProcesses
    const limit = processes === null ? "" : limitProcesses(processes)
    const script = `${limit}${endsWithParent}exec 2>&1\n${line}`
    const [program = "", ...args] = sandbox.wrap(["/bin/sh", "-c", script])
    const places = yield* virtualEnvironments(directory, root)
    const moved = testEnvironment(variables, movedFrom(options.own, root))
    const exitCode = yield* Effect.gen(function* () {
      const { ended, next } = yield* subprocess.listen({
        program,
        arguments: args,
        directory,
        environment: {
          ...moved,
          ...(places.length === 0 ? {} : { PATH: [...places.map((place) => `${place}/bin`), moved.PATH].join(":") }),
          ...(yield* pythonPath(directory)),
          ...sandbox.variables,
          ...options.variables
        },
        input: new Uint8Array(),
        onStderr: (chunk) => output.push(chunk)
      })
      for (let chunk = yield* next; chunk !== null; chunk = yield* next) output.push(chunk)
      return yield* ended
    }).pipe(Effect.scoped, Effect.provideService(EndGrace, grace), Effect.timeoutOption(options.timeout * 1000))
    const ran: Ran = { exitCode: Option.getOrNull(exitCode), output: output.text() }
    return ran
  })

const ownVariables = Effect.gen(function* () {
  const set = new Map<string, string>()
  for (const name of testVariables) {
    const value = Option.getOrNull(yield* Effect.orDie(Config.option(Config.String(name))))
    if (value !== null) set.set(name, value)
  }
  return set
})

/** Of a Python project, in the tested tree. */
const virtualEnvironments = Effect.fnUntraced(function* (directory: string, root: string) {
  const paths = yield* Path.Path
  const places = new Set([directory, root].flatMap((place) => [paths.join(place, ".venv"), paths.join(place, "venv")]))
  return yield* Effect.filter(places, (place) => exists(paths.join(place, "bin", "python")))
})

/**
 * The tested modules come before those of the same name that are installed, for example as a link to the user's tree.
 */
const pythonPath = Effect.fnUntraced(function* (directory: string) {
  const paths = yield* Path.Path
  const isPython = yield* Effect.filter(["pyproject.toml", "setup.py", "setup.cfg"], (name) =>
    exists(paths.join(directory, name))
  )
  if (isPython.length === 0) return {}
  const source = paths.join(directory, "src")
  return { PYTHONPATH: (yield* exists(source)) ? `${source}:${directory}` : directory }
})

const exists = (path: string) =>
  FileSystem.FileSystem.use((fs) => Effect.map(Effect.option(fs.stat(path)), Option.isSome))

/** A place in the user's tree becomes the same place in the tested one. */
const movedFrom = (own: string, root: string) => (path: string) =>
  path === own || path.startsWith(`${own}/`) ? `${root}${path.slice(own.length)}` : path

/** By the options of bash and of dash. */
const limitProcesses = (most: number): string => `ulimit -u ${most} 2>/dev/null || ulimit -p ${most} 2>/dev/null\n`

/**
 * Kills the process group of the command when dd has been killed and cannot. Its own parent is init, so that the command
 * does not wait for it.
 */
const endsWithParent =
  '( (while kill -0 "$PPID" 2>/dev/null; do sleep 1; done; kill -KILL 0) </dev/null >/dev/null 2>&1 & )\n'

/** How many processes a command may add to those of the system. */
const addedProcesses = 4_096

/** The limit counts all processes and threads of the user. Null where their number is not known. */
const mostProcesses = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const load = Option.getOrElse(yield* Effect.option(fs.readFileString("/proc/loadavg")), () => "")
  const running = /^\S+ \S+ \S+ \d+\/(\d+) /.exec(load)?.[1]
  return running === undefined ? null : Number(running) + addedProcesses
})

/**
 * Takes the place of the home directory in a sandbox, so that caches are kept between runs; null if it could not be
 * made. It is beside the tree, whose directory dd also removes after a kill.
 */
const makeEmptyHome = Effect.fnUntraced(function* (root: string) {
  const fs = yield* FileSystem.FileSystem
  const made = Effect.acquireRelease(
    Effect.as(fs.makeDirectory(`${root}.home`, { mode: 0o700 }), `${root}.home`),
    (home) => Effect.option(fs.remove(home, { recursive: true, force: true }))
  )
  return Option.getOrNull(yield* Effect.option(Effect.flatMap(made, fs.realPath)))
})

const sandboxFor = Effect.fnUntraced(function* (
  options: RunOptions,
  root: string,
  directory: string,
  { emptyHome }: Prepared
) {
  const fs = yield* FileSystem.FileSystem
  if (options.sandbox === "off") return noSandbox("test_sandbox is off")
  if (emptyHome === null) return noSandbox("no directory could be made for it")
  const real = (path: string) =>
    Effect.map(
      Effect.option(fs.realPath(path)),
      Option.getOrElse(() => path)
    )
  const home = (yield* ownVariables).get("HOME") ?? ""
  const isHome = Option.map(yield* Effect.option(fs.stat(home)), ({ type }) => type === "Directory" && home !== "/")
  return yield* findSandbox({
    tree: yield* real(root),
    home: Option.contains(isHome, true) ? yield* real(home) : null,
    emptyHome,
    directory: yield* real(directory)
  })
})
