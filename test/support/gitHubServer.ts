/**
 * A local server that speaks as much of GitHub's REST and GraphQL API as `dd post` uses, with one pull request: pages by
 * Link headers, refuses a review as a whole for a line outside of the diff, and keeps what was posted.
 */
import { unquotePath } from "../../src/domain/text/quotePath.ts"
import type { TestRepository } from "./repository.ts"
import { type Heard, type Reply, startServer } from "./wireServer.ts"

interface FileShape {
  readonly filename: string
  readonly status: string
  readonly previous_filename?: string
  readonly patch?: string
}

interface CommentShape {
  readonly id: number
  readonly node_id: string
  readonly user: { readonly login: string }
  readonly body: string
  readonly path: string
  line: number | null
  readonly side: string
  readonly start_line: number | null
  readonly in_reply_to_id: number | null
  /** The text of the line, by which it is followed to the next commit. */
  readonly text: string
}

interface ThreadState {
  readonly comment: number
  isResolved: boolean
  isMinimized: boolean
  resolvedBy: string | null
}

interface ReviewShape {
  readonly id: number
  readonly user: { readonly login: string }
  body: string
  readonly commit_id: string
  readonly event: string
}

/**
 * What happens to a request instead of its answer. `lost`: it is done, and the connection is cut; `held`: it is done, and
 * nothing is sent.
 */
export type Fault = Reply | "lost" | "held" | null

export interface GitHubState {
  pull: {
    number: number
    state: string
    merged_at: string | null
    head: string
    branch: string
    base: string
    author: string
  }
  files: ReadonlyArray<FileShape>
  readonly comments: Array<CommentShape>
  readonly threads: Array<ThreadState>
  readonly reviews: Array<ReviewShape>
  readonly issueComments: Array<{ readonly user: { readonly login: string }; readonly body: string }>
  /** Logins by token. */
  readonly accounts: Map<string, string>
  pageSize: number
  /** The token of GitHub Actions may not. */
  canResolve: boolean
  /** Further lines that are refused, as `path:line`. */
  readonly stale: Set<string>
  fault: (heard: Heard, nth: number) => Fault
}

export type GitHubServer = Awaited<ReturnType<typeof startGitHub>>

export const ownToken = "ghp_ownTokenOfTheTests0123456789abcdefABCD"
export const otherToken = "ghp_otherTokenOfTheTests0123456789abcdABC"

export const startGitHub = async (repository = "acme/shop") => {
  const state: GitHubState = {
    pull: {
      number: 7,
      state: "open",
      merged_at: null,
      head: "a".repeat(40),
      branch: "feature",
      base: "b".repeat(40),
      author: "ada"
    },
    files: [],
    comments: [],
    threads: [],
    reviews: [],
    issueComments: [],
    accounts: new Map([
      [ownToken, "dd-bot[bot]"],
      [otherToken, "grace"]
    ]),
    pageSize: 2,
    canResolve: true,
    stale: new Set(),
    fault: () => null
  }
  let origin = ""
  const server = await startServer((heard, nth) => {
    const fault = state.fault(heard, nth)
    if (fault !== null && typeof fault === "object") return fault
    const answer = answerTo(state, repository, origin, heard)
    if (fault === "lost") return { pieces: [], end: "cut" }
    if (fault === "held") return { pieces: [], end: "hold" }
    return answer
  })
  origin = `http://127.0.0.1:${server.port}`
  return Object.assign(server, {
    api: origin,
    state,
    /** A person's or another bot's comment on a line. */
    comment: (login: string, path: string, line: number, body: string, start_line?: number) =>
      addComment(state, login, { path, line, body, ...(start_line === undefined ? {} : { start_line }) }),
    reply: (login: string, id: number, body: string) => {
      const root = state.comments.find((comment) => comment.id === id)!
      return addComment(state, login, { path: root.path, line: root.line ?? 0, body }, root)
    },
    /** The thread of a comment that begins with these words. */
    threadOf: (words: string) => {
      const found = state.comments.find(({ body, in_reply_to_id }) => in_reply_to_id === null && body.includes(words))
      return state.threads.find(({ comment }) => comment === found?.id)
    },
    push: (head: string, files: ReadonlyArray<FileShape>) => push(state, head, files)
  })
}

const nameIn = (part: string, line: RegExp): string | undefined => {
  const written = line.exec(part)?.[1]
  return written === undefined ? undefined : (unquotePath(written)?.path ?? written)
}

