/** Errors, repairs and loops for a planted month, and what only looks like them. Each plant uses a command of its own. */

import { withoutDetails } from "../../src/domain/dream/artifacts/details.ts"
import { isSupported } from "../../src/domain/dream/confidence.ts"
import type { SessionProfile } from "../../src/domain/dream/SessionProfile.ts"
import { inEachSession, type Judge } from "./dreamScores.ts"
import type { Plant, PlantedSession, Truth } from "./plantedSessions.ts"
import { root } from "./plantedSessions.ts"

/** A cluster is expected from the second occurrence, or if an earlier session had the error. */
const errors = (
  session: PlantedSession,
  name: string,
  count: number,
  end: "resolved" | "unresolved"
): ReadonlyArray<Truth> =>
  session.hasSeen(name) || count >= 2 ? [{ task: "error clusters", found: `${name}: ${count}, ${end}` }] : []

const repair = (error: string, ...steps: ReadonlyArray<string>): ReadonlyArray<Truth> => {
  const found = `${error}: ${steps.join("; ")}`
  return [
    { task: "repair sequences", found },
    { task: "repairs of the month", found, sessions: 1 }
  ]
}

const loop = (subject: string, end: "resolved" | "unresolved"): ReadonlyArray<Truth> => [
  { task: "loop analysis", found: `${subject}: ${end}` }
]

/** The error stays away: for ten steps, or until the check succeeds again. */
const settle = (session: PlantedSession, check: string): void => {
  const isLong = session.random.chance(0.5)
  session.noise(isLong ? 10 : 2)
  if (!isLong) session.run(check)
}

const typeError: Plant = (session) => {
  const file = `src/cart/${session.fresh("line")}.ts`
  session.fail("tsc --noEmit", `${file}(3,7): error TS2345: Argument of type 'Price' is not assignable to 'number'.`)
  session.read(file)
  session.noise(2)
  session.read("src/types.ts")
  session.edit(file)
  session.run("tsc --noEmit")
  settle(session, "tsc --noEmit")
  const steps = ["read the file named in the error", "read the type definitions", "edit the file named in the error"]
  return [
    ...errors(session, "error:typescript:TS2345", 1, "resolved"),
    ...repair("error:typescript:TS2345", ...steps, "run tsc")
  ]
}

const missingFolder: Plant = (session) => {
  const command = "node scripts/export.js"
  session.fail(command, `Error: ENOENT: no such file or directory, open '${session.fresh("out/report")}.csv'`)
  session.noise(1)
  session.run("mkdir -p out/reports")
  session.run(command)
  session.noise(10)
  const signature = "Error: ENOENT: no such file or directory, open <q>"
  return [
    ...errors(session, "error:system:ENOENT", 1, "resolved"),
    ...repair(signature, "create the missing directory with mkdir -p")
  ]
}

const missingPackage: Plant = (session) => {
  const name = session.random.pick(["zod", "hono", "luxon"])
  session.fail("bun test", `error: Cannot find package '${name}' from '${root}/src/api/order.ts'`)
  session.run(`bun add ${name}`)
  session.run("bun test")
  settle(session, "bun test")
  const signature = "error: Cannot find package <q> from <q>"
  return [...errors(session, signature, 1, "resolved"), ...repair(signature, "install the dependencies with bun add")]
}

/** The first edit has no effect and is no part of the repair. */
const secondAttempt: Plant = (session) => {
  const check = "pytest tests/test_price.py"
  const failure = `E       AssertionError: totals differ by ${session.random.below(90)}\ntests/test_price.py:12: AssertionError`
  session.fail(check, failure)
  session.edit("src/price.py")
  session.fail(check, failure)
  session.noise(1)
  session.edit("tests/test_price.py")
  session.run(check)
  settle(session, "pytest")
  return [
    ...errors(session, "error:python:AssertionError", 2, "resolved"),
    ...repair("error:python:AssertionError", "edit the file named in the error", "run pytest"),
    // The same output twice.
    ...loop("pytest", "resolved")
  ]
}

