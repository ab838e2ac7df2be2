/** `history`: commits of the repository, a file or some lines, and the commit of each line. */
import { Effect, Schema } from "effect"
import type { Change } from "../../../domain/change/Change.ts"
import type { PastCommit } from "../../../domain/change/PastCommit.ts"
import { plural } from "../../../domain/text/plural.ts"
import { Git } from "../../change/Git.ts"
import type { GitCallError } from "../../change/GitError.ts"
import { GitMaxOutput, GitTimeout } from "../../change/gitCall.ts"
import type { BlamedLine } from "../../change/gitHistory.ts"
import type { Repository } from "../../change/openRepository.ts"
import { readActionOf, refused } from "../runtime/Action.ts"
import { Ordinal, optional, type SideName, side } from "../runtime/actionInput.ts"
import { cutLine, fittingCount } from "../runtime/answerText.ts"
import { type ShownFiles, whyNoLines } from "../runtime/ShownFiles.ts"

const Input = Schema.Struct({
  kind: Schema.Literals(["log", "blame"]).annotate({
    description: "log: commits, newest first. blame: the commit each line is from; needs path."
  }),
  path: optional(Schema.String, "A file or, for log, a folder. Default: the whole repository."),
  from: optional(Ordinal, "First line: blames these lines, or logs the commits that changed them."),
  to: optional(Ordinal, "Last line."),
  side,
  limit: optional(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 100 })), "Commits to show. Default 20."),
  skip: optional(
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 100_000 })),
    "Commits to pass over, for the next page."
  )
})
type Input = typeof Input.Type

const usualLimit = 20
const mostBlamed = 500
const filesNamed = 10

/** Time limit of one call to git. */
const timeLimit = "10 seconds"
const mostPrinted = 64_000_000