/** The files of a pull request as GitHub lists them, from a real repository. */
export const filesOf = (repository: TestRepository, base: string, head: string): ReadonlyArray<FileShape> => {
  const text = repository.git("-c", "core.quotePath=false", "diff", "--find-renames", `${base}...${head}`)
  return text.split(/^(?=diff --git )/m).flatMap((part): ReadonlyArray<FileShape> => {
    const name = nameIn(part, /^\+\+\+ ("?b\/.*?)\t?$/m)?.slice(2) ?? nameIn(part, /^rename to (.*)$/m)
    const old = nameIn(part, /^--- ("?a\/.*?)\t?$/m)?.slice(2) ?? nameIn(part, /^rename from (.*)$/m)
    const binary = /^Binary files /m.test(part) ? /^diff --git a\/(.*) b\/\1$/m.exec(part)?.[1] : undefined
    if (binary !== undefined) {
      return [{ filename: binary, status: part.includes("\nnew file mode") ? "added" : "modified" }]
    }
    const filename = name ?? old
    if (filename === undefined) return []
    const status =
      name === undefined
        ? "removed"
        : old === undefined
          ? "added"
          : part.includes("\nrename from ")
            ? "renamed"
            : "modified"
    const at = part.search(/^@@ /m)
    return [
      {
        filename,
        status,
        ...(status === "renamed" && old !== undefined ? { previous_filename: old } : {}),
        ...(at < 0 ? {} : { patch: part.slice(at).replace(/\n$/, "") })
      }
    ]
  })
}

/** The lines of a side that are in a patch, with their texts. */
const linesOf = (patch: string, side: string): ReadonlyMap<number, string> => {
  const found = new Map<number, string>()
  let [old, current] = [0, 0]
  for (const line of patch.split("\n")) {
    const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(line)
    if (hunk !== null) [old, current] = [Number(hunk[1]), Number(hunk[2])]
    else if (line.startsWith("-")) {
      if (side === "LEFT") found.set(old, line.slice(1))
      old++
    } else if (line.startsWith("+")) {
      if (side === "RIGHT") found.set(current, line.slice(1))
      current++
    } else if (!line.startsWith("\\")) {
      found.set(side === "LEFT" ? old : current, line.slice(1))
      old++
      current++
    }
  }
  return found
}

const lineText = (state: GitHubState, path: string, line: number, side: string): string | undefined =>
  linesOf(state.files.find(({ filename }) => filename === path)?.patch ?? "", side).get(line)

const push = (state: GitHubState, head: string, files: ReadonlyArray<FileShape>): void => {
  state.pull.head = head
  state.files = files
  for (const comment of state.comments) {
    const file = files.find(({ filename }) => filename === comment.path)
    const lines = [...linesOf(file?.patch ?? "", comment.side)]
    const near = lines
      .filter(([, text]) => text === comment.text)
      .sort(([a], [b]) => Math.abs(a - (comment.line ?? 0)) - Math.abs(b - (comment.line ?? 0)))
    comment.line = comment.line === null ? null : (near[0]?.[0] ?? null)
  }
}

interface Posted {
  readonly path: string
  readonly line: number
  readonly side?: string
  readonly start_line?: number
  readonly body: string
}

const addComment = (
  state: GitHubState,
  login: string,
  posted: Posted,
  root: CommentShape | null = null
): CommentShape => {
  const id = 1000 + state.comments.length
  const { body, line, path, side = "RIGHT", start_line = null } = posted
  const comment = {
    id,
    node_id: `PRRC_${id}`,
    user: { login },
    body,
    path,
    line,
    side,
    start_line,
    in_reply_to_id: root?.id ?? null,
    text: lineText(state, path, line, side) ?? ""
  }
  state.comments.push(comment)
  if (root === null) state.threads.push({ comment: id, isResolved: false, isMinimized: false, resolvedBy: null })
  return comment
}

const json = (value: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Reply => ({
  status,
  headers: { "content-type": "application/json; charset=utf-8", ...headers },
  pieces: [JSON.stringify(value)]
})

const answerTo = (state: GitHubState, repository: string, origin: string, heard: Heard): Reply => {
  const login = state.accounts.get((heard.headers.authorization ?? "").replace(/^Bearer /, ""))
  if (login === undefined) return json({ message: "Bad credentials" }, 401)
  // As GitHub Enterprise Server: /api/v3 and /api/graphql.
  const url = new URL(heard.path.replace(/^\/api(?:\/v3)?\//, "/"), origin)
  const body = heard.body ?? {}
  if (url.pathname === "/graphql") return graphql(state, login, body)
  const pull = `/repos/${repository}/pulls/${state.pull.number}`
  const issue = `/repos/${repository}/issues/${state.pull.number}`
  const page = (all: ReadonlyArray<unknown>): Reply => {
    const at = Number(url.searchParams.get("page") ?? 1)
    const next = new URL(url)
    next.searchParams.set("page", String(at + 1))
    const some = all.slice((at - 1) * state.pageSize, at * state.pageSize)
    const isLast = at * state.pageSize >= all.length
    const last = `<${origin}${url.pathname}?page=99>; rel="last"`
    return json(some, 200, isLast ? {} : { link: `<${next.href}>; rel="next", ${last}` })
  }
  switch (`${heard.method} ${url.pathname}`) {
    case `GET ${pull}`: {
      const { author, base, branch, head, merged_at, number, state: open } = state.pull
      return json({
        ...{ number, state: open, merged_at, user: { login: author } },
        ...{ head: { sha: head, ref: branch }, base: { sha: base } }
      })
    }
    case `GET ${pull}/files`:
      return page(state.files)
    case `GET ${pull}/comments`:
      return page(state.comments.map(({ text: _, ...comment }) => comment))
    case `GET ${pull}/reviews`:
      return page(state.reviews)
    case `GET ${issue}/comments`:
      return page(state.issueComments.map((comment, at) => ({ id: 500 + at, ...comment })))
    case `POST ${pull}/reviews`:
      return postReview(state, login, body)
  }
  const [, root] = new RegExp(`^POST ${pull}/comments/(\\d+)/replies$`).exec(`${heard.method} ${url.pathname}`) ?? []
  const first = state.comments.find(({ id }) => id === Number(root))
  if (first !== undefined) {
    addComment(state, login, { path: first.path, line: first.line ?? 0, body: String(body.body) }, first)
    return json({}, 201)
  }
  const [, id] = new RegExp(`^PUT ${pull}/reviews/(\\d+)$`).exec(`${heard.method} ${url.pathname}`) ?? []
  const review = state.reviews.find((each) => each.id === Number(id))
  if (review === undefined) return json({ message: "Not Found" }, 404)
  review.body = String(body.body)
  return json({})
}

const postReview = (state: GitHubState, login: string, body: Record<string, unknown>): Reply => {
  const comments = (body.comments ?? []) as ReadonlyArray<Posted>
  const isStale = ({ line, path, side = "RIGHT", start_line = line }: Posted) =>
    state.stale.has(`${path}:${line}`) ||
    [start_line, line].some((each) => lineText(state, path, each, side) === undefined)
  if (comments.some(isStale)) {
    return json(
      { message: "Unprocessable Entity", errors: ["Pull request review thread line must be part of the diff"] },
      422
    )
  }
  if (body.body === "" || body.body === undefined) return json({ message: "Body is required" }, 422)
  for (const comment of comments) addComment(state, login, comment)
  state.reviews.push({
    id: 100 + state.reviews.length,
    user: { login },
    body: String(body.body),
    commit_id: String(body.commit_id),
    event: String(body.event)
  })
  return json({}, 200)
}

const graphql = (state: GitHubState, login: string, body: Record<string, unknown>): Reply => {
  const query = String(body.query)
  const variables = body.variables as Readonly<Record<string, string | number | null>>
  const byNode = (node: unknown) => state.threads.find(({ comment }) => String(node).endsWith(`_${comment}`))
  if (query.startsWith("mutation")) {
    const thread = byNode(variables.id)
    if (thread === undefined) return json({ data: null, errors: [{ type: "NOT_FOUND", message: "no such node" }] })
    if (query.includes("minimizeComment")) thread.isMinimized = true
    else if (!state.canResolve) {
      const message = "Resource not accessible by integration"
      return json({ data: { resolveReviewThread: null }, errors: [{ type: "FORBIDDEN", message }] })
    } else Object.assign(thread, { isResolved: true, resolvedBy: login })
    return json({ data: {} })
  }
  const from = Number(variables.after ?? 0)
  const some = state.threads.slice(from, from + state.pageSize)
  const nodes = some.map(({ comment, isMinimized, isResolved, resolvedBy }) => ({
    id: `PRRT_${comment}`,
    isResolved,
    isOutdated: state.comments.find(({ id }) => id === comment)?.line === null,
    resolvedBy: resolvedBy === null ? null : { login: resolvedBy },
    comments: { nodes: [{ databaseId: comment, isMinimized }] }
  }))
  const end = from + state.pageSize
  const pageInfo = { hasNextPage: end < state.threads.length, endCursor: String(end) }
  return json({
    data: { viewer: { login }, repository: { pullRequest: { reviewThreads: { pageInfo, nodes } } } }
  })
}
