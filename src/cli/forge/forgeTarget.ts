/** The pull request on GitHub that findings are posted to. */
import { Config, Effect, type FileSystem, type Layer, Option, type Path } from "effect"
import { repoSlug } from "../../domain/record/manifestOf.ts"
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

/** `repo`: as the user named it. */
export const gitHubTarget = Effect.fnUntraced(function* (repo: Option.Option<string>, number: number) {
  const { forge, name } = yield* gitHubRepository(repo)
  return { name, forge: forge(number) }
})

/** All pull requests of a repository, with one token. */
export const gitHubRepository = Effect.fnUntraced(function* (repo: Option.Option<string>) {
  return yield* gitHubForge(yield* repositoryOf(repo))
})

const wrong = (reason: string) => new UsageWrong({ reason, command: "post" })

interface RepositoryName {
  readonly owner: string
  readonly name: string
  /** In the URL of the remote; null if the user named the repository. */
  readonly host: string | null
}

const repositoryOf = Effect.fnUntraced(function* (repo: Option.Option<string>) {
  const variable = yield* Effect.orDie(Config.String("GITHUB_REPOSITORY").pipe(Config.withDefault("")))
  const named = Option.getOrElse(repo, () => variable)
  if (named !== "") return yield* nameOf(named, null)
  const opened = yield* Effect.option(Git.use((git) => git.open(".")))
  const url = Option.isSome(opened) ? opened.value.remoteUrl : null
  const slug = url === null ? null : repoSlug(url)
  if (url === null || slug === null) return yield* wrong("the repository is unknown; add --repo OWNER/NAME")
  return yield* nameOf(slug, hostOf(url))
})

/** Of `dd review --comment`: `owner/name`; null if it is unknown. */
export const repositoryName = Effect.map(
  Effect.option(repositoryOf(Option.none())),
  Option.match({ onNone: () => null, onSome: ({ name, owner }) => `${owner}/${name}` })
)

const nameOf = (slug: string, host: string | null) => {
  const [owner = "", name = "", ...rest] = slug.split("/")
  const isName = [owner, name].every((part) => /^[\w.-]+$/.test(part) && !/^\.+$/.test(part))
  if (!isName || rest.length > 0) return wrong(`"${slug}" is not a repository on GitHub; write --repo OWNER/NAME`)
  const repository: RepositoryName = { owner, name, host }
  return Effect.succeed(repository)
}

const hostOf = (url: string): string =>
  (URL.canParse(url) ? new URL(url).hostname : (/^(?:[^@/]*@)?([^:/]+):/.exec(url)?.[1] ?? "")).toLowerCase()

/** Loaded only here, with its HTTP client. */
const gitHubForge = Effect.fnUntraced(function* ({ host, name, owner }: RepositoryName) {
  const [GitHub, credentials] = yield* Effect.promise(() =>
    Promise.all([import("../../layers/forge/GitHub.ts"), import("../../layers/forge/gitHubCredentials.ts")])
  )
  const api = yield* credentials.gitHubApi
  if (host !== null && !/^(?:ssh\.)?github\.com$/.test(host) && api === credentials.publicApi) {
    return yield* wrong(`the remote origin is on ${host}; set GITHUB_API_URL to its API, or write --repo OWNER/NAME`)
  }
  const token = yield* credentials.gitHubToken({ api, owner, name })
  const forge = (number: number): ForgeLayer => GitHub.layer({ api, token, owner, name, number })
  return { name: `${owner}/${name}`, forge }
})
