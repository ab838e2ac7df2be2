/** The checks of the rules about manifests and lock files. */

import { changedDependencies, ecosystemOf, lockedPackageJson } from "../../domain/code/Manifest.ts"
import { folderOf } from "../../domain/code/Repository.ts"
import type { Claim, RuleChange, RuleFile } from "../../domain/finding/Rule.ts"
import { foldersAbove } from "../../domain/text/foldersAbove.ts"
import type { ChangeChecks } from "../page/Checks.ts"
import { isTouched } from "../shared/changedLines.ts"

type Placed = Claim & { readonly path: string }

const parentOf = (folder: string): string => folder.slice(0, folder.lastIndexOf("/", folder.length - 2) + 1)

const text = (lines: ReadonlyArray<string> | null): string | null => lines?.join("\n") ?? null

/** Packages outside of the product, which are usually not part of a workspace. */
const apart =
  /(?:^|\/)(?:examples?|fixtures?|tests?|__fixtures__|templates?|playgrounds?|docs?|demos?|benchmarks?|integrations)\//i

/** Lock files that are not shared by a workspace. */
const standsAlone = (lock: string): boolean => lock === "go.sum" || lock === "Gemfile.lock"

/** The lock file of this manifest: in the same folder, else the nearest one above it, which a workspace shares. */
const lockOf = (path: string, locks: ReadonlyArray<string>, headPaths: ReadonlySet<string>): string | null => {
  const own = folderOf(path)
  for (let folder = own; ; folder = parentOf(folder)) {
    const lock = locks.map((name) => `${folder}${name}`).find((candidate) => headPaths.has(candidate))
    if (lock !== undefined) return lock
    // A Go module and a Gemfile have their lock file in the same folder, or none.
    if (folder === "" || apart.test(path) || locks.some(standsAlone)) return null
  }
}

const sectionless = (name: string): string =>
  name.replace(/^(?:dependencies|devDependencies|optionalDependencies)\./, "")

const staleLocks = ({ files, headPaths }: RuleChange): ReadonlyArray<Placed> => {
  const touched = new Set(files.filter(isTouched).map(({ path }) => path))
  const ownPackages = new Set<string>()
  const changed: Array<{ readonly file: RuleFile; readonly names: ReadonlyArray<string>; readonly lock: string }> = []
  for (const file of files) {
    const ecosystem = ecosystemOf(file.path)
    // A new entry of mix.exs is often in mix.lock already, because another dependency needs it.
    if (ecosystem === null || ecosystem.manifest === "mix.exs") continue
    const [head, base] = [text(file.head), text(file.base)]
    if (head === null) continue
    const now = ecosystem.read(head)
    if (now?.name != null) ownPackages.add(now.name)
    const then = base === null ? null : ecosystem.read(base)
    const lock = lockOf(file.path, ecosystem.locks, headPaths)
    if (now === null || then === null || lock === null || touched.has(lock)) continue
    // A changed lock file of the workspace counts for its members, even if they have an old lock file of their own.
    const lockName = lock.slice(folderOf(lock).length)
    if (!standsAlone(lockName) && foldersAbove(file.path).some((above) => touched.has(`${above}${lockName}`))) continue
    const { wanted, removed } = changedDependencies(then, now)
    // A lock file may keep what is no longer required (go.sum), so a removal alone is not conclusive.
    const names = /(?:go\.sum|Cargo\.lock)$/.test(lock) ? wanted : [...wanted, ...removed]
    if (names.length > 0) changed.push({ file, names, lock })
  }
  return changed.flatMap(({ file, names, lock }) => {
    // Packages of this repository are linked, not locked: a release updates them in many manifests at once.
    const foreign = [...new Set(names.map(sectionless))].filter((name) => !ownPackages.has(name))
    if (foreign.length === 0) return []
    const shown = foreign.slice(0, 3).join(", ") + (foreign.length > 3 ? ` and ${foreign.length - 3} more` : "")
    return [
      {
        path: file.path,
        line: addedLineWith(file, foreign[0]!),
        description: `${lock} is unchanged, but ${shown} changed here.`
      }
    ]
  })
}

/** The first added line with the dependency; for a removal, the file as a whole. */
const addedLineWith = (file: RuleFile, name: string): number => {
  const word = name.slice(name.lastIndexOf(".") + 1)
  for (const hunk of file.diff.hunks) {
    for (const { kind, newLine, text } of hunk.lines) {
      if (kind === "added" && newLine !== null && (text.includes(name) || text.includes(word))) return newLine
    }
  }
  return 0
}

/** Changes after which package-lock.json and package.json have different dependencies of the root package. */
const staleManifests = ({ files, headPaths }: RuleChange): ReadonlyArray<Placed> => {
  const byPath = new Map(files.map((file) => [file.path, file]))
  return files.flatMap((file) => {
    if (!file.path.endsWith("package-lock.json") || !isTouched(file)) return []
    const manifest = `${folderOf(file.path)}package.json`
    const known = byPath.get(manifest)
    if ((known !== undefined && isTouched(known)) || (headPaths.size > 0 && !headPaths.has(manifest))) return []
    const [head, base] = [text(file.head), text(file.base)]
    const now = head === null ? null : lockedPackageJson(head)
    const then = base === null ? null : lockedPackageJson(base)
    if (now === null || then === null) return []
    const { wanted, removed } = changedDependencies(then, now)
    const names = [...new Set([...wanted, ...removed].map(sectionless))]
    if (names.length === 0) return []
    return [
      {
        path: file.path,
        line: addedLineWith(file, names[0]!),
        description: `${manifest} is unchanged, but its entry in the lock file changed for ${names.slice(0, 3).join(", ")}.`
      }
    ]
  })
}

/** A lock file of another package manager, added to a folder that has one already. */
const secondLocks = ({ files, headPaths }: RuleChange): ReadonlyArray<Placed> => {
  const locks = ecosystemOf("package.json")?.locks ?? []
  return files.flatMap(({ path, diff }) => {
    const folder = folderOf(path)
    const name = path.slice(folder.length)
    if (diff.status !== "added" || !locks.includes(name)) return []
    const other = locks.find((lock) => managerOf(lock) !== managerOf(name) && headPaths.has(`${folder}${lock}`))
    return other === undefined
      ? []
      : [{ path, line: 0, description: `${folder}${other} exists too and belongs to ${managerOf(other)}.` }]
  })
}

const managerOf = (lock: string): string =>
  lock === "yarn.lock" ? "yarn" : lock === "pnpm-lock.yaml" ? "pnpm" : lock.startsWith("bun.") ? "bun" : "npm"

export const changeChecks: ChangeChecks = {
  "lockfile-out-of-step": staleLocks,
  "manifest-out-of-step": staleManifests,
  "second-lockfile": secondLocks
}
