/** Resolves Go's imports by go.mod and folders, and finds the packages that a file loads. */
import { folderOf, type PathIndex, type Repository } from "../../domain/code/Repository.ts"
import { foldersAbove } from "../../domain/text/foldersAbove.ts"
import { type Language, type LoadedModule, type MissingFinder, missingAt } from "../Language.ts"

interface GoModule {
  readonly name: string
  /** With its slash. */
  readonly folder: string
}

const goModules = ({ byName, data }: Repository): ReadonlyArray<GoModule> =>
  (byName.get("go.mod") ?? []).flatMap((path) => {
    const name = /^module\s+"?([^\s"]+)/m.exec(data.get(path) ?? "")?.[1]
    return name === undefined ? [] : [{ name, folder: folderOf(path) }]
  })

/** The files of a folder that form its importable package. */
export const filesOfPackage = (folder: string, { byFolder }: PathIndex): ReadonlyArray<string> =>
  (byFolder.get(folder) ?? []).filter((path) => path.endsWith(".go") && !path.endsWith("_test.go"))

export const resolveGo: Language["resolve"] = (_from, { module }, repository) => {
  for (const { folder, name } of repository.once(goModules)) {
    if (module !== name && !module.startsWith(`${name}/`)) continue
    const inside = module.slice(name.length + 1)
    const files = filesOfPackage(`${folder}${inside === "" ? "" : `${inside}/`}`, repository)
    if (files.length > 0) return files
  }
  return []
}

export const missingGo: MissingFinder = (from, { module }, { byName, data }, folders) => {
  const above = foldersAbove(from)
  const owns = (byName.get("go.mod") ?? []).filter((path) => above.includes(folderOf(path)))
  const own = owns.sort((a, b) => b.length - a.length)[0]
  const text = own === undefined ? "" : (data.get(own) ?? "")
  const name = /^module\s+"?([^\s"]+)/m.exec(text)?.[1]
  if (own === undefined || name === undefined || !module.startsWith(`${name}/`)) return null
  // A nested module, in this repository or elsewhere.
  const isOther = [...data].some(([path, each]) => {
    const other = path.endsWith("go.mod") ? /^module\s+"?([^\s"]+)/m.exec(each)?.[1] : undefined
    return other !== undefined && other !== name && (module === other || module.startsWith(`${other}/`))
  })
  const required = text
    .split("\n")
    .map(
      (line) =>
        line
          .trim()
          .replace(/^(?:require|replace)\s+/, "")
          .split(/\s/)[0] ?? ""
    )
    .some((other) => other !== "" && other.startsWith(`${name}/`) && `${module}/`.startsWith(`${other}/`))
  const at = `${folderOf(own)}${module.slice(name.length + 1)}`
  if (isOther || required || folders.has(`${at}/`) || folders.has(`${folderOf(own)}vendor/${module}/`)) return null
  return missingAt(at)
}

export const loadedGo = (_path: string, lines: ReadonlyArray<string>): ReadonlyArray<LoadedModule> => {
  // Files with build conditions are not conclusive.
  const clause = lines.findIndex((line) => /^package\s/.test(line))
  if (clause < 0 || lines.slice(0, clause).some((line) => /^\/\/\s*\+build\b|^\/\/go:build\b/.test(line))) return []
  const found: Array<LoadedModule> = []
  let open = false
  for (let at = clause + 1; at < lines.length; at++) {
    const line = lines[at]!
    if (/^(?:func|type|var|const)\b/.test(line)) break
    if (/^import\s*\(/.test(line)) open = true
    else if (open && /^\s*\)/.test(line)) open = false
    const spec = open || /^import\s/.test(line) ? /^(?:import\s+)?\s*(?:[\w.]+\s+)?"([^"]+)"/.exec(line) : null
    if (spec !== null) found.push({ module: spec[1]!, names: [], line: at + 1, endLine: at + 1 })
  }
  return found
}
