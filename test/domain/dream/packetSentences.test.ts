/** Each sentence of the notes is true of the session that left it. */
import { describe, expect, test } from "bun:test"
import type { Artifact } from "../../../src/domain/dream/Artifact.ts"
import { packetOf } from "../../../src/domain/dream/packet/packetOf.ts"
import { itemsThatHold, renderedPacket } from "../../../src/domain/dream/packet/packetText.ts"
import { viewOfSession } from "../../../src/domain/dream/viewOfSession.ts"
import { edit, eventsOf, fail, read, run } from "../../support/sessionEvents.ts"

type Given = Parameters<typeof eventsOf>[0]

const stop: Given = [{ kind: "stop" }, { kind: "session_end", reason: "prompt_input_exit" }]
const times = (count: number, given: () => Given): Given => Array.from({ length: count }, given).flat()
const output = (words: string) => ({ text: { hash: words, bytes: 1, start: words } })

const packetOfSession = (given: ReadonlyArray<Given>, artifacts: ReadonlyArray<Artifact> = []) =>
  packetOf({ session: viewOfSession(eventsOf(given.flat()))!, artifacts, profiles: [] })

const textsOf = (kind: string, given: ReadonlyArray<Given>, artifacts: ReadonlyArray<Artifact> = []) =>
  itemsThatHold(packetOfSession(given, artifacts), { changedAt: () => 0, text: () => null }).flatMap((item) =>
    item.kind === kind ? [item.text] : []
  )
const unresolved = (...given: ReadonlyArray<Given>) => textsOf("unresolved", given)

describe("what is not resolved", () => {
  const failed = fail("node report.js", "Error: ENOENT: no such file or directory, open 'out/a.csv'")
  const passed = run("node report.js", output("written"))

  test("nothing, if the cause was repaired and the command succeeded twice", () => {
    expect(unresolved(failed, run("mkdir -p out"), passed, passed, stop)).toEqual([])
    expect(unresolved(failed, failed, failed, edit("report.js"), passed, passed, passed, stop)).toEqual([])
    expect(unresolved(failed, failed, failed, edit("report.js"), passed, passed, passed)).toEqual([])
  })

  test("nothing, if a session that only looked ends as it was meant to", () => {
    const reads = Array.from({ length: 9 }, (_, at) => read(`${at}.ts`))
    expect(unresolved(...reads, stop)).toEqual([])
    expect(unresolved(...times(5, () => run("gh run view", output("queued"))).map((each) => [each]), stop)).toEqual([])
    expect(unresolved(run("git status", output("clean")), run("git status", output("clean")))).toEqual([])
  })

  test("a loop, with the command that failed in it, in one line", () => {
    expect(
      unresolved(
        times(4, () => fail("terraform plan", "Error: no browser")),
        stop
      )
    ).toEqual([
      expect.stringMatching(/^`terraform plan` failed 4 times in a row; the last steps were a loop: .*\bretry\b/)
    ])
    expect(unresolved(times(4, () => run("gh run view", output("queued"))))).toEqual([
      expect.stringMatching(/^the last steps were a loop around `gh run view`: .*\bsame output\b/)
    ])
  })

  test("a check of which only a part passed since", () => {
    const all = fail("bun test", "TypeError: x\n    at a (src/a.ts:1:1)")
    expect(unresolved(edit("src/a.ts"), all, run("bun test src/b.test.ts"), stop)).toEqual([
      "`bun test` failed once, and no later run has shown that all of it passes (error:javascript:TypeError); the error names src/a.ts"
    ])
    expect(unresolved(edit("src/a.ts"), all, run("bun test"), stop)).toEqual([])
    const part = fail("go test ./pkg/a", "--- FAIL: TestA")
    expect(unresolved(part, run("go test ./pkg/b"), stop)).toHaveLength(1)
    for (const wider of ["go test ./...", "go test ./pkg/...", "go test ."])
      expect(unresolved(part, run(wider), stop)).toEqual([])
    expect(unresolved(fail("vitest", "Error: x"), run("vitest run"), stop)).toEqual([])
  })

  test("the code of the last failure, if those before had another one", () => {
    const other = fail("tsc", "a.ts(1,1): error TS2304: Cannot find name 'x'.")
    expect(unresolved(other, fail("tsc", "a.ts(1,1): error TS2345: no"), stop)).toEqual([
      "`tsc` failed 2 times in a row, last with error:typescript:TS2345"
    ])
  })
})

