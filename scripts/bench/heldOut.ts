/** Parts of commits, to hide the rest of a commit from what is measured. */
import { join } from "node:path"
import { git } from "./scratchClone.ts"

export interface Edit {
  readonly mode: string
  readonly oid: string
  readonly status: string
  readonly path: string
}

/** The files of each commit except merges, newest first. */
export const editsIn = (
  clone: string,
  commits: number
): ReadonlyArray<readonly [sha: string, edits: ReadonlyArray<Edit>]> =>
  git(
    ...["-C", clone, "-c", "core.quotepath=off", "log", "--no-merges", "--no-renames", "--raw", "--no-abbrev"],
    ...["--format=%x00%H", "-n", `${commits}`]
  )
    .split("\0")
    .flatMap((part) => {
      const [sha, ...lines] = part.split("\n").filter((line) => line !== "")
      const edits = lines.flatMap((line) => {
        const found = /^:\d+ (\d+) \w+ (\w+) (\w)\t(.*)$/.exec(line)
        return found === null ? [] : [{ mode: found[1]!, oid: found[2]!, status: found[3]!, path: found[4]! }]
      })
      return sha === undefined ? [] : [[sha, edits] as const]
    })

/** A commit with the same parent and only these edits; its id. */
export const commitOnly = (clone: string, sha: string, edits: ReadonlyArray<Edit>): string => {
  const env = { ...process.env, GIT_INDEX_FILE: join(clone, "hidden-index") }
  const run = (input: string, ...args: ReadonlyArray<string>): string => {
    const child = Bun.spawnSync(
      ["git", "-c", "user.name=dd", "-c", "user.email=dd@example.invalid", "-C", clone, ...args],
      { env, stdin: new TextEncoder().encode(input), stdout: "pipe", stderr: "pipe" }
    )
    if (!child.success) throw new Error(`git ${args[0]}: ${child.stderr.toString().slice(0, 300)}`)
    return child.stdout.toString().trim()
  }
  const lines = edits.map(({ mode, oid, path, status }) =>
    status === "D" ? `0 ${oid}\t${path}\n` : `${mode} ${oid}\t${path}\n`
  )
  run("", "read-tree", `${sha}^`)
  run(lines.join(""), "update-index", "--index-info")
  return run("", "commit-tree", run("", "write-tree"), "-p", `${sha}^`, "-m", "a part of a commit")
}
