/** How a JavaScript or TypeScript package runs one of its test files. */

import { parseJsonc } from "../../code/parseJsonc.ts"
import { folderOf, objectOf } from "../../code/Repository.ts"
import { shellCommands } from "../../system/shellWords.ts"
import { foldersAbove } from "../../text/foldersAbove.ts"
import type { Place } from "../Place.ts"
import { nearestWith, type ProjectFiles, placeIn } from "./ProjectFiles.ts"
import type { TestRun } from "./TestRun.ts"

interface Runner {
  readonly name: string
  /** Its call in a script. */
  readonly call: RegExp
  /** A configuration file of its own. */
  readonly config?: RegExp
  /** The program with its arguments before the files. */
  readonly program: string
  /** It comes with the engine, and needs no package manager. */
  readonly builtIn?: true
  /** A script that only calls it, to which files are appended rather than calling the program. */
  readonly plain?: RegExp
  /** What the files appended to a script need before them. */
  readonly option?: string
}

const runners: ReadonlyArray<Runner> = [
  {
    name: "vitest",
    call: /\bvitest\b/,
    config: /^vitest\.config\.\w+$/,
    program: "vitest run",
    plain: /^vitest (?:run|--run)(?: --?[\w./=-]+)*$/,
    option: "--run "
  },
  {
    name: "jest",
    call: /\bjest\b/,
    config: /^jest\.config\.\w+$/,
    program: "jest --runTestsByPath",
    plain: /^jest(?: --?[\w./=-]+)*$/,
    option: "--runTestsByPath "
  },
  { name: "mocha", call: /\bmocha\b/, config: /^\.mocharc\.\w+$/, program: "mocha" },
  { name: "ava", call: /\bava\b/, config: /^ava\.config\.\w+$/, program: "ava" },
  { name: "borp", call: /\bborp\b/, program: "borp" },
  { name: "tap", call: /(?:^|[\s/])tap(?=\s|$)/, program: "tap" },
  { name: "node --test", call: /\bnode\b.*\s--test(?=\s|$)/, program: "node --test", builtIn: true },
  { name: "bun test", call: /\bbun test(?=\s|$)/, program: "bun test", builtIn: true },
  { name: "deno test", call: /\bdeno test\b/, program: "deno test -A", builtIn: true },
  { name: "playwright", call: /\bplaywright test\b/, config: /^playwright\.config\.\w+$/, program: "playwright test" }
]

const managers = [
  { lock: /^pnpm-lock\.yaml$/, exec: "pnpm exec ", test: "pnpm test", run: "pnpm run ", files: "" },
  { lock: /^yarn\.lock$/, exec: "yarn ", test: "yarn test", run: "yarn run ", files: "" },
  { lock: /^bun\.lockb?$/, exec: "bunx ", test: "bun run test", run: "bun run ", files: "" }
] as const
const npm = { exec: "npx ", test: "npm test", run: "npm run ", files: "-- " } as const

export const scriptRun = (path: string, files: ProjectFiles): TestRun | null => {
  // A type checker runs the tests of types.
  if (/-d\.[cm]?tsx?$/.test(path)) return null
  const manifests = foldersAbove(path).flatMap((folder) => files.in(folder, /^package\.json$/))
  const packages = manifests.map((manifest) => [manifest, objectOf(parseJsonc(files.text(manifest)))] as const)
  for (const [manifest, content] of packages) {
    const found = runnerIn(path, manifest, content, files)
    if (found !== null) return runWith(found, path, manifest, files)
  }
  const [nearest] = packages
  const found = nearest === undefined ? null : dependencyIn(...nearest, files)
  return nearest === undefined || found === null ? null : runWith(found, path, nearest[0], files)
}

/** The script `test` of the package in a folder, whatever it runs; null without one. */
export const packageTest = (folder: string, files: ProjectFiles): Pick<TestRun, "source" | "command"> | null => {
  const [manifest] = files.in(folder, /^package\.json$/)
  if (manifest === undefined) return null
  const { scripts } = objectOf(parseJsonc(files.text(manifest)))
  if (!hasTest(objectOf(scripts))) return null
  const source = placeIn(files, manifest, /^[ \t]*"test"\s*:/m) ?? { file: manifest, line: 0 }
  return { source, command: managerOf(manifest, files).test }
}

/** Other than what `npm init` writes. */
const hasTest = ({ test }: Readonly<Record<string, unknown>>): boolean =>
  typeof test === "string" && !test.includes("no test specified")

const managerOf = (path: string, files: ProjectFiles) =>
  managers.find(({ lock }) => nearestWith(files, path, lock) !== null) ?? npm

interface FoundRunner {
  readonly runner: Runner
  readonly source: Place
  /** The script that calls it; null without one. */
  readonly script: { readonly name: string; readonly text: string } | null
}

