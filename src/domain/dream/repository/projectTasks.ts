/**
 * The scripts and targets that a project defines, and whether it still defines a command. Without Effect: `dd hook event` asks
 * at the start of a session.
 */
import { parseJsonc } from "../../code/parseJsonc.ts"
import { isJsonObject } from "../../system/jsonObject.ts"
import { readCommand } from "../commandFamily.ts"

const name = /^[\w:.-]{1,60}$/

/** Of a `package.json` or `composer.json`. Names with unusual characters are left out. */
export const scriptsOf = (text: string): ReadonlyArray<string> => {
  const manifest: unknown = parseJsonc(text)
  const scripts = isJsonObject(manifest) ? manifest.scripts : undefined
  return isJsonObject(scripts) ? Object.keys(scripts).filter((script) => name.test(script)) : []
}

/** Of a Makefile or justfile: a line `name:` without indentation; assignments (`name :=`) and patterns are none. */
export const targetsOf = (text: string): ReadonlyArray<string> =>
  text.split("\n").flatMap((line) => {
    const target = /^([\w.-]+)(?: [^:=]*)?:(?!=)/.exec(line.slice(0, 200))?.[1] ?? ""
    return name.test(target) && !target.startsWith(".") ? [target] : []
  })

/** The manager of packages that writes each lock file. */
export const lockFiles: Readonly<Record<string, string>> = {
  "package-lock.json": "npm",
  "npm-shrinkwrap.json": "npm",
  "pnpm-lock.yaml": "pnpm",
  "yarn.lock": "yarn",
  "bun.lock": "bun",
  "bun.lockb": "bun",
  "uv.lock": "uv",
  "poetry.lock": "poetry",
  "pdm.lock": "pdm",
  "Pipfile.lock": "pipenv"
}

/** What can be asked of a project without starting a process. Paths are relative to its root. */
export interface ProjectTexts {
  readonly exists: (path: string) => boolean
  /** Null if there is no such file. */
  readonly text: (path: string) => string | null
}

/**
 * Is this family of commands still defined? True for commands that no file of the project defines. `folders`: where a file that
 * defines them may be, each with its slash; the root is "".
 */
export const isDefined = (family: string, folders: ReadonlyArray<string>, { exists, text }: ProjectTexts): boolean => {
  const [program = "", ...words] = family.split(" ")
  const texts = (names: ReadonlyArray<string>) =>
    folders.flatMap((folder) => names.flatMap((each) => text(`${folder}${each}`) ?? []))
  if (words.length === 0 && managers.has(program)) {
    const locks = Object.entries(lockFiles).flatMap(([file, manager]) => (exists(file) ? [manager] : []))
    const hasManifest = !scripted.has(program) || texts(["package.json"]).length > 0
    return hasManifest && (locks.length === 0 || locks.includes(program))
  }
  const targetFiles = targetFilesOf[program]
  if (targetFiles !== undefined) {
    const found = texts(targetFiles)
    const [target = ""] = words
    if (found.length === 0) return false
    if (!/^[\w.-]+$/.test(target) || found.some((each) => /^-?s?(?:include|import) /m.test(each))) return true
    return found.some((each) => targetsOf(each).includes(target))
  }
  const script = scriptIn(program, words)
  if (script === null) return true
  const manifests = texts([program === "composer" ? "composer.json" : "package.json"])
  const isFile = program === "bun" && /\.[cm]?[jt]sx?$/.test(script) && exists(script)
  return isFile || manifests.some((each) => scriptsOf(each).includes(script))
}

const managers: ReadonlySet<string> = new Set(Object.values(lockFiles))
/** Managers that run scripts of `package.json`. */
const scripted: ReadonlySet<string> = new Set(["npm", "pnpm", "yarn", "bun"])

const targetFilesOf: Readonly<Record<string, ReadonlyArray<string>>> = {
  make: ["Makefile", "makefile", "GNUmakefile"],
  just: ["justfile", "Justfile", ".justfile"]
}

/** Null if the command runs none, or if that cannot be told: `yarn tsc` runs a program. */
const scriptIn = (program: string, [first = "", second = ""]: ReadonlyArray<string>): string | null => {
  if (!scripted.has(program) && program !== "composer") return null
  if (first === "run") return name.test(second) ? second : null
  if (first === "start" || first === "test") return program === "bun" ? null : first
  const isCheck = /^(?:test|build|check|format)$/.test(readCommand(`${program} ${first}`)?.purpose ?? "")
  return program !== "npm" && program !== "bun" && isCheck && readCommand(first)?.purpose === "other" ? first : null
}
