/** The commits that a pushed ref brings to the remote. Nothing is fetched. */
import { Effect } from "effect"
import type { Selection } from "../../domain/change/Change.ts"
import { branchOf, isTag, type PushedRef } from "../../domain/hook/pushedRefs.ts"
import { Git } from "../change/Git.ts"
import type { Ref } from "../change/gitOutput.ts"
import type { Repository } from "../change/openRepository.ts"
import { baseRefsOf, chooseBase, HistoryTooShallow } from "../change/planChange.ts"

export type PushedRange = Extract<Selection, { readonly _tag: "Range" }> & {
  /** The default branch of the remote, which the pushed one may have merged, or was rebased onto; null: not known, or pushed itself. */
  readonly main: Pick<Ref, "name" | "sha"> | null
}

/** `remote`: its name, or an address without one. `sent`: what is pushed besides, from which a tag needs no second review. */
export const pushedRange = Effect.fn("pushedRange")(function* (
  repository: Repository,
  remote: string,
  ref: PushedRef,
  sent: ReadonlyArray<string> = []
) {
  const { localRef, localSha, remoteRef, remoteSha } = ref
  const git = yield* Git
  const head = yield* git.resolve(repository, localSha)
  const branch = branchOf(remoteRef)
  const range = (base: string | null, against: string, main: PushedRange["main"] = null): PushedRange => ({
    _tag: "Range",
    base,
    head,
    main,
    branch: isTag(ref) ? null : branch,
    description: `the push of ${branch} (${head.slice(0, 7)})${against}`
  })
  const known =
    remoteSha === null
      ? null
      : yield* Effect.catchTag(git.resolve(repository, remoteSha), "RevisionUnknown", () => Effect.succeed(null))
  const missing = remoteSha !== null && known === null
  const from = `${tracking}${remote}/`
  const refs = yield* git.refs(repository, [tracking, ...baseRefsOf(from)])
  const remotes = refs.filter(({ name }) => name.startsWith(tracking))
  // A new branch is not its own base: a ref that this clone has of it is out of date.
  const own = remoteSha === null ? [remoteRef, localRef, `${from}${branch}`] : [remoteRef]
  const { branches, defaults, local } = candidates(
    refs.filter(({ name, target }) => !own.includes(name) && !own.includes(target)),
    from
  )
  /** The branch that the base is of; null: one of many. */
  const nameOf = Effect.fnUntraced(function* (group: Candidates, base: string) {
    for (const { name, sha } of group.length > mostNamed ? [] : group)
      if ((yield* git.mergeBase(repository, head, sha)) === base) return name
    return null
  })
  if (known !== null && !isTag(ref)) {
    const left = yield* git.mergeBase(repository, head, known)
    if (left !== null) {
      const main = chooseBase(remotes, from)
      const isOther = main !== null && main.branch !== branch
      if (isOther && (yield* git.mergeBase(repository, head, main.sha)) === head) return range(head, "")
      const since = ` since ${left.slice(0, 7)}${left === known ? "" : ", where it leaves the remote's branch"}`
      return range(left, since, isOther ? main : null)
    }
    if (repository.shallow)
      return yield* new HistoryTooShallow({ missing: `the commit where ${branch} was pushed last` })
  }
  const note = missing ? `; the remote's ${remoteSha.slice(0, 7)} is not in this clone, and dd fetches nothing` : ""
  const besides = [...sent, ...(known === null ? [] : [known])].map((sha) => ({ name: "", sha }))
  for (const group of isTag(ref) ? [[...besides, ...branches]] : [defaults, branches, local]) {
    const base = yield* git.mergeBase(repository, head, ...group.map(({ sha }) => sha))
    // That a local branch has everything does not mean that the remote has it.
    if (base === null || (group === local && base === head)) continue
    if (isTag(ref) && base === head) return range(head, "")
    const name = yield* nameOf(group, base)
    const since = !name
      ? `since ${base.slice(0, 7)}, which ${isTag(ref) ? "a branch" : "a remote"} has`
      : `since it left ${name}`
    return range(base, ` ${since}${note}`)
  }
  if (repository.shallow) return yield* new HistoryTooShallow({ missing: `the commit where ${branch} begins` })
  return range(null, `, all of its history${note}`)
})

const tracking = "refs/remotes/"
/** Git is called for each of them. */
const mostNamed = 5

type Candidates = ReadonlyArray<Pick<Ref, "name" | "sha">>

/**
 * Branches that a new one may have left: the default branches of the remotes if that of this remote is known, every branch
 * of a remote, and the local default branch.
 */
const candidates = (refs: ReadonlyArray<Ref>, from: string): Record<"defaults" | "branches" | "local", Candidates> => {
  const remotes = refs.filter(({ name }) => name.startsWith(tracking))
  const named = ({ name, sha, target }: Ref) => ({ name: (target || name).slice(tracking.length), sha })
  const main = chooseBase(remotes, from)
  const local = chooseBase(refs.filter((ref) => !remotes.includes(ref)))
  const ofOthers = remotes.filter(({ name }) => !name.startsWith(from) && isDefault.test(name)).map(named)
  return {
    defaults: main === null ? [] : [main, ...ofOthers],
    branches: remotes.map(named),
    local: local === null ? [] : [local]
  }
}

const isDefault = /^refs\/remotes\/[^/]+\/(?:HEAD|main|master)$/