/** In the script `test` first, then in the others; else a configuration file in the folder. */
const runnerIn = (
  path: string,
  manifest: string,
  { scripts }: Readonly<Record<string, unknown>>,
  files: ProjectFiles
): FoundRunner | null => {
  const isBrowser = /(?:^|\/)(?:e2e|playwright)\//.test(path)
  const possible = isBrowser ? runners : runners.filter(({ name }) => name !== "playwright")
  const named = Object.entries(objectOf(scripts))
    .filter(([name]) => /^(?:test|unit)(?:[:.-][\w:.-]*)?$/.test(name))
    .toSorted(([a], [b]) => Number(b === "test") - Number(a === "test"))
  for (const [name, script] of named) {
    if (typeof script !== "string") continue
    const calls = possible
      .map((runner) => ({ runner, at: script.search(runner.call) }))
      .filter(({ at }) => at >= 0)
      .toSorted((a, b) => a.at - b.at)
    const [first] = calls
    if (first === undefined) continue
    const line = placeIn(files, manifest, new RegExp(`^[ \\t]*"${name.replace(/\W/g, "\\$&")}"\\s*:`, "m"))
    const source = line ?? { file: manifest, line: 0 }
    return { runner: first.runner, source, script: { name, text: script } }
  }
  for (const runner of possible) {
    const [config] = runner.config === undefined ? [] : files.in(folderOf(manifest), runner.config)
    if (config !== undefined) return { runner, source: { file: config, line: 0 }, script: null }
  }
  return null
}

/** In a package without a script `test`, the runner that it depends on. */
const dependencyIn = (
  manifest: string,
  { dependencies, devDependencies, scripts }: Readonly<Record<string, unknown>>,
  files: ProjectFiles
): FoundRunner | null => {
  if (hasTest(objectOf(scripts))) return null
  const installed = { ...objectOf(dependencies), ...objectOf(devDependencies) }
  const runner = runners.find(({ config, name }) => config !== undefined && Object.hasOwn(installed, name))
  if (runner === undefined) return null
  const source = placeIn(files, manifest, new RegExp(`^.*"${runner.name}"\\s*:`, "m"))
  return { runner, source: source ?? { file: manifest, line: 0 }, script: null }
}

/** Options that decide what is printed and how fast, not whether a test passes. */
const harmless =
  /^--?(?:run|test|watch\w*|w|coverage|verbose|silent|ci|colou?rs?|bail|b|exit|recursive|passWithNoTests|runInBand|i|reporters?|R|parallel)(?:=.*)?$/
/** Before the program: what finds it, and what measures coverage. */
const launcher = /^(?:(?:npx|bunx|pnpm|yarn|exec|c8|nyc)\s+(?:--?\S+\s+)*)*/

/**
 * How the script calls the runner: `bare` if its tests run without the script as well; `last` if it has other options or
 * variables, and files can be appended to it; else `inside`.
 */
const callIn = (script: string, { call }: Runner): "bare" | "last" | "inside" => {
  const parts = shellCommands(script).map(({ words }) => words.join(" "))
  const at = parts.findIndex((part) => call.test(part))
  const part = parts[at] ?? ""
  const start = part.search(call)
  const before = part.slice(0, start).replace(/\S*$/, "").trimStart().replace(launcher, "")
  const options = part.slice(start).match(/(?<=\s)-[^\s]+/g) ?? []
  if (before === "" && options.every((option) => harmless.test(option))) return "bare"
  return at === parts.length - 1 ? "last" : "inside"
}

/** Options whose value is the next word. */
const withValue =
  /^(?:-[rcu]|--(?:require|import|loader|experimental-loader|config|project|tsconfig|ui|extension|timeout|environment|env-file|dir|root|rootDir|setup-file|conditions))$/

/** The call in a script without what finds it, what watches or reports, and the files that it names. */
const directCall = (script: string, { builtIn, call, program }: Runner): string => {
  const part = script.split(/&&|[|;]/).find((each) => call.test(each)) ?? ""
  const match = call.exec(part)
  if (match === null) return program
  const start = part.slice(0, match.index).search(/\S*$/)
  const [, variables = "", before = ""] =
    /^\s*(?:cross-env\s+)?((?:[A-Za-z_]\w*=\S*\s+)*)(.*)$/.exec(part.slice(0, start)) ?? []
  const launched = `${before.trim()} `.replace(launcher, "").trim()
  const own = part.slice(start, match.index + match[0].length)
  const first = builtIn === true || launched !== "" ? own : own.includes("/") ? program.replace(/^\S+/, own) : program
  const words = part
    .slice(match.index + match[0].length)
    .trim()
    .split(/\s+/)
  const kept = words.filter((word, at) =>
    word.startsWith("-") ? !harmless.test(word) : withValue.test(words[at - 1] ?? "")
  )
  return [variables.trim(), launched, first, ...kept].filter((word) => word !== "").join(" ")
}

const runWith = (
  { runner, script, source }: FoundRunner,
  path: string,
  manifest: string,
  files: ProjectFiles
): TestRun => {
  const folder = folderOf(manifest)
  const inside = path.slice(folder.length)
  const manager = managerOf(path, files)
  const run = { runner: runner.name, source, folder, separator: " " } as const
  const called = script === null ? "bare" : callIn(script.text, runner)
  const isPlain = script?.name === "test" && runner.plain?.test(script.text) === true
  const inPackage = runner.name === "bun test" || inside.startsWith("-") ? `./${inside}` : inside
  const own = script === null || script.name === "test" ? manager.test : `${manager.run}${script.name}`
  const direct = { call: script === null ? runner.program : directCall(script.text, runner), argument: inPackage }
  if (called === "inside") return { ...run, direct, command: own, argument: null, takesFolder: false }
  const isRunning = runner.name === "vitest" && /\s(?:--)?run\b/.test(script?.text ?? "")
  const command =
    isPlain || called === "last"
      ? `${own} ${manager.files}${isRunning ? "" : (runner.option ?? "")}`.trimEnd()
      : `${runner.builtIn === true ? "" : manager.exec}${runner.program}`
  return {
    ...run,
    direct,
    command,
    argument: inPackage,
    takesFolder: !command.includes("ByPath")
  }
}
