/**
 * Runs a test command in a sandbox, if there is one: bubblewrap on Linux, `sandbox-exec` on macOS. Both are only taken
 * from directories of the system, where the repository could not have put them.
 */
import { Effect, FileSystem, Option } from "effect"
import { bubblewrapArguments, type Confined, offline, sandboxProfile } from "../../domain/fix/sandbox.ts"
import { oneLine } from "../../domain/text/Printable.ts"
import { Subprocess } from "../system/Subprocess.ts"

/** Without a sandbox, the name has the reason and the command is unchanged. */
export interface Sandbox {
  /** For people. */
  readonly name: string
  readonly confines: boolean
  /** The program and its arguments. */
  readonly wrap: (command: ReadonlyArray<string>) => ReadonlyArray<string>
  /** Additional variables. */
  readonly variables: Readonly<Record<string, string>>
}

const places = ["/usr/bin", "/usr/local/bin", "/bin", "/run/current-system/sw/bin"]
const longestReason = 200

/** Finds a sandbox that works here. */
export const findSandbox = Effect.fnUntraced(function* (confined: Confined) {
  const fs = yield* FileSystem.FileSystem
  for (const place of places) {
    for (const [program, sandbox] of [
      [`${place}/bwrap`, bubblewrap],
      [`${place}/sandbox-exec`, sandboxExec]
    ] as const) {
      if (Option.isSome(yield* Effect.option(fs.stat(program))))
        return yield* tried(sandbox(program, confined), confined)
    }
  }
  return noSandbox("no bubblewrap (bwrap) or sandbox-exec is installed")
})

const bubblewrap = (program: string, confined: Confined): Sandbox => ({
  name: "bubblewrap",
  confines: true,
  wrap: (command) => [program, ...bubblewrapArguments(confined), ...command],
  variables: { ...offline, TMPDIR: "/tmp" }
})

const sandboxExec = (program: string, confined: Confined): Sandbox => ({
  name: "sandbox-exec",
  confines: true,
  wrap: (command) => [program, "-p", sandboxProfile(confined), ...command],
  variables: { ...offline, XDG_CACHE_HOME: confined.emptyHome, GOCACHE: `${confined.emptyHome}/go-build` }
})

export const noSandbox = (reason: string): Sandbox => ({
  name: `none (${reason})`,
  confines: false,
  wrap: (command) => command,
  variables: {}
})

/** A system may forbid what the sandbox needs, such as user namespaces. */
const tried = Effect.fnUntraced(function* (sandbox: Sandbox, { directory }: Confined) {
  const [program = "", ...args] = sandbox.wrap(["/bin/sh", "-c", ":"])
  const subprocess = yield* Subprocess
  const environment = { PATH: "/usr/bin:/bin" }
  const ended = yield* subprocess
    .collect({ program, arguments: args, directory, environment, maxOutput: 4_000, maxStderr: 4_000 })
    .pipe(
      Effect.map(({ exitCode, stderr }) => ({ exitCode, words: new TextDecoder().decode(stderr) })),
      Effect.catchTag("NotStarted", ({ message }) => Effect.succeed({ exitCode: 1, words: message }))
    )
  if (ended.exitCode === 0) return sandbox
  return noSandbox(`${sandbox.name} does not work here (${oneLine(ended.words).slice(0, longestReason)})`)
})
