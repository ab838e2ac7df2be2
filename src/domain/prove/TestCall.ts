/** Test files of one runner in one folder, and the line that runs some of them until the first failure. */
import type { TestRun } from "../brief/runners/TestRun.ts"
import type { TestCommand } from "../fix/TestCommand.ts"
import { quoted } from "../system/shellQuote.ts"

export interface TestCall {
  readonly runner: string
  /** With a slash at its end; "" for the root. */
  readonly folder: string
  readonly call: string
  /** Where that finds no tests or packages; null for nothing else. */
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

const isOfPackages = (runner: string): boolean => ["vitest", "jest", "mocha", "ava"].includes(runner)

export const isCallable = ({ argument, runner }: TestRun): boolean =>
  Object.hasOwn(options, runner) && argument !== null

export const testCalls = (
  runs: ReadonlyArray<{ readonly path: string; readonly run: TestRun }>
): ReadonlyArray<TestCall> =>
  [
    ...Map.groupBy(
      runs.filter(({ run }) => isCallable(run)),
      ({ run }) => `${run.folder}\n${run.direct ?? run.command}`
    ).values()
  ].flatMap((some) => {
    const [first] = some
    if (first === undefined) return []
    const { command, direct, folder, runner } = first.run
    const path = isOfPackages(runner) ? `PATH="${programsAbove(folder)}:$PATH" ` : ""
    const withOptions = (program: string) => `${program} ${options[runner] ?? ""}`.trimEnd()
    const call = `${path}${withOptions(direct ?? command)}`
    const isOther =
      direct !== undefined && direct !== command && !isOfPackages(runner) && /^(?:uv|poetry|pdm|pipenv) /.test(command)
    return [
      {
        runner,
        folder,
        call,
        otherwise: isOther ? withOptions(command) : null,
        files: new Map(some.map((each) => [each.path, each.run.argument ?? ""]))
      }
    ]
  })

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
