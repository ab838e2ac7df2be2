/** What was run, in sentences for the report, and which files that covers. */
import type { Change } from "../change/Change.ts"
import type { FileCoverage } from "../change/Coverage.ts"
import { plural } from "../text/plural.ts"
import type { Fate, Proof } from "./Proof.ts"

/** One sentence; none if nothing was run. */
export const proofNote = (proof: Proof | null): ReadonlyArray<string> => {
  if (proof === null || proof.tests.length === 0)
    return proof !== null && proof.notRun.length === 0
      ? ["The added lines have no code that dd makes small changes of."]
      : []
  const count = (...fates: ReadonlyArray<Fate>): number =>
    proof.mutants.filter(({ fate }) => fates.includes(fate)).length
  const tried = count("killed", "survived")
  const executed = tried + count("reached")
  const ran = `${plural(proof.tests.length, "test file")} of ${proof.runners.join(" and ")} ran`
  const unreached = count("unreached")
  if (executed === 0)
    return [
      `${ran}; none executes the code of the ${plural(unreached, "small change")} that dd would try. Sandbox: ${proof.sandbox}.`
    ]
  const parts = [
    `${ran} on ${tried} of ${plural(executed, "small change")} of the added lines`,
    `noticed: ${count("killed")}`,
    ...(count("survived") === 0 ? [] : [`not noticed: ${count("survived")}`]),
    ...(unreached === 0 ? [] : [`not executed by these tests: ${unreached}`])
  ]
  return [`${parts.join("; ")}. Sandbox: ${proof.sandbox}.`]
}

/** Where nothing but the tests was asked. */
export const coverageOfProof = (proof: Proof, { diff }: Change): ReadonlyArray<FileCoverage> => {
  const byFile = Map.groupBy(proof.mutants, ({ path }) => path)
  return diff.files.map(({ path }): FileCoverage => {
    const own = byFile.get(path) ?? []
    const open = own.filter(({ fate }) => fate === "reached").length
    if (own.some(({ fate }) => fate === "killed" || fate === "survived"))
      return { path, status: "reviewed", reason: open === 0 ? "" : `${plural(open, "small change")} not tried` }
    if (proof.tests.length === 0 && proof.notRun.length > 0)
      return { path, status: "unread", reason: proof.notRun[0] ?? "nothing was run" }
    const reason = own.length === 0 ? "no small changes of it were made" : "no test that ran executes its added lines"
    return { path, status: "skipped", reason }
  })
}
