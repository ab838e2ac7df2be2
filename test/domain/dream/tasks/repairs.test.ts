import { describe, expect } from "bun:test"
import type { Artifact, Contribution } from "../../../../src/domain/dream/Artifact.ts"
import {
  episodesOf,
  injectedInVain,
  observedIn,
  repairContributions
} from "../../../../src/domain/dream/tasks/repairs.ts"
import { viewOfSession } from "../../../../src/domain/dream/viewOfSession.ts"
import { it } from "../../../support/effect.ts"
import { deny, edit, eventsOf, fail, prompt, read, run } from "../../../support/sessionEvents.ts"

type Given = Parameters<typeof eventsOf>[0]

const viewOf = (...parts: ReadonlyArray<Given[number] | Given>) => viewOfSession(eventsOf([prompt(), ...parts].flat()))!
const contributionsOf = (
  parts: ReadonlyArray<Given[number] | Given>,
  known: ReadonlyArray<string> = []
): ReadonlyArray<Contribution> => {
  const view = viewOf(...parts)
  return repairContributions(
    episodesOf(view.steps).map((episode) => observedIn(episode, view)),
    new Set(known)
  )
}
const bodies = (...parts: ReadonlyArray<Given[number] | Given>) =>
  contributionsOf(parts).flatMap(({ body, s }) => (s > 0 ? [body] : []))
const times = (count: number, make: (at: number) => Given): Given =>
  Array.from({ length: count }, (_, at) => make(at)).flat()

const typeError = (line = 3) =>
  fail(
    "tsc --noEmit",
    `Exit code 2\nsrc/cart.ts(${line},7): error TS2345: Argument of type 'A' is not assignable to 'B'.`
  )
/** Ten steps without the error. */
const quiet = times(10, (at) => read(`src/other${at}.ts`))
const signature = "<path>(<n>,<n>): error TS2345: Argument of type <q> is not assignable to <q>."
const playbook = {
  type: "DreamPlaybook",
  trigger: "error:typescript:TS2345",
  sequence: ["edit the file named in the error", "run tsc"]
} as const

describe("a repair", () => {
  it("is not shown by a run of the check that had not ended, or that only tells about it", () => {
    for (const again of [run("npx tsc --noEmit", { task: "b1", verdict: "unknown" }), run("npx tsc --version")]) {
      expect(bodies(typeError(), edit("src/cart.ts"), again, quiet)).toEqual([])
    }
  })

  it("is what was done between an error and a success of the same check, in words for any session", () => {
    const steps = [read("src/cart.ts"), read("lib/price.d.ts"), edit("src/cart.ts"), run("npx tsc --noEmit")]
    expect(bodies(typeError(), ...steps, quiet)).toEqual([
      {
        type: "DreamPlaybook",
        trigger: "error:typescript:TS2345",
        sequence: [
          "read the file named in the error",
          "read the type definitions (lib/price.d.ts)",
          "edit the file named in the error",
          "run tsc"
        ]
      }
    ])
  })

  it("is a pattern of one step if only the surroundings of the check were changed", () => {
    const missing = fail("node report.js", "Error: ENOENT: no such file or directory, open 'out/a.csv'")
    expect(bodies(missing, run("mkdir -p out"), run("node report.js"), quiet)).toEqual([
      {
        type: "RepairPattern",
        error_signature: "Error: ENOENT: no such file or directory, open <q>",
        fix_action: "create the missing directory with mkdir -p (mkdir -p out)"
      }
    ])
    expect(bodies(missing, run("mkdir -p out && node report.js"), quiet)).toHaveLength(1)
  })

  it("needs a success of the same check", () => {
    expect(bodies(typeError(), edit("src/cart.ts"), run("bun test"), quiet)).toEqual([])
    expect(bodies(typeError(), edit("src/cart.ts"))).toEqual([])
    const broken = fail("bun test", "TypeError: price is undefined")
    expect(bodies(broken, edit("test/a.test.ts"), run("bun test test/other.test.ts"), quiet)).toEqual([])
    expect(bodies(fail("bun test a.test.ts", "TypeError: no"), edit("a.test.ts"), run("bun test"), quiet)).toHaveLength(
      1
    )
  })

  it("needs a success within 30 steps of the failure", () => {
    const after = (count: number) => [
      typeError(),
      edit("src/cart.ts"),
      times(count, () => read("a.ts")),
      run("tsc"),
      quiet
    ]
    expect(bodies(...after(28))).toEqual([playbook])
    expect(bodies(...after(29))).toEqual([])
  })

  it("does not count if the error comes back within ten steps", () => {
    const back = (count: number) => [
      typeError(),
      edit("src/cart.ts"),
      run("tsc"),
      times(count, () => read("a.ts")),
      typeError(9)
    ]
    expect(bodies(...back(8))).toEqual([])
    expect(bodies(...back(10))).toEqual([playbook])
  })

  it("needs another success or a commit if the session ends before ten steps", () => {
    const fixed = [typeError(), edit("src/cart.ts"), run("tsc")]
    expect(bodies(...fixed)).toEqual([])
    expect(bodies(...fixed, read("a.ts"), run("tsc"))).toEqual([playbook])
    expect(bodies(...fixed, run("git commit -am 'fix: prices'"))).toEqual([playbook])
  })

  it("leaves out edits after which the error was still there", () => {
    const tried = [typeError(), edit("tsconfig.json"), typeError(), edit("src/cart.ts"), run("tsc"), quiet]
    expect(bodies(...tried)).toEqual([playbook])
  })

  it("ends where the error goes away, although another one keeps the check red", () => {
    const other = fail("tsc", "src/mail.ts(1,1): error TS2304: Cannot find name 'mail'.")
    const found = bodies(typeError(), edit("src/cart.ts"), other, edit("package.json"), run("tsc"), quiet)
    expect(found).toEqual([
      playbook,
      { type: "DreamPlaybook", trigger: "error:typescript:TS2304", sequence: ["edit package.json", "run tsc"] }
    ])
  })

  it("is none if the check is flaky: it succeeded once without a change", () => {
    const fixed = [typeError(), edit("src/cart.ts"), run("tsc"), quiet]
    expect(bodies(typeError(), read("a.ts"), run("ls"), edit("README.md"), run("tsc"), quiet, ...fixed)).toEqual([])
  })

  it("is none if no change is related with the error", () => {
    expect(bodies(typeError(), edit("src/unrelated.ts"), run("tsc"), quiet)).toEqual([])
    expect(bodies(typeError(), run("node tools/unknown.js"), run("tsc"), quiet)).toEqual([])
  })

  it("is none for calls that were denied or interrupted", () => {
    expect(bodies(deny("tsc"), edit("src/cart.ts"), run("tsc"), quiet)).toEqual([])
    const [begun] = run("tsc")
    const interrupted = [
      begun!,
      { ...begun!, kind: "tool_fail" as const, interrupted: true as const, error: "error TS2345" }
    ]
    expect(bodies(interrupted, edit("src/cart.ts"), run("tsc"), quiet)).toEqual([])
  })

  it("has at most six steps and no argument, output or secret", () => {
    const secret = "sk-live-0123456789abcdef"
    const many = ["package.json", "tsconfig.json", "biome.json", "Makefile", "Dockerfile", "go.mod", "src/cart.ts"]
    const steps = [...many.map(read), ...many.map(edit), run(`TOKEN=${secret} npm install ${secret}`)]
    const [body] = bodies(typeError(), ...steps, run("tsc"), quiet)
    expect(body?.type === "DreamPlaybook" && body.sequence).toHaveLength(6)
    expect(body?.type === "DreamPlaybook" && body.sequence.at(-1)).toBe("run tsc")
    expect(JSON.stringify(body)).not.toContain(secret)
    const inPattern = bodies(typeError(), run(`npm install --token=${secret} left-pad`), run("tsc"), quiet)
    expect(inPattern).toEqual([
      { type: "RepairPattern", error_signature: signature, fix_action: "install the dependencies with npm install" }
    ])
  })
})

