/** What the reviews of stacks and shards say of each file. A file that is divided between shards is reviewed if all of its parts are. */
import type { FileCoverage } from "../change/Coverage.ts"
import type { Stack } from "../code/Stack.ts"
import type { StackReport } from "../finding/StackReport.ts"

export const coverageOf = (
  stacks: ReadonlyArray<Stack>,
  reports: ReadonlyArray<Pick<StackReport, "coverage" | "stack">>
): ReadonlyArray<FileCoverage> => {
  const read = new Map(
    reports.map(({ coverage, stack }) => [
      stack.name,
      new Set(coverage.flatMap(({ path, status }) => (status === "unread" ? [] : [path])))
    ])
  )
  const shards = stacks.filter(({ shard }) => shard !== undefined)
  const half = new Set(shards.flatMap(({ files, name }) => files.filter((path) => read.get(name)?.has(path) !== true)))
  return reports.flatMap(({ coverage, stack }) =>
    stack.shard === undefined
      ? coverage
      : coverage.map((each) =>
          each.status === "reviewed" && half.has(each.path)
            ? { ...each, status: "unread" as const, reason: "another part of the file was not reviewed" }
            : each
        )
  )
}
