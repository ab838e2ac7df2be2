/** What a terminal shows while the compiled binary works, and what is left of it. */
import { expect, test } from "bun:test"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { dd } from "../support/binary.ts"
import { run } from "../support/inProcess.ts"
import { scratch, systemPath } from "../support/process.ts"
import { initRepository } from "../support/repository.ts"
import { heldGit, onTerminal } from "../support/terminalScreen.ts"

/** A review that waits for the history of its repository until it is released. */
const world = (more: Record<string, string> = {}, held?: string) => {
  const place = scratch()
  const repository = initRepository(join(place.path, "repo"))
  const home = join(place.path, "home")
  mkdirSync(home)
  repository.commit("Sell", { "shop/cart.py": "def total(items):\n    return sum(items)\n" })
  repository.commit("Fix", { "shop/cart.py": "def total(items, tax=[]):\n    return sum(items)\n" })
  const git = heldGit(place.path, held)
  const start = (args: ReadonlyArray<string>) =>
    onTerminal([dd, ...args], { cwd: repository.root, env: { PATH: git.path, HOME: home, NO_COLOR: "1", ...more } })
  return { git, start, [Symbol.dispose]: () => place[Symbol.dispose]() }
}

const region = /^ +\d+\.\d s {2}reading git history\n +2 files and 2 functions read$/m
const noRegion = (lines: ReadonlyArray<string>) =>
  lines.filter((line) => /^ +\d+\.\d s {2}|functions read|stacks? of|related file/.test(line))

test("a review shows its step, its time and its counts on two lines, and leaves only the report", async () => {
  using at = world()
  const run = at.start(["review", "--commit", "HEAD"])
  await run.shows(region)
  at.git.release()
  const lines = await run.ended()
  expect(run.child.exitCode).toBe(0)
  expect(lines[0]).toStartWith("Review of ")
  expect(noRegion(lines)).toEqual([])
})

test("a review shows that it reads the change, before the run begins", async () => {
  using at = world({}, '*" diff --no-ext-diff "*')
  const run = at.start(["review", "--commit", "HEAD"])
  await run.shows(/^ +\d+\.\d s {2}reading the change$/m)
  at.git.release()
  const lines = await run.ended()
  expect(lines[0]).toStartWith("Review of ")
  expect(noRegion(lines)).toEqual([])
})

test("the time goes on when the run begins after the change was read", async () => {
  using at = world({}, '*" diff --no-ext-diff "*')
  const run = at.start(["review", "--commit", "HEAD"])
  await run.shows(/^ +[1-9]\.\d s {2}reading the change$/m)
  at.git.release()
  await run.ended()
  const regions = [...run.printed().matchAll(/(\d+\.\d) s {2}([\w ]+)/g)].map(([, time, step]) => ({
    time: Number(time),
    step
  }))
  const ofRun = regions.filter(({ step }) => step !== "reading the change")
  expect(ofRun.length).toBeGreaterThan(0)
  for (const { time } of ofRun) expect(time).toBeGreaterThanOrEqual(1)
})

test("a review on a terminal that becomes narrower and wider leaves only the report", async () => {
  using at = world()
  const run = at.start(["review", "--commit", "HEAD"])
  await run.shows(region)
  run.resize(45)
  run.resize(120)
  at.git.release()
  const lines = await run.ended()
  expect(lines[0]).toStartWith("Review of ")
  expect(noRegion(lines)).toEqual([])
})

test("Ctrl-C leaves the line that says so, and nothing of the progress", async () => {
  using at = world()
  const run = at.start(["review", "--commit", "HEAD"])
  await run.shows(region)
  run.type("\u0003")
  const lines = await run.ended()
  expect(run.child.exitCode).toBe(130)
  expect(lines.join("")).toMatch(/^(?:\^C)?dd: interrupted/)
  expect(noRegion(lines)).toEqual([])
})

test("a terminal that cannot rewrite lines gets no control characters", async () => {
  using at = world({ TERM: "dumb" })
  const run = at.start(["review", "--commit", "HEAD"])
  at.git.release()
  const lines = await run.ended()
  expect(lines[0]).toStartWith("Review of ")
  expect(run.printed().replaceAll("\r\n", "\n")).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f]/)
})

test("a job of continuous integration with a terminal gets no redrawn lines", async () => {
  using at = world({ CI: "true", NO_COLOR: "1" })
  const run = at.start(["review", "--commit", "HEAD"])
  at.git.release()
  const lines = await run.ended()
  expect(lines[0]).toStartWith("Review of ")
  expect(run.printed().replaceAll("\r\n", "\n")).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f]/)
})

test("dd brief shows that it works, and leaves only the brief", async () => {
  using at = world()
  const run = at.start(["brief", "--commit", "HEAD"])
  await run.shows(region)
  at.git.release()
  const lines = await run.ended()
  expect(run.child.exitCode).toBe(0)
  expect(lines[0]).toStartWith("Brief of ")
  expect(noRegion(lines)).toEqual([])
})

test("-v names the rules of each language, and files with the reason why they were not read, on standard error only", async () => {
  using place = scratch()
  const repository = initRepository(join(place.path, "repo"))
  repository.commit("Begin", { "README.md": "# Shop\n" })
  repository.commit("Sell", {
    "cart.py": "def total(items):\n    return sum(items)\n",
    "b.go": "package b\n",
    "logo.png": "\0\0"
  })
  const call = (...args: ReadonlyArray<string>) =>
    run([dd, "review", "--commit", "HEAD", ...args], {
      cwd: repository.root,
      env: { PATH: systemPath, HOME: place.path, DD_HOME: join(place.path, "home") }
    })
  const [quiet, verbose] = [await call(), await call("-v")]
  expect(verbose.stdout).toBe(quiet.stdout)
  expect(verbose.stderr).toMatch(/^ {2}review:python {9}\d+ rules, 1 of 1 file read, 0 claims {2}[\d.]+ m?s$/m)
  expect(verbose.stderr).toMatch(/^ {2}review:go {13}\d+ rules, 1 of 1 file read, 0 claims {2}[\d.]+ m?s$/m)
  expect(verbose.stderr).toContain("  read                  b.go, cart.py\n")
  expect(verbose.stderr).toContain("  skipped               binary: logo.png\n")
})
