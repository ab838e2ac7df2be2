/** How a JavaScript or TypeScript package runs one of its test files. */

import { parseJsonc } from "../../code/parseJsonc.ts"
import { folderOf, objectOf } from "../../code/Repository.ts"
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
  /** A script that only calls it with options, so that files may be appended. */
  readonly plain?: RegExp
  /** What the appended files need before them. */
  readonly option?: string
}

const runners: ReadonlyArray<Runner> = [
  {
    name: "vitest",
    call: /\bvitest\b/,
    config: /^vitest\.config\.\w+$/,
    program: "vitest run",
    plain: /^vitest (?:run|--run)(?: --?[\w./=-]+)*$/
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
  { name: "node --test", call: /\bnode\b.*\s--test\b/, program: "node --test", builtIn: true },
  { name: "bun test", call: /\bbun test(?=\s|$)/, program: "bun test", builtIn: true },
  { name: "deno test", call: /\bdeno test\b/, program: "deno test -A", builtIn: true },
  { name: "playwright", call: /\bplaywright test\b/, config: /^playwright\.config\.\w+$/, program: "playwright test" }
]

const managers = [
  { lock: /^pnpm-lock\.yaml$/, exec: "pnpm exec ", test: "pnpm test " },
  { lock: /^yarn\.lock$/, exec: "yarn ", test: "yarn test " },
  { lock: /^bun\.lockb?$/, exec: "bunx ", test: "bun run test " }
] as const
const npm = { exec: "npx ", test: "npm test -- " } as const

export const scriptRun = (path: string, files: ProjectFiles): TestRun | null => {
  for (const folder of foldersAbove(path)) {
    const [manifest] = files.in(folder, /^package\.json$/)
    if (manifest === undefined) continue
    const { scripts } = objectOf(parseJsonc(files.text(manifest)))
    const found = runnerIn(path, folder, manifest, objectOf(scripts), files)
    // Tests of types run with a type checker; of these runners, only Vitest has one.
    if (found !== null && found.runner.name !== "vitest" && /-d\.[cm]?tsx?$/.test(path)) return null
    if (found !== null) return runWith(found, path, manifest, objectOf(scripts), files)
  }
  return null
}

/** The script `test` of the package in a folder, whatever it runs; null without one. */
export const packageTest = (folder: string, files: ProjectFiles): Pick<TestRun, "source" | "command"> | null => {
  const [manifest] = files.in(folder, /^package\.json$/)
  if (manifest === undefined) return null
  const { test } = objectOf(objectOf(parseJsonc(files.text(manifest))).scripts)
  // What `npm init` writes.
  if (typeof test !== "string" || test.includes("no test specified")) return null
  const source = placeIn(files, manifest, /^[ \t]*"test"\s*:/m) ?? { file: manifest, line: 0 }
  return { source, command: managerOf(manifest, files).test.replace(/ (?:-- )?$/, "") }
}

const managerOf = (path: string, files: ProjectFiles) =>
  managers.find(({ lock }) => nearestWith(files, path, lock) !== null) ?? npm

interface FoundRunner {
  readonly runner: Runner
  readonly source: Place
}

/** In the script `test` first, then in the others; else a configuration file in the folder. */
const runnerIn = (
  path: string,
  folder: string,
  manifest: string,
  scripts: Readonly<Record<string, unknown>>,
  files: ProjectFiles
): FoundRunner | null => {
  const isBrowser = /(?:^|\/)(?:e2e|playwright)\//.test(path)
  const possible = isBrowser ? runners : runners.filter(({ name }) => name !== "playwright")
  const named = Object.entries(scripts)
    .filter(([name]) => /^(?:test|unit)\b/.test(name))
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
    return { runner: first.runner, source: line ?? { file: manifest, line: 0 } }
  }
  for (const runner of possible) {
    const [config] = runner.config === undefined ? [] : files.in(folder, runner.config)
    if (config !== undefined) return { runner, source: { file: config, line: 0 } }
  }
  return null
}

const runWith = (
  { runner, source }: FoundRunner,
  path: string,
  manifest: string,
  { test }: Readonly<Record<string, unknown>>,
  files: ProjectFiles
): TestRun => {
  const folder = folderOf(manifest)
  const inside = path.slice(folder.length)
  const argument = runner.name === "bun test" || inside.startsWith("-") ? `./${inside}` : inside
  const manager = managerOf(path, files)
  const bare = typeof test === "string" ? test.replace(/^(?:cross-env\s+)?(?:[A-Z_]+=[\w./:=-]+\s+)*/, "") : ""
  const isPlain = runner.plain?.test(bare) === true
  const command = isPlain
    ? `${manager.test}${runner.option ?? ""}`.trimEnd()
    : `${runner.builtIn === true ? "" : manager.exec}${runner.program}`
  return {
    runner: runner.name,
    source,
    folder,
    command,
    argument,
    separator: " ",
    takesFolder: !command.includes("ByPath")
  }
}