export const makeHistory = Effect.fnUntraced(function* (
  files: ShownFiles,
  { change, repository }: { readonly change: Change; readonly repository: Repository | null }
) {
  const git = yield* Git
  const own = new Set(change.commits.map(({ sha }) => sha))
  const shallow = repository?.shallow === true ? ["[this clone is shallow: older commits are not here]"] : []

  /** The commit at which the history of a side begins, if any. */
  const startOf = (which: SideName, opened: Repository): string | null => {
    const at = change[which]
    if (at._tag === "Commit") return at.sha
    return at._tag === "Empty" ? null : opened.head.sha
  }

  const named = (sha: string): string => `${sha.slice(0, 12)}${own.has(sha) ? " (this change)" : ""}`

  const commitLines = ({ author, date, files: touched, sha, subject }: PastCommit): string => {
    const shown = touched.slice(0, filesNamed).map(({ oldPath, path, status }) => {
      const name = oldPath === null ? files.path(path) : `${files.path(oldPath)} -> ${files.path(path)}`
      return `    ${status} ${name}`
    })
    const more = touched.length > filesNamed ? [`    and ${plural(touched.length - filesNamed, "more file")}`] : []
    return [
      `${named(sha)} ${date} ${files.words(author)}: ${cutLine(files.words(subject), 300)}`,
      ...shown,
      ...more
    ].join("\n")
  }

  const commits = (title: string, found: ReadonlyArray<PastCommit>, skip: number, limit: number): string => {
    const page = found.slice(0, limit).map(commitLines)
    const shown = page.slice(0, fittingCount(page))
    if (shown.length === 0)
      return [`${title}: no commit${skip > 0 ? ` after the first ${skip}` : ""}`, ...shallow].join("\n")
    const isMore = found.length > shown.length
    const rest = isMore ? [`[more: ask again with skip ${skip + shown.length}]`] : shallow
    return [`${title}, newest first`, ...shown, ...rest].join("\n")
  }

  const log = Effect.fnUntraced(function* (input: Input, opened: Repository, from: string) {
    const which = input.side ?? "head"
    const limit = input.limit ?? usualLimit
    const skip = input.skip ?? 0
    const hasRange = input.from != null || input.to != null
    if (input.path == null || input.path === "") {
      if (hasRange) return yield* refused("a range of lines needs a file: name it with path")
      const found = yield* git.history(opened, { from, path: null, skip, limit: limit + 1 })
      return commits(`commits up to ${named(from)}`, found, skip, limit)
    }
    const path = yield* hasRange ? files.find(which, input.path) : files.findFolder(which, input.path)
    if (!hasRange) {
      const all = yield* git.history(opened, { from, path: path === "" ? null : path, skip, limit: limit + 1 })
      return commits(`commits up to ${named(from)} that touched ${files.path(path)}`, all, skip, limit)
    }
    const first = input.from ?? 1
    const last = input.to ?? first
    if (last < first) return yield* refused(`to (${last}) comes before from (${first})`)
    const all = yield* git.lineHistory(opened, { from, path, first, last, limit: skip + limit + 1 })
    const at = change[which]._tag === "Commit" ? "" : ", as they are in the last commit"
    const title = `commits that changed lines ${first}-${last} of ${files.path(path)}${at}`
    return commits(title, all.slice(skip), skip, limit)
  })

  const blame = Effect.fnUntraced(function* (input: Input, opened: Repository) {
    const which = input.side ?? "head"
    if (input.path == null || input.path === "") return yield* refused("blame needs a file: name it with path")
    const path = yield* files.find(which, input.path)
    const file = yield* files.file(which, path)
    if (file._tag !== "Lines") return yield* refused(files.words(`${files.path(path)} ${whyNoLines(file)}`))
    const length = file.raw.length
    if (length === 0) return `${files.path(path)} (${which}) is empty`
    const first = input.from ?? 1
    if (first > length) return yield* refused(`${files.path(path)} ends with line ${length}: there is no line ${first}`)
    const wanted = Math.min(input.to ?? length, length)
    if (wanted < first) return yield* refused(`to (${wanted}) comes before from (${first})`)
    const last = Math.min(wanted, first + mostBlamed - 1)
    const at = change[which]
    const text = `${file.raw.join("\n")}\n`
    const lines = yield* git.blame(opened, {
      path,
      first,
      last,
      ...(at._tag === "Commit" ? { from: at.sha } : { text })
    })
    const blocks = runsOf(lines).map(({ line, to }) => {
      const range = line.line === to ? `${to}` : `${line.line}-${to}`
      return line.sha === null
        ? `${range}\tnot committed yet`
        : `${range}\t${named(line.sha)} ${line.date} ${files.words(line.author)}: ${cutLine(files.words(line.subject), 300)}`
    })
    const shown = blocks.slice(0, fittingCount(blocks))
    const rest = last < wanted ? [`[${plural(wanted - last, "more line")}: ask again from ${last + 1}]`] : []
    return [`${files.path(path)} (${which}), lines ${first}-${last}`, ...shown, ...rest, ...shallow].join("\n")
  })

  return readActionOf({
    name: "history",
    description:
      "Git's history. log: each commit as hash, date, author, subject and the files it touched. blame: ranges of lines, each with its commit. Commits of this change are marked. If more follow, the last line gives the next value of skip or from.",
    input: Input,
    act: Effect.fn("Action.history")(
      function* (input: Input) {
        if (repository === null || change.head._tag === "Unknown") {
          return yield* refused("only a patch is known, without its history")
        }
        const from = startOf(input.side ?? "head", repository)
        if (from === null) return yield* refused(`there is no commit at the ${input.side ?? "head"} of this change`)
        return yield* input.kind === "log" ? log(input, repository, from) : blame(input, repository)
      },
      Effect.provideService(GitTimeout, timeLimit),
      Effect.provideService(GitMaxOutput, mostPrinted),
      Effect.mapError((error) => (error._tag === "Refused" ? error : refused(files.words(adviceOn(error)))))
    )
  })
})

/** Consecutive lines of the same commit. */
const runsOf = (
  lines: ReadonlyArray<BlamedLine>
): ReadonlyArray<{ readonly line: BlamedLine; readonly to: number }> => {
  const runs: Array<{ readonly line: BlamedLine; to: number }> = []
  for (const line of lines) {
    const last = runs.at(-1)
    if (last !== undefined && last.line.sha === line.sha && last.to + 1 === line.line) last.to = line.line
    else runs.push({ line, to: line.line })
  }
  return runs
}

/** Translates a failure of git into advice for the model. */
const adviceOn = (error: GitCallError): string => {
  switch (error._tag) {
    case "GitTimedOut":
      return `git took longer than ${error.seconds} s; ask for fewer lines, fewer commits or a narrower path`
    case "GitOutputTooLarge":
    case "GitMemoryExceeded":
      return "there is too much of it; ask for fewer commits or a narrower path"
    case "ObjectMissing":
      return "this clone does not have the objects that are needed"
    case "GitFailed":
      // Never git's own message: it may quote a file that the repository configures (blame.ignoreRevsFile).
      return /has only \d+ line|no such path|no path/.test(error.stderr)
        ? "the first commit of this history does not have this file or these lines"
        : `git ${error.command} ended with ${error.exitCode}`
    case "GitMissing":
    case "GitWouldWait":
      return error.message
  }
}
