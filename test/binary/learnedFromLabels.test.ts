/** What a review does with what dd learned from labels, through the compiled binary and a corpus on disk. */
import { expect, test } from "bun:test"
import { existsSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { stable } from "../support/binary.ts"
import { suppression } from "../support/generations.ts"
import { mutable, nightWorld } from "../support/nightWorld.ts"

const world = () => {
  const at = nightWorld()
  at.repository.commit("First", { "src/a.py": "x = 1\n" })
  at.repository.commit("Second", { "src/generated/b.py": mutable("b"), "src/a.py": mutable("a") })
  const review = (...args: ReadonlyArray<string>) => at.call("review", "--commit", "HEAD", ...args)
  return Object.assign(at, {
    review,
    report: async (...args: ReadonlyArray<string>) => stable((await review("--format", "json", ...args)).stdout)
  })
}

const by = "learned sup-0123456789abcdef"
const reason = "people rejected 7 of 7 findings of this rule in src/generated/; dd dream why sup-0123456789abcdef"
const note = "1 finding is hidden by what dd learned from labels; --no-learned shows all"

test("findings like those that people rejected are suppressed, with their evidence, in every format; --no-learned shows them", async () => {
  using at = world()
  const before = await at.report()
  expect(before.findings.map(({ file }: { file: string }) => file).sort()).toEqual(["src/a.py", "src/generated/b.py"])
  // A review makes no corpus.
  expect(existsSync(join(at.own, "learned"))).toBe(false)

  await at.learn({ suppressions: [suppression()] })
  const files = readdirSync(at.folder, { recursive: true }).toSorted()
  const after = await at.report()
  expect(after.findings).toMatchObject([{ file: "src/a.py" }])
  expect(after.suppressed).toMatchObject([
    { by, reason, added_by_change: false, finding: { file: "src/generated/b.py", rule: "py/mutable-default" } }
  ])
  expect(after.notes).toContain(note)
  expect(after.degraded).toEqual([])
  expect(await at.report("--no-learned")).toEqual(before)
  at.env.DD_LEARNED = "off"
  expect(await at.report()).toEqual(before)
  delete at.env.DD_LEARNED

  const [{ by: learnedBy, finding }] = after.suppressed
  expect([learnedBy, finding.id]).toEqual([by, 2])
  const line = `2: src/generated/b.py:1 py/mutable-default, by ${by}: ${reason}`
  const stream = (await at.review("--format", "jsonl")).stdout.trim().split("\n")
  const suppressed = stream.map((each) => JSON.parse(each)).find(({ type }) => type === "suppressed")
  expect(suppressed).toEqual({ type: "suppressed", ...after.suppressed[0] })
  expect((await at.review("--format", "github")).stdout).toContain(
    `\n::group::Suppressed (1 finding)\n${line}\n::endgroup::\n`
  )
  // Their schemas have no place for it.
  for (const format of ["gitlab", "rdjsonl"]) {
    const { stderr, stdout } = await at.review("--format", format)
    expect(stderr).toBe(`Suppressed (1 finding, not in the format ${format})\n  ${line}\n`)
    expect(stdout).not.toContain("src/generated/b.py")
    expect((await at.review("--format", format, "--quiet")).stderr).toBe("")
  }
  // What is hidden is no reason to fail.
  at.repository.commit("Third", { "src/generated/c.py": mutable("c") })
  expect(await at.review("--fail-on", "low")).toMatchObject({ status: 0 })
  expect(await at.review("--fail-on", "low", "--no-learned")).toMatchObject({ status: 1 })
  at.repository.git("reset", "--quiet", "--hard", "HEAD~1")

  const words = async (...args: ReadonlyArray<string>) => (await at.review(...args)).stdout.replaceAll(/\s+/g, " ")
  expect(await words("--all")).toContain(line)
  expect(await words()).toContain(line)
  expect(await words()).toContain(note)
  expect(await words("--format", "markdown")).toContain(reason)
  const sarif = JSON.parse((await at.review("--format", "sarif")).stdout)
  expect(sarif.runs[0].results.flatMap(({ suppressions }: { suppressions?: unknown }) => suppressions ?? [])).toEqual([
    { kind: "external", justification: `${reason} (${by})` }
  ])
  // The archive keeps what was hidden.
  const shown = await at.call("archive", "show", "latest")
  expect(shown.stdout.replaceAll(/\s+/g, " ")).toContain(`${by}: ${reason}`)
  // A review needs no lock and writes nothing to the corpus.
  expect(readdirSync(at.folder, { recursive: true }).toSorted()).toEqual(files)
})

test("labels change the confidence of a rule's findings, and the report says so", async () => {
  using at = world()
  const calibration = [{ rule: "py/mutable-default", by: "static", accepted: 2, rejected: 8, probability: 0.3 }]
  await at.learn({ calibration })
  const { findings, notes } = await at.report()
  expect(findings.map(({ confidence }: { confidence: string }) => confidence)).toEqual(["MEDIUM", "MEDIUM"])
  expect(notes).toContain(
    "Confidence from labels: py/mutable-default is MEDIUM (people accepted 2 of 10); --no-learned reports dd's own"
  )
  expect((await at.report("--no-learned")).findings).toMatchObject([{ confidence: "HIGH" }, { confidence: "HIGH" }])
})

test("another repository is not affected, and a damaged corpus hides nothing and is reported with the way out", async () => {
  using at = world()
  await at.learn({ suppressions: [suppression()] })
  at.repository.git("remote", "set-url", "origin", "git@github.com:acme/other.git")
  expect((await at.report()).findings).toHaveLength(2)
  at.repository.git("remote", "set-url", "origin", "https://github.com/ACME/shop")
  expect((await at.report()).findings).toHaveLength(1)

  writeFileSync(join(at.folder, "current.json"), "{")
  const report = await at.report()
  expect(report.findings).toHaveLength(2)
  expect(report.status).toBe("complete")
  expect(report.degraded).toMatchObject([{ step: "learned-from-labels", error: "NightFileUnusable" }])
  expect(report.degraded[0].detail).toContain(
    `remove current.json and generations in ${at.folder}: the next night learns again`
  )
  expect((await at.review("--no-learned")).stderr).not.toContain("current.json")
})

test("what was learned is explained by the labels that it came from, and can be undone", async () => {
  using at = world()
  await at.review()
  const label = (finding: string, outcome: string, ...more: ReadonlyArray<string>) =>
    at.call("archive", "label", "latest", "--finding", finding, "--outcome", outcome, ...more)
  expect((await label("2", "rejected", "--note", "the generator writes it")).status).toBe(0)
  const [session = ""] = readdirSync(join(at.own, "archive", "runs"))
  const evidence = [
    { session, finding: 2 },
    { session: "00000000-0000-4000-8000-000000000000", finding: 1 }
  ]
  await at.learn({ suppressions: [suppression({ rejected: 2, evidence })] })

  const why = await at.call("dream", "why", "sup-0123456789abcdef")
  expect(why.stderr).toBe("")
  expect(why.stdout).toContain("people rejected 2 of 2 such findings")
  expect(why.stdout).toMatch(
    new RegExp(
      `\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d  rejected  run ${session.slice(0, 8)} finding 2: .* \\(src/generated/b\\.py:1\\): the generator writes it`
    )
  )
  expect(why.stdout).toContain("run 00000000 finding 1: no longer in the archive")
  expect(why.stdout).toContain(`dd archive label ${session.slice(0, 8)} --finding 2 --outcome OUTCOME`)
  const json = JSON.parse((await at.call("dream", "why", "py/mutable-default", "--json")).stdout)
  expect(json.learned[0].evidence).toMatchObject([
    { session, finding: 2, label: "rejected", file: "src/generated/b.py", note: "the generator writes it" },
    { label: null, title: null }
  ])

  expect((await at.report()).findings).toHaveLength(1)
  const undone = await at.call("dream", "rollback", "0")
  expect(undone.stdout).toBe(
    "Generation 2 counts now, with the content of generation 0: 0 suppressions, 0 conventions, 0 playbooks, 0 rules calibrated.\n"
  )
  expect((await at.report()).findings).toHaveLength(2)
  const unknown = await at.call("dream", "rollback", "9")
  expect([unknown.status, unknown.stderr]).toEqual([2, expect.stringContaining("generation 9 is not kept: 2, 1 are")])
})
