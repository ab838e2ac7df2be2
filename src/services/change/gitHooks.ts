/** Where git looks for the hooks of a repository. */
import { Effect, Path } from "effect"
import type { GitCalls } from "./gitCall.ts"
import type { Repository } from "./openRepository.ts"

/** `scope`: the settings file with `core.hooksPath`; null: it is not set. */
export interface HooksDirectory {
  readonly path: string
  /** Where it is unless `core.hooksPath` is set; all working trees share it. */
  readonly own: string
  readonly scope: "local" | "worktree" | "global" | "system" | null
}

export const makeGitHooks = ({ ask }: Pick<GitCalls, "ask">) => {
  const hooksDirectory = Effect.fn("Git.hooksDirectory")(function* (repository: Repository) {
    const paths = yield* Path.Path
    const base = repository.root ?? repository.gitDir
    const common = yield* ask(repository, ["rev-parse", "--git-common-dir"])
    const own = paths.resolve(base, decode(common.stdout).replace(/\n$/, ""), "hooks")
    const args = ["config", "--show-scope", "-z", "--type=path", "--get-all", "core.hooksPath"]
    const { stdout } = yield* ask(repository, args, { accept: [1] })
    // dd's own setting is of the scope `command`.
    const fields = decode(stdout).split("\0")
    const set = fields.flatMap((scope, at) =>
      at % 2 === 0 && isScope(scope) ? [{ scope, path: fields[at + 1] ?? "" }] : []
    )
    const last = set.at(-1)
    const found: HooksDirectory =
      last === undefined
        ? { path: own, own, scope: null }
        : // Git reads an empty path as the root of the file system.
          { path: paths.resolve(base, last.path || "/"), own, scope: last.scope }
    return found
  })
  return { hooksDirectory }
}

const scopes = ["local", "worktree", "global", "system"] as const
const isScope = (name: string): name is (typeof scopes)[number] => scopes.some((scope) => scope === name)

const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)
