/**
 * Git calls that reach a remote, as the user's own git would: with the user's settings and credentials. Hooks do not run.
 *
 * Settings in the repository itself that name a program must be refused, because they come with the repository: ask
 * `programIn` first.
 */
import { Config, Effect } from "effect"
import { oneLine } from "../../domain/text/Printable.ts"
import { Subprocess } from "../system/Subprocess.ts"
import { makeGitCall } from "./gitCall.ts"
import { childEnvironment } from "./gitHardening.ts"
import { nulTexts } from "./gitOutput.ts"
import type { Repository } from "./openRepository.ts"

export const makeGitRemote = Effect.gen(function* () {
  const { ask } = yield* makeGitCall
  const subprocess = yield* Subprocess
  const variable = (name: string) => Effect.orDie(Config.String(name).pipe(Config.withDefault("")))
  const inherited: Record<string, string> = {}
  for (const name of inheritedNames) {
    const value = yield* variable(name)
    if (value !== "") inherited[name] = value
  }
  const home = yield* variable("HOME")
  const { GIT_ALLOW_PROTOCOL: _, ...environment } = childEnvironment(yield* variable("PATH"), home || null)

  /** Values by key; of a key with several, the last. */
  const settings = Effect.fnUntraced(function* (repository: Repository, scope: string, pattern: string) {
    const args = ["config", ...(scope === "" ? [] : [scope]), "--includes", "-z", "--get-regexp", pattern]
    const { stdout } = yield* ask(repository, args, { accept: [1, 128] })
    return new Map(
      nulTexts(stdout).map((entry) => {
        const end = entry.indexOf("\n")
        return end < 0 ? ([entry, ""] as const) : ([entry.slice(0, end), entry.slice(end + 1)] as const)
      })
    )
  })

  /** A setting of the repository itself that names a program or an address; null if there is none. */
  const programIn = Effect.fnUntraced(function* (repository: Repository) {
    for (const scope of ["--local", "--worktree"]) {
      const [program] = (yield* settings(repository, scope, programs)).keys()
      if (program !== undefined) return oneLine(program)
    }
    return null
  })

  const call = Effect.fnUntraced(function* (
    { gitDir, root }: Repository,
    own: ReadonlyArray<string>,
    args: ReadonlyArray<string>
  ) {
    const directory = root ?? gitDir
    const ended = yield* subprocess.collect({
      program: "git",
      arguments: [
        "--no-pager",
        ...[...remoteSettings, ...own, `safe.directory=${directory}`].flatMap((setting) => ["-c", setting]),
        ...args
      ],
      directory,
      environment: { ...environment, ...inherited, GIT_ALLOW_PROTOCOL: "file:git:http:https:ssh" },
      maxOutput: mostOutput,
      maxStderr: mostOutput
    })
    const lines = [ended.output, ended.stderr].flatMap((bytes) => new TextDecoder().decode(bytes).split("\n"))
    return { exitCode: ended.exitCode, lines }
  })

  return { settings, programIn, call }
})

/** In bytes. */
const mostOutput = 20_000

const remoteSettings: ReadonlyArray<string> = ["core.hooksPath=/dev/null", "core.fsmonitor=false"]

/** By which git and ssh find the user's settings, agent and keyring; none is a secret. */
const inheritedNames = [
  "XDG_CONFIG_HOME",
  "SSH_AUTH_SOCK",
  "XDG_RUNTIME_DIR",
  "DBUS_SESSION_BUS_ADDRESS",
  "HTTPS_PROXY",
  "https_proxy",
  "NO_PROXY",
  "no_proxy"
]

/** Settings that name a program, or send the commit elsewhere. */
const programs =
  "^(core\\.(sshcommand|askpass|gitproxy)|credential\\.(.*\\.)?helper|remote\\..*\\.(receivepack|uploadpack|vcs|pushurl)|url\\..*\\.(push)?insteadof|push\\.pushoption)$"

/** What git prints on a refused branch, else its first error. */
export const reasonIn = (lines: ReadonlyArray<string>): string => {
  const known = [/^!.*\t(\[.*)$/, /^(?:remote: )?(?:fatal|error): (.*)$/, /^(.*\S.*)$/]
  for (const pattern of known) {
    const found = lines.flatMap((line) => pattern.exec(line)?.[1] ?? [])[0]
    if (found !== undefined) return oneLine(found).slice(0, 300)
  }
  return "it printed nothing"
}
