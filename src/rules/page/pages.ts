/**
 * The pages of all rules, read at build time: import it `with { type: "macro" }`.
 *
 * Problems are returned, because the exception of a macro is not shown.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { noneJudged } from "../../domain/finding/Judged.ts"
import { judgedByRule } from "./judgements.ts"
import type { Page, WrittenExample } from "./Page.ts"
import { type ReadPage, readPage } from "./readPage.ts"

const root = join(import.meta.dir, "../../..")

const read = (): ReadonlyArray<ReadPage> =>
  [...new Bun.Glob("src/rules/*/*.md").scanSync(root)]
    .sort()
    .map((file) => readPage(file, readFileSync(join(root, file), "utf8")))

/** The pages by id, and a line for each problem with its file, its line and the fix. */
export const readPages = (): { readonly pages: ReadonlyArray<Page>; readonly problems: ReadonlyArray<string> } => {
  const all = read()
  const problems = all.flatMap((each) => each.problems)
  const judged = judgedByRule(
    readFileSync(join(root, "scripts/bench/judgements.tsv"), "utf8"),
    readFileSync(join(root, "scripts/bench/tallies.tsv"), "utf8")
  )
  return {
    pages: all.map(({ page }) => ({ ...page, judged: judged.get(page.id) ?? noneJudged })),
    problems: problems.map(({ file, line, problem }) => `${file}:${line}: ${problem}`)
  }
}

/** By the id of the rule. */
export const readAllExamples = (): Readonly<Record<string, ReadonlyArray<WrittenExample>>> =>
  Object.fromEntries(read().map(({ examples, page }) => [page.id, examples]))
