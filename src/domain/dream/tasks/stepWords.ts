/**
 * Steps of a session in words that a person can use in another session: "edit the file named in the error", "run bun test".
 * Words are made of roles of files, names of common settings files and command families; arguments, outputs and names of
 * other files never enter them.
 */
import { isDocument } from "../../change/TestFile.ts"
import { isPlainCommand, isPlainLine, isPlainPath } from "../packet/plainText.ts"
import { shellEdit } from "../repository/shellEdit.ts"
import type { SessionStep } from "../SessionView.ts"

export type FileRole = "test" | "document" | "settings" | "types" | "source"

export const roleOf = (file: string): FileRole => {
  if (settings.test(file)) return "settings"
  if (/(?:^|\/)(?:tests?|__tests__|specs?|e2e)\/|[._-](?:test|spec)s?\.\w+$|(?:^|\/)test_[^/]+$/.test(file))
    return "test"
  if (/\.d\.[cm]?ts$|(?:^|\/)types?(?:\/|\.[cm]?tsx?$)|\.pyi$/.test(file)) return "types"
  return isDocument(file) ? "document" : "source"
}

/** Files that projects of the same kind share, so that their names mean something elsewhere. */
const settings =
  /(?:^|\/)(?:package\.json|tsconfig[\w.]*\.json|deno\.jsonc?|biome\.jsonc?|\.eslintrc[\w.]*|\.prettierrc[\w.]*|bunfig\.toml|Cargo\.toml|rust-toolchain(?:\.toml)?|pyproject\.toml|setup\.(?:cfg|py)|tox\.ini|pytest\.ini|conftest\.py|requirements[\w-]*\.txt|go\.mod|Gemfile|pom\.xml|build\.gradle(?:\.kts)?|composer\.json|mix\.exs|Makefile|Dockerfile|(?:docker-)?compose\.ya?ml|\.env\.example|\w+\.config\.[cm]?[jt]s)$/

const nameOf = (file: string): string => file.slice(file.lastIndexOf("/") + 1)

/** A step that may have changed whether a check succeeds. */
export interface Change {
  /** Null for a change that has no relation with the error: whether it helped cannot be told. */
  readonly words: string | null
  /** The file or the command, if it may be shown. */
  readonly detail: string | null
  /** Does it edit files, rather than their surroundings? */
  readonly isEdit: boolean
}

/** The changes of a step; none for one that reads, checks or was not done. `named`: files that the error names. */
export const changesOf = (step: SessionStep, named: ReadonlyArray<string>): ReadonlyArray<Change> => {
  if (step.result !== "ok") return []
  if (step.action === "edit") {
    // Documents change no check, except one that names them.
    const files = step.files.filter((file) => roleOf(file) !== "document" || isNamed(file, named))
    return files.map((file) => ({ words: editWords(file, named), detail: fileDetail(file, named), isEdit: true }))
  }
  if (step.action !== "run" || step.command === null || step.purpose === "commit") return []
  const words = setupWords(step.command, step)
  if (words !== null) return [{ words, detail: lineDetail(step), isEdit: false }]
  // What a command of an unknown kind does is unknown, too.
  const isUnknown = step.purpose === "other" && !inspection.test(step.family ?? "")
  return isUnknown || shellEdit.test(step.command) ? [{ words: null, detail: null, isEdit: true }] : []
}

/** Null for a file that the error names, which is another one next time. */
export const fileDetail = (file: string, named: ReadonlyArray<string>): string | null =>
  isNamed(file, named) || !isPlainPath(file) ? null : file

/** Null if the words have all of it. */
export const lineDetail = ({ command, family }: SessionStep): string | null =>
  command === null || family === null || !isPlainLine(command, family) ? null : command

