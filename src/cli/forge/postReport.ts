/** What `dd post` prints. */
import type { Placed } from "../../domain/forge/Anchor.ts"
import { visiblePath } from "../../domain/text/Printable.ts"
import { plural } from "../../domain/text/plural.ts"
import type { Posted } from "../../programs/post.ts"
import type { Words } from "../review/render/Presentable.ts"

export const postText = (posted: Posted, isDryRun: boolean, words: Words): ReadonlyArray<string> => {
  const { comments, fixed, left, listed, moved, pullRequest } = posted
  const head = `Pull request #${pullRequest.number} at ${pullRequest.headSha.slice(0, 7)}`
  if (pullRequest.state !== "open") return [`${head} is ${pullRequest.state}: nothing is posted`]
  const row = (label: string, path: string, line: number | null, text: string) =>
    `  ${label.padEnd(8)} ${visiblePath(path)}${line === null ? "" : `:${line}`}  ${text}`.trimEnd()
  const rows = (label: string, some: ReadonlyArray<Placed>) =>
    some.map(({ finding }) => row(label, finding.path, finding.line, words.line(finding.title)))
  const counts = [
    plural(comments.length, "comment"),
    `${listed.length} in the summary`,
    `${moved.length} moved`,
    `${fixed.length} fixed`,
    `${left.length} already there`
  ]
  return [
    head,
    ...rows("comment", comments),
    ...rows("summary", listed),
    ...moved.map(({ placed: { finding }, thread }) =>
      row("moved", thread.path, thread.line, `now at ${visiblePath(finding.path)}:${finding.line ?? ""}`)
    ),
    ...fixed.map(({ line, path }) => row("fixed", path, line, "")),
    `${isDryRun ? "Would post" : "Posted"} ${counts.join(", ")}`
  ]
}

export const postJson = (posted: Posted, repository: string | null, isDryRun: boolean) => {
  const { comments, fixed, left, listed, moved, pullRequest } = posted
  return {
    schema_version: 1,
    repo: repository,
    pr_number: pullRequest.number,
    head_sha: pullRequest.headSha,
    state: pullRequest.state,
    merged_at: pullRequest.mergedAt,
    dry_run: isDryRun,
    comments: comments.map(placedJson),
    summary: listed.map(placedJson),
    moved: moved.map(({ placed, thread }) => ({
      ...placedJson(placed),
      from: { path: thread.path, line: thread.line }
    })),
    fixed: fixed.map(({ line, path }) => ({ path, line })),
    left: left.map(placedJson)
  }
}

const placedJson = ({ anchor, finding: { fingerprint, line, path, rule } }: Placed) => ({
  fingerprint,
  rule: rule ?? null,
  path,
  line,
  side: anchor?.side ?? null
})
