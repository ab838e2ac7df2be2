/** A job of continuous integration: what it is for, as its service says in the environment. */
import { Predicate } from "effect"
import { type CiService, ciServices } from "./ciServices.ts"

export interface CiJob {
  readonly service: CiService
  readonly kind: "pull request" | "push" | "tag"
  /** The number of the pull request, or the name of the tag; null: not known, or a push. */
  readonly id: string | null
  /** The branch under review; null: not known. */
  readonly branch: string | null
  /** Commits that the job is for; the checkout is one of them, or contains one. */
  readonly heads: ReadonlyArray<string>
  /** Of a pull request: the branch into which it is merged; null: not known. */
  readonly target: string | null
  /** Of a pull request: commits on that branch, the best one first. */
  readonly targetCommits: ReadonlyArray<string>
  /** Of a push: the commit of the branch before it. Null: the service does not say; empty: the branch is new. */
  readonly before: string | null
  /** The last commit of the branch whose job passed; null: not known. */
  readonly passed: string | null
  readonly defaultBranch: string | null
  /** Is the checkout a merge that the service made, whose first parent is on the target? */
  readonly isMerge: boolean
}

const eventPrefix = "event:"
/** Is it a path in the event file, not a variable? */
export const isInEvent = (name: string): boolean => name.startsWith(eventPrefix)

/** The value of a variable; empty if there is none. */
export type Variable = (name: string) => string

/** Null outside of a job of a service that dd knows. */
export const ciJobOf = (variable: Variable): CiJob | null => {
  const service = ciServices.find(({ mark: [name, value] }) =>
    value === undefined ? variable(name) !== "" : variable(name).toLowerCase() === value
  )
  if (service === undefined) return null
  const given = (names: ReadonlyArray<string>) =>
    names.flatMap((name) => {
      const value = variable(name).trim()
      return value === "" || value === "false" ? [] : [value]
    })
  const [pull] = given(service.pull)
  const tag = given(service.tag).flatMap((ref) => nameIn(ref, "tags"))[0] ?? null
  const first = (names: ReadonlyArray<string>) => given(names).flatMap((ref) => nameIn(ref, "heads"))[0] ?? null
  const { beforeIf } = service
  const [before = null] = beforeIf?.[1].test(variable(beforeIf[0])) === false ? [] : given(service.before)
  return {
    service,
    kind: pull !== undefined ? "pull request" : tag !== null ? "tag" : "push",
    id: pull === undefined ? tag : (pullNumber.exec(pull)?.[1] ?? null),
    branch: first(service.branch),
    heads: given(service.heads),
    target: first(service.target),
    targetCommits: given(service.targetCommits).filter((sha) => !isZero(sha)),
    before: before !== null && isZero(before) ? "" : before,
    passed: given(service.passed)[0] ?? null,
    defaultBranch: first(service.defaultBranch),
    isMerge: given(service.mergeRef).some((ref) => /^refs\/(?:pull|merge-requests)\/\d+\/(?:merge|train)$/.test(ref))
  }
}

/** A number, or an address that ends in one. */
const pullNumber = /^(?:https?:.*\/)?(\d+)$/

const isZero = (sha: string): boolean => /^0+$/.test(sha)

/** The short name of a ref: `main` of `refs/heads/main` and of Jenkins' `origin/main`; none for another kind of ref. */
const nameIn = (ref: string, kind: "heads" | "tags"): ReadonlyArray<string> => {
  if (ref.startsWith(`refs/${kind}/`)) return [ref.slice(`refs/${kind}/`.length)]
  return ref.startsWith("refs/") ? [] : [ref.replace(/^origin\//, "")]
}

/** All variables of the table, without those of the event file. */
export const ciVariables: ReadonlyArray<string> = [
  ...new Set(
    ciServices.flatMap((service) => [
      ...[service.mark[0], ...(service.beforeIf === undefined ? [] : [service.beforeIf[0]]), ...service.pull],
      ...[...service.target, ...service.targetCommits, ...service.heads, ...service.branch, ...service.tag],
      ...[
        ...service.before,
        ...service.passed,
        ...service.defaultBranch,
        ...service.mergeRef,
        ...(service.summary === undefined ? [] : [service.summary])
      ]
    ])
  )
].filter((name) => !isInEvent(name))

/** The value at `event:pull_request.base.sha` in GitHub's event; empty if there is none. */
export const inEvent = (event: unknown, name: string): string => {
  let value = event
  for (const key of name.slice(eventPrefix.length).split("."))
    value = Predicate.isObject(value) ? value[key] : undefined
  return typeof value === "string" || typeof value === "number" ? String(value) : ""
}