describe("evidence of repairs", () => {
  const key = `error:typescript:TS2345\n${playbook.sequence.join("\n")}`
  const worked = [typeError(), edit("src/cart.ts"), run("tsc"), quiet]

  it("counts a playbook once a session, a pattern each time", () => {
    expect(contributionsOf([...worked, ...worked])).toMatchObject([{ key, s: 1, f: 0 }])
    const setup = [fail("jest", "Error: Cannot find module 'a'"), run("npm ci"), run("jest"), quiet]
    expect(contributionsOf([...setup, ...setup])).toMatchObject([{ s: 2, f: 0 }])
  })

  it("counts a known repair that did not help as a failure, an unknown one not at all", () => {
    const inVain = [typeError(), edit("src/cart.ts"), typeError()]
    expect(contributionsOf(inVain, [key])).toMatchObject([{ key, s: 0, f: 1 }])
    expect(contributionsOf(inVain)).toEqual([])
    const cameBack = [typeError(), edit("src/cart.ts"), run("tsc"), read("a.ts"), typeError()]
    expect(contributionsOf(cameBack, [key])).toMatchObject([{ key, s: 0, f: 1 }])
  })

  it("does not count an attempt against the same repair when it helps in the end", () => {
    expect(contributionsOf([typeError(), edit("src/cart.ts"), ...worked], [key])).toMatchObject([{ s: 1, f: 0 }])
  })
})

describe("a repair that was given to the assistant", () => {
  const artifact: Artifact = {
    ...playbook,
    ...{ source_sessions: 1, v: 2, id: "pb_1", key: "known", confidence: 0.7, created_at: 1, last_seen_at: 1 },
    ...{
      stats: { s: 1, f: 0, sessions: 1 },
      last_used_at: null,
      uses: 1,
      helped: 0,
      hurt: 0,
      sources: [],
      origin: "hook"
    }
  }
  const given: Given[number] = {
    kind: "injected",
    injection: { id: "i1", sources: ["playbook"], artifacts: ["pb_1"], bytes: 100 }
  }
  const inVain = (...parts: ReadonlyArray<Given[number] | Given>) =>
    injectedInVain(viewOf(...parts), [artifact]).map(({ key }) => key)

  it("failed if the error comes back within ten steps although something was changed", () => {
    expect(inVain(typeError(), given, edit("src/cart.ts"), typeError())).toEqual(["known"])
    expect(inVain(given, typeError(), edit("src/cart.ts"), typeError())).toEqual(["known"])
    expect(inVain(typeError(), given, edit("src/cart.ts"), quiet, typeError())).toEqual([])
  })

  it("did not fail if the error only occurs, or nothing was tried", () => {
    expect(inVain(given, typeError())).toEqual([])
    expect(inVain(given, typeError(), read("src/cart.ts"), typeError())).toEqual([])
    expect(inVain(typeError(), edit("src/cart.ts"), typeError())).toEqual([])
  })
})
