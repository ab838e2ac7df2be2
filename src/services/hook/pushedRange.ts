/** The commits that a pushed ref brings to the remote. Nothing is fetched. */
import { Effect } from "effect"
import type { Selection } from "../../domain/change/Change.ts"
import { branchOf, type PushedRef } from "../../domain/hook/pushedRefs.ts"
import { Git } from "../change/Git.ts"
import type { Ref } from "../change/gitOutput.ts"
import type { Repository } from "../change/openRepository.ts"
import { baseRefsOf, chooseBase, HistoryTooShallow } from "../change/planChange.ts"

export type PushedRange = Extract<Selection, { readonly _tag: "Range" }>

/** `remote`: its name, or an address without one. */
export const pushedRange = Effect.fn("pushedRange")(function* (
  repository: Repository,
  remote: string,
  { localRef, localSha, remoteRef, remoteSha }: PushedRef
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
  const from = `${tracking}${remote}/`
  const refs = yield* git.refs(repository, [tracking, ...baseRefsOf(from)])
  // A new branch is not its own base: a ref that this clone has of it is out of date.
  const own = remoteSha === null ? [remoteRef, localRef, `${from}${branch}`] : [remoteRef]
  const groups = candidates(
    refs.filter(({ name, target }) => !own.includes(name) && !own.includes(target)),
    from
  )
  for (const { isLocal, refs: group } of groups) {
    const shas = [...new Set(group.map(({ sha }) => sha))].slice(0, mostCompared)
    const base = shas.length === 0 ? null : yield* git.mergeBase(repository, head, ...shas)
    // That a local branch has everything does not mean that the remote has it.
    if (base === null || (isLocal && base === head)) continue
    for (const { name, sha } of group.length > mostNamed ? [] : group)
      if ((yield* git.mergeBase(repository, head, sha)) === base) return range(base, ` since it left ${name}${note}`)
    return range(base, ` since ${base.slice(0, 7)}, which a remote has${note}`)
  }
  if (repository.shallow) return yield* new HistoryTooShallow({ missing: `the commit where ${branch} begins` })
  return range(null, `, all of its history${note}`)
})

const tracking = "refs/remotes/"
/** A command has room for so many object names. */
const mostCompared = 10_000
/** Git is called for each of them. */
const mostNamed = 5

interface Candidates {
  readonly isLocal: boolean
  readonly refs: ReadonlyArray<Pick<Ref, "name" | "sha">>
}

/**
 * Branches that a pushed one may have left, the best first: the default branches of the remotes if that of this remote is
 * known, else every branch of a remote, else the local default branch.
 */
const candidates = (refs: ReadonlyArray<Ref>, from: string): ReadonlyArray<Candidates> => {
  const remotes = refs.filter(({ name }) => name.startsWith(tracking))
  const named = ({ name, sha, target }: Ref) => ({ name: (target || name).slice(tracking.length), sha })
  const main = chooseBase(remotes, from)
  const local = chooseBase(refs.filter((ref) => !remotes.includes(ref)))
  const ofOthers = remotes.filter(({ name }) => !name.startsWith(from) && isDefault.test(name)).map(named)
  return [
    { isLocal: false, refs: main === null ? [] : [main, ...ofOthers] },
    { isLocal: false, refs: remotes.map(named) },
    { isLocal: true, refs: local === null ? [] : [local] }
  ]
}

const isDefault = /^refs\/remotes\/[^/]+\/(?:HEAD|main|master)$/