const editWords = (file: string, named: ReadonlyArray<string>): string | null => {
  if (isNamed(file, named)) return "edit the file named in the error"
  const role = roleOf(file)
  if (role === "settings") return `edit ${nameOf(file)}`
  if (role === "test") return "edit the test"
  if (role === "types") return "edit the type definitions"
  const isOfTest = (other: string) =>
    roleOf(other) === "test" && stemOf(other) === stemOf(file) && languageOf(other) === languageOf(file)
  return named.some(isOfTest) ? "edit the source of the test named in the error" : null
}

const languageOf = (file: string): string => file.slice(file.lastIndexOf(".") + 1).replace(/^[cm]?[jt]sx?$/, "js")

const stemOf = (file: string): string =>
  nameOf(file)
    .replace(/\.\w+$/, "")
    .replace(/^test_|[._-](?:test|spec)s?$/g, "")

/** Null for a step that reads nothing of a known role. Reading further source files is part of every repair. */
export const readWords = (step: SessionStep, named: ReadonlyArray<string>): string | null => {
  const file = step.files[0]
  if (step.action !== "read" || step.result !== "ok" || file === undefined) return null
  if (isNamed(file, named)) return "read the file named in the error"
  const role = roleOf(file)
  if (role === "settings") return `read ${nameOf(file)}`
  return role === "types" ? "read the type definitions" : role === "test" ? "read the test" : null
}

/** An error names files relative to the directory of the command. */
const isNamed = (file: string, named: ReadonlyArray<string>): boolean =>
  named.some((each) => file === each || file.endsWith(`/${each}`) || each.endsWith(`/${file}`))

/** Null for a family that could be read as a sentence. */
export const runWords = (family: string | null): string | null =>
  family !== null && isPlainCommand(family) ? `run ${family}` : null

const inspection =
  /^(?:ls|cat|head|tail|less|grep|rg|ag|find|fd|wc|file|which|pwd|echo|printf|env|date|stat|tree|jq|sed|awk|sort|diff|cd|true|sleep|ps|lsof|du|df|whoami|uname|git (?:status|diff|log|show|blame|branch|grep|ls-files|remote|rev-parse|add|fetch)|gh .*|docker (?:ps|logs)|kubectl (?:get|describe|logs))$/

/** Programs at the beginning of a command or of a part of it. */
const setup =
  /(?:^|[;&|(]\s*|xargs\s+(?:-\w+\s+)*)(?:sudo\s+)?(?:(mkdir|touch|chmod|chown|cp|ln|p?kill(?:all)?)\s|(docker(?: |-)compose\s+(?:-\S+\s+)*up)\b|(rm)\s[^;&|]*\b(?:node_modules|dist|build|target|cache|__pycache__|lock)\b|(systemctl|service|brew services)\s+(?:\S+\s+)?(?:re)?start\b)/

const setups: Readonly<Record<string, string>> = {
  mkdir: "create the missing directory with mkdir -p",
  touch: "create the missing file with touch",
  chmod: "change the permissions with chmod",
  chown: "change the owner with chown",
  cp: "copy the missing file into place with cp",
  ln: "link the missing file with ln",
  rm: "remove generated files with rm"
}

const setupOf = (command: string): string | null => {
  const [, program, compose, remove, service] = setup.exec(command) ?? []
  if (compose !== undefined) return "start the services with docker compose up"
  if (service !== undefined) return "start the missing service"
  const name = program ?? remove
  return name === undefined ? null : (setups[name] ?? "stop the process that is in the way with kill")
}

const generates =
  /\b(?:generate|codegen|gen|migrate|migrations?|setup|init|bootstrap|seed|sync|prepare|restore|clean)\b/

/** A command that changes the surroundings of a check, in words without its arguments; null for any other command. */
const setupWords = (command: string, { family, purpose }: SessionStep): string | null => {
  const known = setupOf(command)
  if (known !== null) return known
  if (family === null || !isPlainCommand(family)) return null
  if (purpose === "install") return `install the dependencies with ${family}`
  if (purpose === "format" || purpose === "build") return `run ${family}`
  return purpose === "other" && generates.test(family) ? `run ${family}` : null
}
