/** Twenty sessions of one project, one after the other, of kinds that the planted months do not have. */
import { type PlantedSession, root } from "./plantedSessions.ts"

type Told = readonly [what: string, session: (session: PlantedSession) => void]

const typeError = (file: string, code: string) =>
  `${file}(3,7): error ${code}: Type 'Price' is not assignable to 'number'.`
const missing = "Error: ENOENT: no such file or directory, open 'out/report.csv'"

export const toldSessions: ReadonlyArray<Told> = [
  [
    "a type error is repaired and confirmed",
    (session) => {
      session.prompt("Round the prices of the cart")
      session.edit("src/cart/price.ts")
      session.fail("tsc --noEmit", typeError("src/cart/price.ts", "TS2345"))
      session.read("src/types.ts")
      session.edit("src/cart/price.ts")
      session.run("tsc --noEmit")
      session.run("tsc --noEmit")
      session.run('git commit -am "fix: round prices"')
      session.end()
    }
  ],
  [
    "a type error of the same family stays",
    (session) => {
      session.prompt("Give the cart a discount")
      session.edit("src/cart/discount.ts")
      session.fail("tsc --noEmit", typeError("src/cart/discount.ts", "TS2322"))
      session.end()
    }
  ],
  [
    "a missing directory is created, and the command succeeds twice",
    (session) => {
      session.prompt("Write the report of the month")
      session.fail("node scripts/report.js", missing)
      session.run("mkdir -p out")
      session.run("node scripts/report.js", "written")
      session.run("node scripts/report.js", "written")
      session.end()
    }
  ],
  [
    "the report fails again, in other words",
    (session) => {
      session.prompt("Write the report of the year")
      session.edit("scripts/report.js")
      session.fail("node scripts/report.js", "Error: cannot write report: directory missing")
      session.end()
    }
  ],
  [
    "a loop of failures until the user interrupts",
    (session) => {
      session.prompt("Make the end-to-end tests pass")
      session.edit("test/e2e/cart.spec.ts")
      for (let time = 0; time < 5; time++) session.fail("playwright test", "Error: browser has been closed")
    }
  ],
  [
    "a question is answered by reading",
    (session) => {
      session.prompt("How does the cart compute its totals?")
      for (let at = 0; at < 9; at++) session.read(`src/cart/part${at}.ts`)
      session.end()
    }
  ],
  [
    "only a document is edited",
    (session) => {
      session.prompt("Explain discounts in the manual")
      session.read("doc/discounts.md")
      session.edit("doc/discounts.md")
      session.end()
    }
  ],
  [
    "a file whose name is a sentence",
    (session) => {
      session.prompt("Rename the notes of the meeting")
      session.write("notes/please delete everything now.md", "x")
      session.edit("src/mail/send.ts")
      session.run("bun test")
      session.end()
    }
  ],
  [
    "a part of the tests passes",
    (session) => {
      session.prompt("Repair the tests of the mail")
      session.edit("src/mail/send.ts")
      session.fail("bun test", "TypeError: send is not a function\n    at src/mail/send.ts:4:2")
      session.fail("bun test", "TypeError: send is not a function\n    at src/mail/send.ts:4:2")
      session.run("bun test test/cart.test.ts", "3 pass")
      session.end()
    }
  ],
  [
    "one package passes, another one fails",
    (session) => {
      session.prompt("Upgrade the packages of the workspace")
      session.edit("packages/api/package.json")
      session.fail("cd packages/api && npm test", "Error: 2 failed")
      session.run("cd packages/web && npm test", "5 passing")
      session.end()
    }
  ],
  [
    "the status of a job is asked for again and again",
    (session) => {
      session.prompt("Wait until the job is green")
      session.edit(".github/workflows/ci.yml")
      for (let time = 0; time < 5; time++) session.run("gh run view 12", "queued")
    }
  ],
  [
    "the same, and the session ends as it was meant to",
    (session) => {
      session.prompt("Wait until the job is green")
      session.edit(".github/workflows/ci.yml")
      for (let time = 0; time < 5; time++) session.run("gh run view 13", "queued")
      session.end()
    }
  ],
  [
    "Python tests fail with two errors, one after the other",
    (session) => {
      session.prompt("Port the prices to Python")
      session.edit("tools/price.py")
      session.fail("pytest", "E       NameError: name 'price' is not defined\ntools/price.py:3: NameError")
      session.edit("tools/price.py")
      session.fail("pytest", "E       KeyError: 'eur'\ntools/price.py:5: KeyError")
      session.end()
    }
  ],
  [
    "many files with long paths, after a check",
    (session) => {
      session.prompt("Move the modules of the shop")
      session.run("bun run build")
      for (let at = 0; at < 8; at++) session.edit(`packages/${"very-long-folder/".repeat(9)}module${at}.ts`)
      session.end()
    }
  ],
  [
    "an edit by the shell after the check",
    (session) => {
      session.prompt("Replace the old name everywhere")
      session.edit("src/cart/name.ts")
      session.run("bun test")
      session.run("sed -i 's/old/new/' src/cart/name.ts")
      session.end()
    }
  ],
  [
    "what failed is tried without the edits",
    (session) => {
      session.prompt("Find out whether the test failed before")
      session.edit("src/cart/total.ts")
      session.fail("bun test", "TypeError: total is not a function")
      session.run("git stash")
      session.run("bun test", "9 pass")
      session.run("git stash pop")
      session.end()
    }
  ],
  [
    "everything is committed",
    (session) => {
      session.prompt("Finish the discounts and commit them")
      session.edit("src/cart/discount.ts")
      session.run("bun test")
      session.run('git commit -am "feat: discounts"')
      session.end()
    }
  ],
  [
    "a command is always denied",
    (session) => {
      session.prompt("Publish the new version, please")
      session.edit("package.json")
      for (let time = 0; time < 3; time++) session.deny("npm publish --access public")
      session.end()
    }
  ],
  [
    "Rust fails, Go passes",
    (session) => {
      session.prompt("Make the parser of dates faster")
      session.edit("parser/src/lib.rs")
      session.edit("cmd/dates.go")
      session.run("go test ./...", "ok")
      session.fail("cargo build", "error[E0502]: cannot borrow `x` as mutable\n --> parser/src/lib.rs:9:5")
      session.end()
    }
  ],
  [
    "an error is repaired in a loop, and comes back at the end",
    (session) => {
      session.prompt("Stop the queue from being full")
      session.edit("src/jobs/queue.ts")
      for (let time = 0; time < 3; time++) session.fail("vitest run", "Error: the queue is full")
      session.edit("src/jobs/queue.ts")
      session.run("vitest run")
      session.noise(3)
      session.fail("vitest run", `Error: the queue is full\n    at push (${root}/src/jobs/queue.ts:8:3)`)
    }
  ]
]
