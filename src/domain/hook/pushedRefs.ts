/** What git tells a pre-push hook: a line for each ref that is pushed. */

export interface PushedRef {
  readonly localRef: string
  /** Or a name of it. */
  readonly localSha: string
  readonly remoteRef: string
  /** Null: the remote does not have the ref. */
  readonly remoteSha: string | null
}

export interface Push {
  /** The refs to review, without those that send the same commits. */
  readonly refs: ReadonlyArray<PushedRef>
  /** Those that send the same commits as one of `refs`. */
  readonly same: number
  readonly deleted: number
  /** Lines that are not of this form. */
  readonly unread: number
}

/** Parses `<local ref> <local object name> <remote ref> <remote object name>` lines. */
export const parsePush = (text: string): Push => {
  const refs = new Map<string, PushedRef>()
  let deleted = 0
  let unread = 0
  let same = 0
  for (const line of text.split("\n")) {
    if (line.trim() === "") continue
    const [, localRef, localSha, remoteRef, remoteSha] = form.exec(line) ?? []
    if (localRef === undefined || localSha === undefined || remoteRef === undefined || remoteSha === undefined) unread++
    else if (isZero(localSha)) deleted++
    else {
      const ref = { localRef, localSha, remoteRef, remoteSha: isZero(remoteSha) ? null : remoteSha }
      // What a tag sends depends on the branches that are pushed with it.
      const key = `${localSha} ${remoteSha} ${isTag(ref)}`
      if (refs.has(key)) same++
      else refs.set(key, ref)
    }
  }
  return { refs: [...refs.values()], same, deleted, unread }
}

/** Of a ref that the remote does not have, by its name. */
export const pushOfAll = (localRef: string, remoteRef: string): Push => {
  const refs = [{ localRef, localSha: localRef, remoteRef, remoteSha: null }]
  return { refs, same: 0, deleted: 0, unread: 0 }
}

export const isTag = ({ remoteRef }: Pick<PushedRef, "remoteRef">): boolean => remoteRef.startsWith("refs/tags/")

/** A local name may be an expression with blanks, such as `HEAD@{1 day ago}`. */
const form = /^(.+) ([0-9a-f]{40}|[0-9a-f]{64}) (\S+) ([0-9a-f]{40}|[0-9a-f]{64})\r?$/

const isZero = (sha: string): boolean => /^0+$/.test(sha)

/** The name of a branch, or `tags/NAME`. */
export const branchOf = (ref: string): string => ref.replace(/^refs\/(?:heads\/)?/, "")
