/**
 * Everything the machine can hold, in the order in which it fails fastest: `bun run check`.
 *
 * One line a stage; the first stage that fails shows its output and ends the run, with status 1. The last line counts
 * stages: `N passed, N failed`. `--without-tests` leaves the tests to whoever has just run them.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const root = join(import.meta.dir, "..")
const binary = join(root, "dist/dd")

/** What a stage found: whether it holds, and what to show when it does not. */
type Outcome = { readonly holds: boolean; readonly output: string }

type Stage = { readonly name: string; readonly run: () => Promise<Outcome> }

/** Less what a git hook or a developer's shell would make git, Bun or the binary do differently. */
const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(?:GIT|BUN|DD)_/.test(name)))

/** Runs a command and keeps what it said. */
const command = async (args: ReadonlyArray<string>, cwd = root): Promise<Outcome & { stdout: string }> => {
  const child = Bun.spawn([...args], { cwd, env: environment, stdin: "ignore", stdout: "pipe", stderr: "pipe" })
  const [stdout, stderr, status] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited
  ])
  return { holds: status === 0, output: `$ ${args.join(" ")}\n${stdout}${stderr}(status ${status})`, stdout }
}

const tool = (name: string, ...args: ReadonlyArray<string>) => command([join(root, "node_modules/.bin", name), ...args])

const bun = (...args: ReadonlyArray<string>) => command([process.execPath, ...args])

/** The lock file must install from any registry, so it may name none. */
const lockNamesNoHost = async (): Promise<Outcome> => {
  const lines = (await Bun.file(join(root, "bun.lock")).text()).split("\n").filter((line) => line.includes("://"))
  return { holds: lines.length === 0, output: `bun.lock names a host:\n${lines.join("\n")}` }
}

/** The binary alone, in an empty directory, reviews a repository made for the purpose. */
const smoke = async (): Promise<Outcome> => {
  const scratch = mkdtempSync(join(tmpdir(), "dd-smoke-"))
  try {
    const elsewhere = join(scratch, "empty")
    const repository = join(scratch, "repository")
    mkdirSync(elsewhere)
    mkdirSync(repository)
    const identity = ["-c", "user.name=dd", "-c", "user.email=dd@example.invalid", "-c", "commit.gpgsign=false"]
    const git = (...args: ReadonlyArray<string>) => command(["git", ...identity, "-C", repository, ...args])
    const commit = async (source: string): Promise<void> => {
      writeFileSync(join(repository, "cart.py"), source)
      await git("add", "cart.py")
      await git("commit", "--quiet", "--no-verify", "--message", "Change the cart")
    }
    await git("init", "--quiet")
    await commit("def total(items):\n    return sum(items)\n")
    await commit("def total(items, extra=[]):\n    extra.append(items)\n    return sum(items)\n")

    const version = await command([binary, "--version"], elsewhere)
    if (!version.holds) return version
    const help = await command([binary, "--help"], elsewhere)
    if (!help.holds || !help.stdout.includes("review")) return { ...help, holds: false }
    const review = await command(
      [binary, "review", repository, "--commit", "HEAD", "--format", "json", "--fail-on", "none", "--no-archive"],
      elsewhere
    )
    if (!review.holds) return review
    const { schema_version, status, findings } = JSON.parse(review.stdout)
    const found = findings.some(({ file, line }: { file: string; line: number }) => file === "cart.py" && line === 1)
    return { holds: schema_version === 1 && status === "complete" && found, output: review.output }
  } catch (error) {
    return { holds: false, output: String(error) }
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

const stages: ReadonlyArray<Stage> = [
  { name: "types", run: () => tool("tsc", "--noEmit") },
  {
    name: "effect",
    run: () => tool("effect-tsgo", "diagnostics", "--project", "tsconfig.json", "--strict", "--format", "text")
  },
  { name: "format and lint", run: () => tool("biome", "check", "--error-on-warnings", ".") },
  { name: "unused code", run: () => tool("knip", "--no-progress") },
  { name: "lock file", run: lockNamesNoHost },
  { name: "compile", run: () => bun("scripts/compile.ts") },
  ...(process.argv.includes("--without-tests") ? [] : [{ name: "tests", run: () => bun("scripts/test.ts") }]),
  { name: "smoke", run: smoke }
]

let passed = 0
let failed = 0
for (const { name, run } of stages) {
  const started = performance.now()
  const { holds, output } = await run()
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  console.log(`${holds ? "ok  " : "FAIL"} ${name.padEnd(16)} ${seconds.padStart(5)} s`)
  if (holds) {
    passed++
  } else {
    failed++
    console.log(`\n${output.trim()}\n`)
    const left = stages.slice(passed + failed).map((stage) => stage.name)
    if (left.length > 0) console.log(`not run: ${left.join(", ")}`)
    break
  }
}
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
