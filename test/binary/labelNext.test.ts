/** `dd archive label --next`, by the compiled binary, in a pipe and on a terminal. */
import { expect, test } from "bun:test"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { dd } from "../support/binary.ts"
import { mutable, nightWorld } from "../support/nightWorld.ts"

/** A review with three findings of one rule and one of another. */
const reviewed = async () => {
  const at = nightWorld()
  at.repository.commit("First", { "a.py": "x = 1\n" })
  at.repository.commit("Second", {
    "a.py": `${mutable("a")}\n\n${mutable("b")}`,
    "b.py": `${mutable("c")}\n\ndef d():\n    try:\n        return 1\n    except:\n        return 2\n`
  })
  expect((await at.call("review", "--commit", "HEAD")).stderr).toBe("")
  const [session = ""] = readdirSync(join(at.own, "archive", "runs"))
  const next = (...args: ReadonlyArray<string>) => at.call("archive", "label", "--next", ...args)
  return Object.assign(at, {
    session,
    next,
    json: async () => JSON.parse((await next("--json")).stdout),
    verdicts: async () => {
      const sql = "SELECT finding, verdict, source FROM finding_labels ORDER BY rowid"
      const { stdout } = await at.call("archive", "query", sql, "--format", "jsonl")
      return stdout.split("\n").flatMap((line) => (line === "" ? [] : JSON.parse(line)))
    },
    /** What a terminal shows when these keys answer its questions. */
    typed: async (...keys: ReadonlyArray<string>) => {
      let shown = ""
      let answered = 0
      const decoder = new TextDecoder()
      const child = Bun.spawn([dd, "archive", "label", "--next"], {
        cwd: at.repository.root,
        env: { ...at.env, TERM: "xterm" },
        terminal: {
          cols: 100,
          rows: 40,
          data: (terminal, data) => {
            shown += decoder.decode(data, { stream: true })
            const questions = shown.split("q quit: ").length - 1
            if (questions > answered && answered < keys.length) terminal.write(keys[answered++]!)
          }
        }
      })
      await child.exited
      return { shown, status: child.exitCode }
    }
  })
}

test("in a pipe, lists the findings whose labels teach most, with their code and the commands that label them", async () => {
  using at = await reviewed()
  const { status, stderr, stdout } = await at.next()
  expect([status, stderr]).toEqual([0, ""])
  expect(stdout).toStartWith("Labels of these findings teach most; 0 of 4 findings have one.\n\n1. ")
  expect(stdout).toContain("py/mutable-default: ")
  expect(stdout).toContain("a.py:1: def a(items=[]):\n")
  expect(stdout).toContain(`run ${at.session.slice(0, 8)}; 3 findings of this rule, none labelled\n`)
  const [, command = ""] = /^ +dd (archive label \S+ --finding \d+ --outcome accepted) /m.exec(stdout) ?? []
  expect((await at.call(...command.split(" "))).status).toBe(0)
  const { findings, labelled, requests } = await at.json()
  expect([findings, labelled, requests.length]).toEqual([4, 1, 3])
  expect(requests[0]).toMatchObject({ rule: "py/mutable-default", judged: 1, reported: 3 })
  for (const one of [["--next=1"], ["--next", "1"]]) {
    expect((await at.call("archive", "label", ...one)).stdout.match(/^\d+\. /gm)).toEqual(["1. "])
  }
})

test("on a terminal, stores each label at its key, and loses nothing when the user quits", async () => {
  using at = await reviewed()
  const asked = (await at.json()).requests
  const { shown, status } = await at.typed("r", "s", "xa", "q")
  expect(status).toBe(0)
  expect(shown).toContain("a.py:1: def a(items=[]):")
  expect(shown).toContain("q quit: rejected")
  expect(shown).toContain("q quit: skipped")
  expect(shown).toContain("q quit: accepted")
  expect(shown).toContain("2 findings labelled; dd dream start learns from labels")
  expect(await at.verdicts()).toEqual([
    { finding: asked[0].finding, verdict: "rejected", source: "human" },
    { finding: asked[2].finding, verdict: "accepted", source: "human" }
  ])
  // What was labelled is not asked again.
  expect((await at.json()).requests.map(({ finding }: { finding: number }) => finding).sort()).toEqual(
    [asked[1].finding, asked[3].finding].sort()
  )
  expect((await at.typed("\u0003")).shown).toContain("0 findings labelled")
  expect((await at.typed("c", "c")).shown).toContain("2 findings labelled")
  expect((await at.next()).stdout).toBe(
    "Every finding of this repository in the archive has a label, is hidden, or is no longer in the code.\n"
  )
})

test("says what is wrong with a call", async () => {
  using at = nightWorld()
  at.repository.commit("First", { "a.py": "x = 1\n" })
  const label = async (...args: ReadonlyArray<string>) => {
    const { status, stderr } = await at.call("archive", "label", ...args)
    expect(status).toBe(2)
    return stderr
  }
  expect(await label("--next", "latest")).toContain("--next takes only a number and --json")
  expect(await label("--next", "-5")).toContain("--next takes a number from 1 on")
  expect(await label("--next=0")).toContain("--next takes a number from 1 on")
  expect(await label("--next", "--outcome", "accepted")).toContain("--next takes only a number and --json")
  expect(await label("--json")).toContain("--json requires --next")
  expect((await at.call("archive", "label", "--next")).stdout).toBe(
    "No archived review of this repository has a finding.\n"
  )
})
