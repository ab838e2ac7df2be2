/** The pull request on GitHub that findings are posted to. */
import { Config, Effect, type FileSystem, type Layer, Option, type Path } from "effect"
import type { Selection } from "../../domain/change/Change.ts"
import { remoteHost, repoSlug } from "../../domain/change/remote/repoSlug.ts"
import { Changes } from "../../services/change/Changes.ts"
import { Git } from "../../services/change/Git.ts"
import type { Forge } from "../../services/forge/Forge.ts"
import type { ForgeError } from "../../services/forge/ForgeError.ts"
import { UsageWrong } from "../review/reviewFlags.ts"

type ForgeLayer = Layer.Layer<Forge, ForgeError, FileSystem.FileSystem | Path.Path>

/** Where to post. */
export interface Target {
  /** `owner/name`; null for files. */
  readonly name: string | null
  readonly forge: ForgeLayer
}

export interface Caller {
  /** A path in the clone. */
  readonly place: string
  /** Whose help explains what is wrong. */
  readonly command: "post" | "feedback"
}

const byPost: Caller = { place: ".", command: "post" }

/** `repo`: as the user named it. */
export const gitHubTarget = Effect.fnUntraced(function* (repo: Option.Option<string>, number: number, by = byPost) {
  const { forge, name } = yield* gitHubRepository(repo, by)
  return { name, forge: forge(number) }
})

/** All pull requests of a repository, with one token. */
export const gitHubRepository = Effect.fnUntraced(function* (repo: Option.Option<string>, by = byPost) {
  return yield* gitHubForge(yield* repositoryOf(repo, by), by)
})

const wrongIn =
  ({ command }: Pick<Caller, "command">) =>
  (reason: string) =>
    new UsageWrong({ reason, command })

/** The commit that is checked out is the head. `base`: that of the review; absent: the parent of the head. */
export const filesForge = Effect.fnUntraced(function* (
  directory: string,
  { base, number }: { readonly base: string | undefined; readonly number: number },
  { command, place }: Caller = byPost
) {
  const Files = yield* Effect.promise(() => import("../../layers/forge/Files.ts"))
  const repository = yield* Git.use((git) => git.open(place))
  const head = repository.head.sha
  if (head === null) return yield* wrongIn({ command })("the repository has no commit")
  const isCommit = base !== undefined && /^[0-9a-f]{40,64}$/.test(base)
  const selection: Selection = isCommit ? { _tag: "Branch", branch: head, base } : { _tag: "Commit", commit: head }
  const change = yield* Changes.use((changes) => changes.resolve(repository, selection))
  const baseSha = change.base._tag === "Commit" ? change.base.sha : ""
  const pullRequest = { number, state: "open", author: null, baseSha, headSha: head, mergedAt: null } as const
  const target: Target = { name: null, forge: Files.layer({ directory, diff: change.diff, pullRequest }) }
  return target
})

interface RepositoryName {
  readonly owner: string
  readonly name: string
  /** In the URL of the remote; null if the user named the repository. */
  readonly host: string | null
}

const repositoryOf = Effect.fnUntraced(function* (repo: Option.Option<string>, { command, place }: Caller) {
  const variable = yield* Effect.orDie(Config.String("GITHUB_REPOSITORY").pipe(Config.withDefault("")))
  const named = Option.getOrElse(repo, () => variable)
  if (named !== "") return yield* nameOf(named, null, command)
  const opened = yield* Effect.option(Git.use((git) => git.open(place)))
  const url = Option.isSome(opened) ? opened.value.remoteUrl : null
  const slug = url === null ? null : repoSlug(url)
  if (url === null || slug === null)
    return yield* wrongIn({ command })("the repository is unknown; add --repo OWNER/NAME")
  return yield* nameOf(slug, remoteHost(url), command)
})

/** Of `dd review --comment`: `owner/name`; null if it is unknown. */
export const repositoryName = Effect.map(
  Effect.option(repositoryOf(Option.none(), byPost)),
  Option.match({ onNone: () => null, onSome: ({ name, owner }) => `${owner}/${name}` })
)

const nameOf = (slug: string, host: string | null, command: Caller["command"]) => {
  const [owner = "", name = "", ...rest] = slug.split("/")
  const isName = [owner, name].every((part) => /^[\w.-]+$/.test(part) && !/^\.+$/.test(part))
  if (!isName || rest.length > 0)
    return wrongIn({ command })(`"${slug}" is not a repository on GitHub; write --repo OWNER/NAME`)
  const repository: RepositoryName = { owner, name, host }
  return Effect.succeed(repository)
}

/** Loaded only here, with its HTTP client. */
const gitHubForge = Effect.fnUntraced(function* ({ host, name, owner }: RepositoryName, { command }: Caller) {
  const [GitHub, credentials] = yield* Effect.promise(() =>
    Promise.all([import("../../layers/forge/GitHub.ts"), import("../../layers/forge/gitHubCredentials.ts")])
  )
  const api = yield* credentials.gitHubApi
  if (host !== null && !/^(?:ssh\.)?github\.com$/.test(host) && api === credentials.publicApi) {
    return yield* wrongIn({ command })(
      `the remote origin is on ${host}; set GITHUB_API_URL to its API, or write --repo OWNER/NAME`
    )
  }
  const token = yield* credentials.gitHubToken({ api, owner, name })
  const forge = (number: number): ForgeLayer => GitHub.layer({ api, token, owner, name, number })
  return { name: `${owner}/${name}`, forge }
})
