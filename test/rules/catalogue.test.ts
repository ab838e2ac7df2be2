import { expect, test } from "bun:test"
import { join } from "node:path"
import { Glob } from "bun"
import { catalogue } from "../../src/rules/catalogue.ts"
import { itHoldsForRules } from "../support/rules.ts"

itHoldsForRules(catalogue)

test("every check has the page of its name", async () => {
  const rules = join(import.meta.dir, "../../src/rules")
  const checkOf = new Map(catalogue.map((rule) => [rule.id, "check" in rule ? rule.check : null]))
  const unused: Array<string> = []
  for (const file of new Glob("*/checks.ts").scanSync(rules)) {
    const { changeChecks, lineChecks, nodeChecks } = await import(join(rules, file))
    for (const [slug, check] of Object.entries({ ...changeChecks, ...lineChecks, ...nodeChecks })) {
      if (checkOf.get(file.replace("checks.ts", slug)) !== check) unused.push(`${file}: ${slug}`)
    }
  }
  expect(unused).toEqual([])
})
