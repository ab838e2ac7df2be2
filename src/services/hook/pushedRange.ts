/** The commits that a pushed ref brings to the remote. Nothing is fetched. */
import { Effect } from "effect"
import type { Selection } from "../../domain/change/Change.ts"
import { branchOf, type PushedRef } from "../../domain/hook/pushedRefs.ts"
import { Git } from "../change/Git.ts"
import type { Repository } from "../change/openRepository.ts"
import { baseRefsOf, chooseBase, HistoryTooShallow } from "../change/planChange.ts"

export type PushedRange = Extract<Selection, { readonly _tag: "Range" }>

/** `remote`: its name, or an address without one. */
export const pushedRange = Effect.fn("pushedRange")(function* (
  repository: Repository,
  remote: string,
  { localSha, remoteRef, remoteSha }: PushedRef
) {
  const git = yield* Git
  const head = yield* git.resolve(repository, localSha)
  const branch = branchOf(remoteRef)
  const range = (base: string | null, against: string): PushedRange => ({
    _tag: "Range",
    base,
    head,
    branch,
    description: `the push of ${branch} (${head.slice(0, 7)})${against}`
  })
  const known =
    remoteSha === null
      ? null
      : yield* Effect.catchTag(git.resolve(repository, remoteSha), "RevisionUnknown", () => Effect.succeed(null))
  const missing = remoteSha !== null && known === null
  if (known !== null) {
    const base = yield* git.mergeBase(repository, known, head)
    if (base !== null) {
      return range(base, ` since ${base.slice(0, 7)}${base === known ? "" : ", where it leaves the remote's branch"}`)
    }
    if (repository.shallow)
      return yield* new HistoryTooShallow({ missing: `the commit where ${branch} was pushed last` })
  }
  const note = missing ? `; the remote's ${remoteSha.slice(0, 7)} is not in this clone, and dd fetches nothing` : ""
  const from = `refs/remotes/${remote}/`
  const refs = yield* git.refs(repository, baseRefsOf(from))
  // A new branch is not its own base.
  const main = chooseBase(
    refs.filter(({ name }) => name !== remoteRef),
    from
  )
  const base = main === null ? null : yield* git.mergeBase(repository, main.sha, head)
  if (main !== null && base !== null) return range(base, ` since it left ${main.name}${note}`)
  if (repository.shallow) return yield* new HistoryTooShallow({ missing: `the commit where ${branch} begins` })
  return range(null, `, all of its history${note}`)
})
