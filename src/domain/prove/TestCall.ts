/** Test files of one runner in one folder, and the line that runs some of them until the first failure. */
import type { TestRun } from "../brief/runners/TestRun.ts"
import type { TestCommand } from "../fix/TestCommand.ts"
import { quoted } from "../system/shellQuote.ts"

export interface TestCall {
  readonly runner: string
  /** With a slash at its end; "" for the root. */
  readonly folder: string
  readonly call: string
  /** The call of the project, where that one finds no tests or packages; null if there is no other. */
  readonly otherwise: string | null
  /** The arguments, by the path of the test file. */
  readonly files: ReadonlyMap<string, string>
}

/** What makes a runner stop at the first failure and keep nothing, by its name: the runners whose files dd can choose. */
const options: Readonly<Record<string, string>> = {
  vitest: "--bail=1 --coverage.enabled=false",
  jest: "--bail --coverage=false",
  mocha: "--bail",
  ava: "--fail-fast",
  "node --test": "",
  "bun test": "--bail",
  pytest: "-x -q -p no:cacheprovider",
  unittest: "-f"
}

/** Their programs are in the packages of the project. */
const packaged: ReadonlySet<string> = new Set(["vitest", "jest", "mocha", "ava"])

const argumentOf = ({ argument, direct, runner }: TestRun): string | null =>
  Object.hasOwn(options, runner) ? (direct?.argument ?? argument) : null

export const testCalls = (
  runs: ReadonlyArray<{ readonly path: string; readonly run: TestRun }>
): ReadonlyArray<TestCall> => {
  const callable = runs.flatMap(({ path, run }) => {
    const argument = argumentOf(run)
    return argument === null ? [] : [{ path, run, argument, call: run.direct?.call ?? run.command }]
  })
  return [...Map.groupBy(callable, ({ call, run }) => `${run.folder}\n${call}`).values()].map((some): TestCall => {
    const [{ call, run }] = some as [(typeof some)[number]]
    const { command, folder, runner } = run
    const path = packaged.has(runner) ? `PATH="${programsAbove(folder)}:$PATH" ` : ""
    const withOptions = (program: string) => `${program} ${options[runner] ?? ""}`.trimEnd()
    const otherwise = call !== command && /^py|^unit/.test(runner) ? withOptions(command) : null
    const files = new Map(some.map((each) => [each.path, each.argument]))
    return { runner, folder, call: `${path}${withOptions(call)}`, otherwise, files }
  })
}

/** The programs of the packages in this folder and in those above it. */
const programsAbove = (folder: string): string =>
  ["", ...folder.split("/").filter((name) => name !== "")]
    .map((_, at) => `$PWD/${"../".repeat(at)}node_modules/.bin`)
    .join(":")

export const commandOf = ({ call, files, folder, runner }: TestCall, paths: Iterable<string>): TestCommand => ({
  command: [call, ...[...paths].flatMap((path) => quoted(files.get(path) ?? path))].join(" "),
  directory: folder.replace(/\/$/, ""),
  from: runner
})
