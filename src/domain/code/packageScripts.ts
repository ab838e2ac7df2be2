/** Scripts of `package.json` that a change removes, and the lines that call them. */
import type { DiffFile } from "../change/Diff.ts"

export interface RemovedScript {
  readonly name: string
  readonly path: string
  /** Of the base side. */
  readonly line: number
  /** The deleted line. */
  readonly text: string
}

/** Longer names, and those with other characters, are not searched for. */
const usualName = /^[\w:.-]{2,60}$/

/** The scripts that `before` has and `after` does not. */
export const removedScripts = (
  { hunks, newPath }: DiffFile,
  before: ReadonlySet<string>,
  after: ReadonlySet<string>
): ReadonlyArray<RemovedScript> => {
  const path = newPath
  if (path === null) return []
  const found: Array<RemovedScript> = []
  for (const { lines } of hunks) {
    for (const { kind, oldLine, text } of lines) {
      const name = kind === "deleted" ? (/^\s*"([^"]+)"\s*:/.exec(text)?.[1] ?? "") : ""
      if (!before.has(name) || after.has(name) || !usualName.test(name)) continue
      found.push({ name, path, text, line: oldLine ?? 0 })
    }
  }
  return found
}

/** The ends of paths of files that run scripts: jobs, hooks, shell scripts, and guides for contributors. */
export const callingEndings: ReadonlyArray<string> = [
  ".yml",
  ".yaml",
  ".sh",
  "Makefile",
  "Dockerfile",
  "package.json",
  "pre-commit",
  "pre-push",
  "CONTRIBUTING.md",
  "PULL_REQUEST_TEMPLATE.md"
]

/**
 * A test for lines that call the script and fail without it. `yarn NAME` and others also run programs of packages, whose
 * names have no colon. A line with `cd` may call the script of another project.
 */
export const callsScript = (name: string): ((line: string) => boolean) => {
  const runners = name.includes(":") ? "npm\\s+run|(?:yarn|pnpm|bun)(?:\\s+run)?" : "p?npm\\s+run"
  const call = new RegExp(`(?<![\\w./-])(?:${runners})(?:-script)?\\s+${RegExp.escape(name)}(?![\\w:.-])`)
  return (line) => line.length <= 1_000 && call.test(line) && !/^\s*(?:#|\/\/)|--if-present|\bcd\s/.test(line)
}
