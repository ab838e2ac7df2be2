/**
 * Drives `dd review --fix` end to end on programs with a known defect and tests (QuixBugs): `bun scripts/bench/fixes.ts
 * CLONE [PROGRAM...]`.
 *
 * For each program a repository is made whose last commit brings the defect into the correct version. The model is a
 * script: it claims the defect at its line, and its edit is the correct version. So this measures what dd does with
 * answers (verification, edits, tests, applying), and says nothing about the quality of a model.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { basename, join } from "node:path"
import { modelReviews } from "../../test/support/modelReviews.ts"
import { handing, type Script, submitOf } from "../../test/support/modelServer.ts"
import { run, systemPath } from "../../test/support/process.ts"

const [clone, ...wanted] = process.argv.slice(2)
if (clone === undefined) {
  console.error("usage: bun scripts/bench/fixes.ts CLONE [PROGRAM...]")
  process.exit(2)
}

/** Standard input of the tests' interpreter is empty, so its path is all that they need. */
const python = (
  await run(["python3", "-c", "import sys; print(sys.executable)"], { env: { ...process.env } as never })
).stdout.trim()

const programs = readdirSync(join(clone, "python_programs"))
  .filter((name) => name.endsWith(".py"))
  .map((name) => basename(name, ".py"))
  .filter((name) => existsSync(join(clone, `python_testcases/test_${name}.py`)))
  .filter((name) => existsSync(join(clone, `correct_python_programs/${name}.py`)))
  .filter((name) => wanted.length === 0 || wanted.includes(name))

const read = (path: string) => readFileSync(join(clone, path), "utf8")
/** Without the comment that tells the defect. */
const codeOf = (text: string) => `${text.replace(/\n*"""[\s\S]*$/, "").trimEnd()}\n`

console.log("| program | findings | verdict | tests before | tests after | outcome | applied | exit | s |")
console.log("|---|---|---|---|---|---|---|---:|---:|")
for (const name of programs) {
  const file = `python_programs/${name}.py`
  const [wrong, right] = [codeOf(read(file)), codeOf(read(`correct_python_programs/${name}.py`))]
  const lines = wrong.split("\n")
  const at = lines.findIndex((line, index) => line !== right.split("\n")[index])
  const quote = lines[at] ?? ""
  const issue = {
    title: "The result is wrong",
    description: "The result is wrong for the inputs of the tests.",
    file,
    line: at + 1,
    endLine: null,
    severity: "medium",
    confidence: "HIGH",
    quote: quote.trim() === "" ? (lines[at - 1] ?? "") : quote,
    rationale: "The tests of the program fail.",
    evidence: `${file}:${at + 1}`,
    suggestion: null
  }
  const script: Script = (asked, nth) => {
    const isAfterFix = asked.told.includes("The fix:")
    const verdict = isAfterFix ? "contradicts" : "consistent"
    const verdicts = [{ issue_id: 1, evidence: `${file}:${at + 1}`, unverified_assumptions: [], verdict }]
    if (submitOf(asked) === "submit_outcomes") {
      if (asked.turns === 0) return { calls: [{ name: "edit_file", input: { path: file, old: wrong, new: right } }] }
      return handing({ submit_outcomes: { outcomes: [{ issue_id: 1, note: "", status: "fixed" }] } })(asked, nth)
    }
    const coverage = [{ path: file, status: "reviewed", reason: "" }]
    return handing({
      submit_review: { review: "It is wrong.", issues: [issue], coverage },
      submit_verification: { verdicts }
    })(asked, nth)
  }
  const tests = `python_testcases/test_${name}.py`
  await using world = await modelReviews((repository) => {
    for (const path of ["conftest.py", tests, "python_testcases/load_testdata.py", "python_testcases/node.py"]) {
      if (existsSync(join(clone, path))) repository.write(path, read(path))
    }
    if (existsSync(join(clone, `json_testcases/${name}.json`))) {
      repository.write(`json_testcases/${name}.json`, read(`json_testcases/${name}.json`))
    }
    for (const other of ["node.py"]) repository.write(`python_programs/${other}`, read(`python_testcases/${other}`))
    repository.commit("The correct version", { [file]: right })
    repository.commit("The defect", { [file]: wrong })
  }, script)
  const started = performance.now()
  const command = `timeout 60 ${python} -B -m pytest -q -p no:cacheprovider ${tests}`
  const { result, status } = await world.report(
    ["--fix", "--yes", "--commit", "HEAD", "--backend", "anthropic", "--model", "m", "--test-command", command],
    { PATH: systemPath }
  )
  const seconds = (performance.now() - started) / 1000
  const isRight = readFileSync(world.repository.path(file), "utf8") === right
  const { fix } = result
  const cells = [
    name,
    result.findings.length,
    result.findings[0]?.verdict ?? "",
    fix?.tests?.before ?? "",
    fix?.tests?.after ?? "",
    fix?.outcomes[0]?.status ?? "",
    isRight ? "yes" : `no: ${fix?.detail ?? ""}`,
    status,
    seconds.toFixed(1)
  ]
  console.log(`| ${cells.join(" | ")} |`)
}
