/**
 * What a whole `dd review` costs. Run `bun scripts/bench/review.ts` after `bun run build`.
 *
 * 1. A 10-file commit in a repository of 1,000 files, against `git diff` of the same, in turn within one run.
 * 2. A commit of 2,000 files and 200,000 changed lines: wall time, peak memory, what was skipped.
 * 3. The same at a quarter and a half of the size: what a step costs must grow like the change, not like its square.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { environmentIn, median, timerIn } from "./timed.ts"

const dd = join(import.meta.dir, "../../dist/dd")
const place = mkdtempSync(join(tmpdir(), "dd-bench-"))
const run = timerIn(environmentIn(place))

const extensions = ["py", "ts", "go", "rs", "java"] as const

/** A plausible function of the language; `round` changes its body. Names are a file's own, as in real code. */
const functionOf = (extension: string, name: string, parameters: number, round: number): string => {
  const sum = Array.from({ length: parameters }, (_, i) => `a${i}`)
  switch (extension) {
    case "py":
      return `def f${name}(${sum.join(", ")}):\n    return ${sum.join(" + ")} + ${round}\n`
    case "ts":
      return `export const f${name} = (${sum.map((a) => `${a}: number`).join(", ")}) =>\n  ${sum.join(" + ")} + ${round}\n`
    case "go":
      return `func F${name}(${sum.join(", ")} int) int {\n\treturn ${sum.join(" + ")} + ${round} }\n`
    case "rs":
      return `pub fn f${name}(${sum.map((a) => `${a}: i32`).join(", ")}) -> i32 {\n    ${sum.join(" + ")} + ${round} }\n`
    default:
      return `int f${name}(${sum.map((a) => `int ${a}`).join(", ")}) {\n    return ${sum.join(" + ")} + ${round}; }\n`
  }
}

/** One function in ten changes its signature too. */
const fileOf = (extension: string, index: number, functions: number, round: number): string => {
  const body = Array.from({ length: functions }, (_, name) =>
    functionOf(extension, `${index}x${name}`, name % 10 === 0 ? 1 + round : 1, round)
  ).join("")
  if (extension === "go") return `package m\n\n${body}`
  return extension === "java" ? `class C${index} {\n${body}}\n` : body
}

/** A repository of `files` files whose last commit rewrites `changed` of them, `functions` functions of two lines each. */
const repository = (name: string, files: number, changed: number, functions: number): string => {
  const root = join(place, name)
  mkdirSync(root)
  run(root, "git", "init", "--quiet", "--initial-branch=main")
  const write = (index: number, round: number) => {
    const extension = extensions[index % extensions.length]!
    const path = join(root, `d${index % 40}`, `m${index}.${extension}`)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, fileOf(extension, index, functions, round))
  }
  for (const [round, count] of [files, changed].entries()) {
    for (let index = 0; index < count; index++) write(index, round)
    run(root, "git", "add", "--all")
    run(root, "git", "commit", "--quiet", "--message", `round ${round}`)
  }
  // What building it left unwritten would be waited for by whatever is made durable next.
  run(root, "sync")
  return root
}

try {
  const usual = repository("usual", 1_000, 10, 40)
  const diff = ["git", "diff", "HEAD~1", "HEAD"]
  const review = [dd, "review", "--commit", "HEAD", "--format", "json"]
  const pairs = Array.from({ length: 11 }, () => [run(usual, ...diff).wall, run(usual, ...review).wall]).slice(1)
  const git = median(pairs.map(([each]) => each!))
  const whole = median(pairs.map(([, each]) => each!))
  console.log("a 10-file commit among 1,000 files, median of 10 pairs")
  console.log(`  git diff   ${git.toFixed(1)} ms`)
  console.log(
    `  dd review  ${whole.toFixed(1)} ms   allowed: 10 x git diff + 300 ms = ${(10 * git + 300).toFixed(0)} ms`
  )

  console.log("\na change at 1x, 2x, 4x: 500, 1,000 and 2,000 files of 100 changed lines on each side")
  let before: number | null = null
  for (const files of [500, 1_000, 2_000]) {
    const root = repository(`big-${files}`, files, files, 50)
    const { wall, peakMiB, stdout } = run(root, ...review)
    const { coverage } = JSON.parse(stdout)
    const skipped = coverage.files.filter((file: { status: string }) => file.status !== "reviewed").length
    const ratio = before === null ? "" : `   ${(wall / before).toFixed(2)} x the one before`
    console.log(
      `  ${String(files).padStart(5)} files  ${(wall / 1000).toFixed(2)} s  ${peakMiB} MiB peak  ${coverage.files_reviewed} reviewed, ${skipped} not${ratio}`
    )
    before = wall
  }
} finally {
  rmSync(place, { recursive: true, force: true })
}
