/** The folders in which package managers keep what a project depends on; git usually ignores them. */
import { nameOf } from "../code/Repository.ts"
import { compareText } from "../text/compareText.ts"

const byManifest: ReadonlyArray<readonly [manifest: string, folders: ReadonlyArray<string>]> = [
  ["package.json", ["node_modules"]],
  ["deno.json", ["node_modules", "vendor"]],
  ["pyproject.toml", [".venv", "venv"]],
  ["setup.py", [".venv", "venv"]],
  ["setup.cfg", [".venv", "venv"]],
  ["requirements.txt", [".venv", "venv"]],
  ["Pipfile", [".venv", "venv"]],
  ["tox.ini", [".venv", "venv"]],
  ["composer.json", ["vendor"]],
  ["Gemfile", ["vendor/bundle", ".bundle"]],
  ["mix.exs", ["deps", "_build"]],
  ["go.mod", ["vendor"]],
  ["Cargo.toml", ["vendor"]],
  ["Package.swift", [".build"]]
]

export const manifestNames: ReadonlyArray<string> = byManifest.map(([name]) => name)

/** The folders that may be beside these manifests; relative paths without a slash at the end. Sorted. */
export const dependencyFolders = (manifests: ReadonlyArray<string>): ReadonlyArray<string> => {
  const folders = manifests.flatMap((path) => {
    const names = byManifest.find(([manifest]) => manifest === nameOf(path))?.[1] ?? []
    return names.map((name) => `${path.slice(0, path.length - nameOf(path).length)}${name}`)
  })
  return [...new Set(folders)].toSorted(compareText)
}
