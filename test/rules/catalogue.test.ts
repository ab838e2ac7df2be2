import { expect, test } from "bun:test"
import { join } from "node:path"
import { Glob } from "bun"
import { isUsuallyRight, noneJudged } from "../../src/domain/finding/Judged.ts"
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

test("every suggestion has the page of its name", async () => {
  const rules = join(import.meta.dir, "../../src/rules")
  const suggestionOf = new Map(catalogue.map((rule) => [rule.id, "suggestion" in rule ? rule.suggestion : null]))
  const unused: Array<string> = []
  for (const file of new Glob("*/{checks,suggestions}.ts").scanSync(rules)) {
    const { lineSuggestions, nodeSuggestions } = await import(join(rules, file))
    for (const [slug, suggestion] of Object.entries({ ...lineSuggestions, ...nodeSuggestions })) {
      if (suggestionOf.get(`${file.split("/")[0]}/${slug}`) !== suggestion) unused.push(`${file}: ${slug}`)
    }
  }
  expect(unused).toEqual([])
})

// docs/decisions/0044-severity-needs-figures.md
test("a rule above low was usually right, or is proved by the code, or is about a weakness with a CWE number", () => {
  const unearned = catalogue.filter(({ confidence, id, judged = noneJudged, offByDefault, reference, severity }) => {
    if (severity === "low" || offByDefault === true || id === "secret/private-key") return false
    const isRight = isUsuallyRight(judged)
    return isRight === null ? confidence === "MEDIUM" && !reference.startsWith("CWE-") : !isRight
  })
  expect(unearned.map(({ id }) => id)).toEqual([])
})