const sourceOfTest: Plant = (session) => {
  const name = session.fresh("total")
  session.fail("jest", `FAIL src/cart/${name}.test.ts\n  RangeError: total is out of range`)
  session.edit(`src/cart/${name}.ts`)
  session.run(`jest src/cart/${name}.test.ts`)
  session.noise(1)
  session.run("jest")
  session.run("git commit -am 'fix: keep totals in range'")
  return [
    ...errors(session, "error:javascript:RangeError", 1, "resolved"),
    ...repair("error:javascript:RangeError", "edit the source of the test named in the error", "run jest")
  ]
}

/** The exit code is that of `tail`: only the output tells. */
const piped: Plant = (session) => {
  const check = "npm test 2>&1 | tail -20"
  session.run(
    check,
    `TypeError: price is not a function\n    at total (src/cart/${session.fresh("sum")}.ts:4:2)\n\n  1 failing`
  )
  session.read("package.json")
  session.edit("package.json")
  session.run(check, "  12 passing")
  settle(session, "npm test")
  return [
    ...errors(session, "error:javascript:TypeError", 1, "resolved"),
    ...repair("error:javascript:TypeError", "read package.json", "edit package.json", "run npm test")
  ]
}

const anotherCheckSucceeds: Plant = (session) => {
  session.fail("cargo check", "error[E0308]: mismatched types\n --> src/main.rs:4:5")
  session.edit("src/main.rs")
  session.run("cargo test")
  session.noise(10)
  return errors(session, "error:rust:E0308", 1, "unresolved")
}

const comesBack: Plant = (session) => {
  session.fail("go test ./...", "--- FAIL: TestPrice\npanic: runtime error: index out of range [3]")
  session.edit("price.go")
  session.run("go test ./...")
  session.noise(7)
  session.fail("go test ./...", "--- FAIL: TestPrice\npanic: runtime error: index out of range [4]")
  return [
    ...errors(session, "panic: runtime error: index out of range [<n>]", 2, "unresolved"),
    // The third equal call fails.
    ...loop("go test", "unresolved")
  ]
}

const withoutEffect: Plant = (session) => {
  session.fail("mypy src", "src/jobs.py:3: error: Name 'price' is not defined")
  session.edit("src/jobs.py")
  session.fail("mypy src", "src/jobs.py:4: error: Name 'price' is not defined")
  session.noise(3)
  return errors(session, "<path>: error: Name <q> is not defined", 2, "unresolved")
}

/** Once it succeeds without a change, so the edit before the second success proves nothing. */
const flaky: Plant = (session) => {
  session.fail("vitest run", "Error: Test timed out in 5000ms.")
  session.run("vitest run")
  session.noise(12)
  session.fail("vitest run", "Error: Test timed out in 5000ms.")
  session.edit("src/web/clock.ts")
  session.run("vitest run")
  session.noise(10)
  return [...errors(session, "Error: Test timed out in <n>.", 2, "resolved"), ...loop("vitest", "resolved")]
}

const onlyLooking: Plant = (session) => {
  session.fail("phpunit", "Error: Connection to the database was refused")
  session.run("cat config.php")
  session.run("phpunit")
  session.noise(10)
  return errors(session, "Error: Connection to the database was refused", 1, "resolved")
}

const narrowerCheck: Plant = (session) => {
  session.fail("rspec", "NoMethodError: undefined method `total' for nil\n  # ./app/cart.rb:9")
  session.edit("app/cart.rb")
  session.run("rspec spec/mail_spec.rb")
  session.noise(10)
  return errors(session, "error:ruby:NoMethodError", 1, "unresolved")
}

const denied: Plant = (session) => {
  session.deny("make deploy")
  session.edit("Makefile")
  session.run("make lint")
  return []
}

