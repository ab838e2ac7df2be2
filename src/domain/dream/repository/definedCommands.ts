/**
 * The commands that a project defines, as families (`commandFamily.ts`): scripts of `package.json` under each runner, targets
 * of a Makefile or justfile, scripts of `composer.json`, and the command of its tests.
 *
 * Read from files at the root. Names with unusual characters are left out, so that no text of a file becomes a command.
 */
import { decidingFiles, projectFiles } from "../../brief/runners/ProjectFiles.ts"
import { detectTests } from "../../fix/detectTests.ts"
import { readCommand } from "../commandFamily.ts"
import { scriptsOf, targetsOf } from "./projectTasks.ts"

/** The files whose texts decide. */
export const commandFiles = (files: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...new Set([...decidingFiles([""], files).read, ...files.filter((path) => taskFile.test(path))])
]

const makefile = /^(?:GNUm|M|m)akefile$/
const justfile = /^\.?[jJ]ustfile$/
const taskFile = /^(?:(?:GNUm|M|m)akefile|\.?[jJ]ustfile|package\.json|composer\.json)$/

export const definedCommands = (
  files: ReadonlyArray<string>,
  textOf: (path: string) => string | null
): ReadonlySet<string> => {
  const found = new Set<string>()
  for (const path of files.filter((each) => taskFile.test(each))) {
    for (const family of familiesOf(path, textOf(path) ?? "")) found.add(family)
  }
  const deciding = decidingFiles([""], files)
  const texts = new Map(deciding.read.map((path) => [path, textOf(path) ?? ""]))
  const tests = detectTests([], projectFiles(deciding, texts))
  const family = tests === null ? undefined : readCommand(tests.command)?.family
  return family === undefined ? found : found.add(family)
}

const familiesOf = (path: string, text: string): ReadonlyArray<string> => {
  if (path === "package.json") return scriptsOf(text).flatMap(scriptFamilies)
  if (path === "composer.json")
    return scriptsOf(text).flatMap((script) => [`composer ${script}`, `composer run ${script}`])
  const runner = makefile.test(path) ? "make" : justfile.test(path) ? "just" : null
  return runner === null ? [] : targetsOf(text).map((target) => `${runner} ${target}`)
}

const scriptFamilies = (script: string): ReadonlyArray<string> => [
  ...["npm", "pnpm", "yarn", "bun"].map((runner) => `${runner} run ${script}`),
  `pnpm ${script}`,
  `yarn ${script}`,
  ...(script === "test" || script === "start" ? [`npm ${script}`] : [])
]
