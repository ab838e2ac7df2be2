/** What documents say of rules is true: the page in the guide is a rule, and every rule they name is there. */
import { expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Glob } from "bun"
import { catalogue } from "../../../src/rules/catalogue.ts"
import { readPage } from "../../../src/rules/page/readPage.ts"
import { ruleOf } from "../../../src/rules/page/ruleOf.ts"
import { reviewBy } from "../../support/rules.ts"

const root = join(import.meta.dir, "../../..")
const textOf = (path: string) => readFileSync(join(root, path), "utf8")

test("the page in docs/adding-a-rule.md is a rule that reports what it shows", async () => {
  const [, id = "", text = ""] = /^````markdown (\S+)\n([\s\S]*?)^````$/m.exec(textOf("docs/adding-a-rule.md")) ?? []
  const { examples, page, problems } = readPage(`src/rules/${id}.md`, text)
  expect(problems).toEqual([])
  const rule = ruleOf(page, { java: { stack: "java", languages: ["java"] } })
  for (const { files, isReported } of examples) {
    const code = files[0]?.after
    const { records } = await reviewBy([rule], { "src/Example.java": [null, typeof code === "string" ? code : ""] })
    expect(records.length > 0).toBe(isReported)
  }
})

test("docs/static-rules.md has the number of rules with an edit", () => {
  const some = catalogue.filter((rule) => "suggestion" in rule && rule.suggestion !== undefined)
  expect(textOf("docs/static-rules.md")).toContain(`\n${some.length} of the ${catalogue.length} rules suggest the edit`)
})

test("docs/static-rules.md names every folder of rules, and no rule that is not there", () => {
  const text = textOf("docs/static-rules.md")
  const folders = new Set([...new Glob("*/*.md").scanSync(join(root, "src/rules"))].map((path) => path.split("/")[0]))
  const linked = new Set([...text.matchAll(/\(\.\.\/src\/rules\/(\w+)\)/g)].map(([, folder]) => folder))
  expect([...linked].sort()).toEqual([...folders].sort())
  const ids = new Set(catalogue.map(({ id }) => id))
  const areas = new Set([...ids].map((id) => id.split("/")[0]))
  const named = [...text.matchAll(/`([a-z]+)\/([a-z][a-z-]+)`/g)].filter(([, area]) => areas.has(area))
  expect(named.map(([, area, name]) => `${area}/${name}`).filter((id) => !ids.has(id))).toEqual([])
})