const resolvedLoop: Plant = (session) => {
  const check = "docker build ."
  for (let time = 0; time < 4; time++) session.fail(check, "ERROR: failed to solve: process did not complete")
  session.edit("Dockerfile")
  session.run(check)
  session.noise(10)
  const signature = "ERROR: failed to solve: process did not complete"
  return [
    ...errors(session, signature, 4, "resolved"),
    ...repair(signature, "edit Dockerfile", "run docker build"),
    ...loop("docker build", "resolved")
  ]
}

const unresolvedLoop: Plant = (session) => {
  for (let time = 0; time < 4; time++) session.fail("terraform plan", `Error: Invalid reference ${time}`)
  session.noise(4)
  return [...errors(session, "Error: Invalid reference <n>", 4, "unresolved"), ...loop("terraform plan", "unresolved")]
}

/** It succeeds once and fails again soon. */
const loopThatComesBack: Plant = (session) => {
  for (let time = 0; time < 3; time++) session.fail("ctest", "Error: the queue is full")
  session.edit("queue.cpp")
  session.run("ctest")
  session.noise(4)
  session.fail("ctest", "Error: the queue is full")
  return [...errors(session, "Error: the queue is full", 4, "unresolved"), ...loop("ctest", "unresolved")]
}

const readSpiral: Plant = (session) => {
  for (let time = 0; time < 9; time++) session.read(`src/api/${session.fresh("handler")}.ts`)
  session.edit(`src/api/${session.fresh("handler")}.ts`)
  return loop("read", "resolved")
}

/** Test, change, test, change, all of it successful: work, not a loop. */
const steadyWork: Plant = (session) => {
  for (let time = 0; time < 5; time++) {
    session.edit(`src/jobs/${session.fresh("step")}.ts`)
    session.run("bun run test:unit")
  }
  return []
}

export const repairPlants: ReadonlyArray<Plant> = [
  ...[typeError, missingFolder, missingPackage, secondAttempt, sourceOfTest, piped],
  ...[anotherCheckSucceeds, comesBack, withoutEffect, flaky, onlyLooking, narrowerCheck, denied],
  ...[resolvedLoop, unresolvedLoop, loopThatComesBack, readSpiral, steadyWork]
]

const repairsOf = ({ contributions }: SessionProfile) =>
  contributions.flatMap(({ body: given, f, s }) => {
    const body = withoutDetails(given)
    if (body.type === "DreamPlaybook") return [{ words: `${body.trigger}: ${body.sequence.join("; ")}`, s, f }]
    return body.type === "RepairPattern" ? [{ words: `${body.error_signature}: ${body.fix_action}`, s, f }] : []
  })

export const repairJudges: ReadonlyArray<Judge> = [
  {
    task: "error clusters",
    found: inEachSession(({ clusters }) =>
      clusters.map(
        ({ count, resolved, signature, trigger }) =>
          `${trigger ?? signature}: ${count}, ${resolved ? "resolved" : "unresolved"}`
      )
    )
  },
  {
    task: "repair sequences",
    found: inEachSession((profile) => repairsOf(profile).flatMap(({ s, words }) => (s > 0 ? [words] : [])))
  },
  {
    task: "repairs of the month",
    found: (profiles) =>
      [...Map.groupBy(profiles.flatMap(repairsOf), ({ words }) => words)].flatMap(([words, all]) => {
        const sum = all.reduce((total, { f, s }) => ({ s: total.s + s, f: total.f + f }), { s: 0, f: 0 })
        return isSupported("DreamPlaybook", { ...sum, items: sum.s + sum.f, sessions: all.length }) ? [words] : []
      })
  },
  {
    task: "loop analysis",
    found: inEachSession(({ loops }) =>
      // "likely failure" is about frequencies in the whole session; no plant makes one on purpose.
      loops
        .filter(({ kind }) => kind !== "likely failure")
        .map(({ key, resolved }) => {
          const subject = key.replace(/^(?:Bash|run) | \(failed\)$/g, "")
          return `${subject}: ${resolved ? "resolved" : "unresolved"}`
        })
    )
  }
]