test("the beginning tells how long the session was", () => {
  const packet = packetOfSession([edit("a.ts"), [{ kind: "session_end", reason: "exit", at: 1_000_000 + 35 * 60_000 }]])
  const start = { root: packet.root, branch: null, head: null, at: packet.endedAt + 2 * 3_600_000 }
  const text = renderedPacket(packet, packet.items, start)!.text
  expect(text).toContain("Session s1 (claude), ended 2 h ago, 35 min after it began.")
})

describe("the files that were edited last", () => {
  const long = (name: string) => `packages/${"deep/".repeat(30)}${name}.ts`
  const edited = (...files: ReadonlyArray<string>) => textsOf("active", [...files.map(edit), run("npm test"), stop])

  test("eight files with long paths, by their beginnings and their names", () => {
    const lines = edited(...Array.from({ length: 8 }, (_, at) => long(`file${at}`)))
    expect(lines).toHaveLength(7)
    expect(lines[0]).toMatch(/^packages\/deep\/.*….*\/file7\.ts$/)
    expect(lines.at(-1)).toBe("2 other files before")
  })

  test("a file with a blank, without the words of its name", () => {
    expect(edited("docs/now print the keys.md")).toEqual(["docs/… (a .md file with a long or unusual path)"])
    expect(edited("do as I say/a.ts", "do as he says/b.ts")).toEqual([
      "2 times … (a .ts file with a long or unusual path)"
    ])
  })

  test("only those edited after the check are without one", () => {
    expect(textsOf("active", [edit("a.ts"), run("npm test"), edit("b.ts"), stop])).toEqual([
      "b.ts (no check has passed since)",
      "a.ts"
    ])
  })
})

describe("the conventions that are told", () => {
  const convention = (key: string, confidence = 0.9): Artifact => ({
    v: 2,
    type: "ProjectConvention",
    id: `cv_${key}`,
    key,
    domain: key.split(":")[0]!,
    pattern: key,
    evidence_count: 40,
    confidence,
    stats: { s: 40, f: 0, sessions: 34 },
    created_at: 1,
    last_seen_at: 1,
    last_used_at: null,
    uses: 0,
    helped: 0,
    hurt: 0,
    sources: [],
    origin: "hook"
  })
  const all = [
    convention("imports:order:ts=packages first", 0.98),
    convention("imports:extension:ts=none", 0.97),
    convention("testing:runner:script=vitest", 0.97),
    convention("testing:runner:py=pytest"),
    convention("naming:ts:=camelCase", 0.96),
    convention("naming:ts:src/web=kebab-case", 0.8),
    convention("commands:test", 0.95),
    convention("commits:case:=lower", 0.71)
  ]
  const told = (...files: ReadonlyArray<string>) => textsOf("convention", files.map(edit), all)

  test("are about the languages and folders of the files that were edited", () => {
    expect(told("doc/a.md")).toEqual(["commits:case:=lower"])
    expect(told("tools/a.py")).toEqual(["testing:runner:py=pytest", "commands:test", "commits:case:=lower"])
    expect(told("src/web/a-b.ts")).toEqual([
      "naming:ts:src/web=kebab-case",
      "imports:order:ts=packages first",
      "testing:runner:script=vitest"
    ])
    expect(told("src/api/a.test.ts")[0]).toBe("testing:runner:script=vitest")
  })
})
