/** The checks of the rules about manifests and lock files. */

import { recordedIn } from "../../domain/code/Lockfile.ts"
import { changedDependencies, ecosystemOf, lockedPackageJson } from "../../domain/code/Manifest.ts"
import { parseJsonc } from "../../domain/code/parseJsonc.ts"
import { folderOf } from "../../domain/code/Repository.ts"
import { addedLines } from "../../domain/finding/Claims.ts"
import { type Claim, matchOf, type Range, type RuleChange, type RuleFile } from "../../domain/finding/Rule.ts"
import { foldersAbove } from "../../domain/text/foldersAbove.ts"
import type { ChangeChecks } from "../page/Checks.ts"
import { isTouched } from "../shared/changedLines.ts"

type Placed = Claim & { readonly path: string }

const text = (lines: ReadonlyArray<string> | null): string | null => lines?.join("\n") ?? null

/** Packages outside of the product: whether they are installed from their lock file is not important. */
const apart =
  /(?:^|\/)(?:examples?|fixtures?|tests?|__fixtures__|templates?|playgrounds?|docs?|demos?|benchmarks?|integrations)\//i

/** Lock files that are not shared by a workspace. */
const standsAlone = (lock: string): boolean => lock === "go.sum" || lock === "Gemfile.lock"

/** The lock files that may record this manifest: in the same folder, and above it, where a workspace has its own. */
const locksOf = (path: string, names: ReadonlyArray<string>, headPaths: ReadonlySet<string>): ReadonlyArray<string> => {
  if (apart.test(path)) return []
  // A Go module and a Gemfile have their lock file in the same folder, or none.
  const folders = names.some(standsAlone) ? [folderOf(path)] : foldersAbove(path)
  return folders.flatMap((folder) => names.map((name) => `${folder}${name}`)).filter((lock) => headPaths.has(lock))
}

/** The lock files that may still have a dependency after nothing requires it. */
const keepsMore = /(?:go\.sum|Cargo\.lock|yarn\.lock)$/

const sectionless = (name: string): string =>
  name.replace(/^(?:dependencies|devDependencies|optionalDependencies)\./, "")

const staleLocks = ({ files, headPaths, lockfiles }: RuleChange): ReadonlyArray<Placed> => {
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
    const locks = locksOf(file.path, ecosystem.locks, headPaths)
    if (now === null || then === null || locks.some((lock) => touched.has(lock))) continue
    const { wanted, removed } = changedDependencies(then, now)
    if (wanted.length + removed.length === 0) continue
    for (const lock of locks) {
      const folder = folderOf(file.path).slice(folderOf(lock).length, -1)
      const pair = { text: lockfiles.get(lock) ?? "", folder, base: then }
      const isRecorded = recordedIn(lock.slice(folderOf(lock).length), pair)
      if (isRecorded === null) continue
      const isStale = (name: string) => {
        const [before, after] = [then.dependencies.get(name), now.dependencies.get(name)]
        return before === undefined || isRecorded(name, before) ? !isRecorded(name, after ?? "") : false
      }
      const kept = keepsMore.test(lock) ? [] : removed
      changed.push({ file, names: [...wanted.filter(isStale), ...kept.filter(isStale)], lock })
      break
    }
  }
  return changed.flatMap(({ file, names, lock }) => {
    // Packages of this repository are linked, not locked: a release updates them in many manifests at once.
    const foreign = [...new Set(names.map(sectionless))].filter((name) => !ownPackages.has(name))
    if (foreign.length === 0) return []
    const shown = foreign.slice(0, 3).join(", ") + (foreign.length > 3 ? ` and ${foreign.length - 3} more` : "")
    return [
      {
        path: file.path,
        ...addedLineWith(file, foreign[0]!),
        description: `${lock} is unchanged, but ${shown} changed here.`
      }
    ]
  })
}

/** The first added line with the dependency; for a removal, the file as a whole. */
const addedLineWith = (file: RuleFile, name: string): Range => {
  const word = name.slice(name.lastIndexOf(".") + 1)
  for (const { line, text } of addedLines(file.diff)) {
    const found = [name, word].find((each) => text.includes(each))
    if (found === undefined) continue
    const whole = new RegExp(`(?<![\\w-])${RegExp.escape(found)}(?![\\w-])`).exec(text)
    return matchOf(line, whole ?? { 0: found, index: text.indexOf(found) })
  }
  return { line: 0 }
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
    const now = head === null ? null : lockedPackageJson(parseJsonc(head), "packages", "")
    const then = base === null ? null : lockedPackageJson(parseJsonc(base), "packages", "")
    if (now === null || then === null) return []
    const { wanted, removed } = changedDependencies(then, now)
    const names = [...new Set([...wanted, ...removed].map(sectionless))]
    if (names.length === 0) return []
    return [
      {
        path: file.path,
        ...addedLineWith(file, names[0]!),
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
