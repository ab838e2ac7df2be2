/** `dd dream why` and `dd dream rollback` through the parser of the command line, on a corpus on disk. */
import { describe, expect } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { dreamCommand } from "../../src/cli/dream/dream.ts"
import type { Generation } from "../../src/domain/night/Generation.ts"
import { called as calledIn } from "../support/cli/called.ts"
import { it } from "../support/effect.ts"
import { suppression } from "../support/generations.ts"
import { nightWorld } from "../support/nightWorld.ts"

const learnedWorld = (...generations: ReadonlyArray<Partial<Generation>>) =>
  Effect.gen(function* () {
    const at = yield* Effect.acquireRelease(Effect.sync(nightWorld), (one) => Effect.sync(() => one[Symbol.dispose]()))
    for (const fields of generations) yield* Effect.promise(() => at.learn(fields))
    return at
  })

/** In the directory of the repository. */
const called = (at: ReturnType<typeof nightWorld>, ...args: ReadonlyArray<string>) =>
  calledIn(dreamCommand, ["dream", ...args], {
    cwd: at.repository.root,
    env: { DD_HOME: at.own, PATH: process.env.PATH ?? "" }
  })

const everything: Partial<Generation> = {
  suppressions: [suppression({ rejected: 1, folder: "" })],
  conventions: [
    {
      id: "con-00000000000000aa",
      rule: "py/bare-except",
      folder: "src/",
      text: "Name the exceptions",
      maturity: "established",
      accepted: 9,
      rejected: 1,
      evidence: []
    }
  ],
  playbooks: [
    {
      id: "pbk-00000000000000bb",
      rule: "py/bare-except",
      text: "Catch Exception",
      check: "make test",
      passed: 3,
      failed: 1,
      evidence: []
    }
  ],
  calibration: [
    { rule: "py/bare-except", by: "static", accepted: 9, rejected: 1, probability: 0.86 },
    { rule: "py/bare-except", by: "claude-x", accepted: 3, rejected: 3, probability: 0.5 },
    { rule: "py/eval", by: "static", accepted: 1, rejected: 1, probability: 0.5 }
  ]
}

describe("dd dream why", () => {
  it.effect("explains all that was learned of a rule", () =>
    Effect.gen(function* () {
      const at = yield* learnedWorld(everything)
      const { error, out } = yield* called(at, "why", "py/bare-except")
      expect(error).toBe(null)
      expect(out).toMatchSnapshot()
      const ended = yield* learnedWorld({ suppressions: [suppression({ expires: 0 })] })
      expect((yield* called(ended, "why", "sup-")).out).toContain(
        "it hides nothing any more: it ended 1970-01-01 (UTC)"
      )
      expect((yield* called(at, "why", "py/eval")).out).toContain("it changes no confidence: fewer than 5 labels")
    })
  )

  it.effect("lists all that was learned when it is asked about nothing", () =>
    Effect.gen(function* () {
      const at = yield* learnedWorld(everything)
      const { out } = yield* called(at, "why")
      expect(out).toStartWith("Generation 1\n  sup-")
      expect(out).toContain("  con-00000000000000aa is a convention: Name the exceptions\n")
      expect(out).toContain("  pbk-00000000000000bb is a playbook for py/bare-except: Catch Exception\n")
      const nothing = yield* called(yield* learnedWorld(), "why")
      expect(nothing.out).toBe("Nothing is learned from labels in this repository yet; see dd archive label --next.\n")
    })
  )

  it.effect("finds an item by the beginning of its id, and names the generation before it was learned", () =>
    Effect.gen(function* () {
      const at = yield* learnedWorld({}, { suppressions: [suppression()] }, { suppressions: [suppression()] })
      const { out } = yield* called(at, "why", "sup-01")
      expect(out).toStartWith("sup-0123456789abcdef hides findings of py/mutable-default in src/generated/\n")
      expect(out).toContain("learned in generation 2\n")
      expect(out).toContain("dd dream rollback 1 goes back to the generation before it was learned")
      const json = JSON.parse((yield* called(at, "why", "sup-01", "--json")).out)
      expect(json).toMatchObject({
        generation: 3,
        learned: [{ kind: "suppression", learned_in: 2, generation_before: 1 }]
      })
    })
  )

  it.effect("says in an error what there is, or that there is nothing yet", () =>
    Effect.gen(function* () {
      expect((yield* called(yield* learnedWorld(), "why", "sup-1")).error).toBe(
        "nothing was learned in this repository yet: dd dream start learns from labels"
      )
      const at = yield* learnedWorld(everything)
      expect((yield* called(at, "why", "sup-0123456789abcdee")).error).toBe(
        "nothing was learned of sup-0123456789abcdee in generation 1; there is sup-0123456789abcdef"
      )
    })
  )
})

describe("dd dream rollback", () => {
  it.effect("lists the kept generations, and goes back to one of them", () =>
    Effect.gen(function* () {
      const at = yield* learnedWorld({ suppressions: [suppression()] }, {})
      const content = (n: number) => `${n === 1 ? "1 suppression" : "0 suppressions"}, 0 conventions`
      const list = (yield* called(at, "rollback")).out
      expect(list).toContain("2 (current)")
      expect(list).toContain(content(1))
      expect((yield* called(at, "rollback", "1")).out).toStartWith(
        `Generation 3 counts now, with the content of generation 1: ${content(1)}`
      )
      const json = JSON.parse((yield* called(at, "rollback", "--json")).out)
      expect(json).toMatchObject({
        current: 3,
        generations: [{ generation: 3, run: "rollback-1", base: 2, suppressions: 1 }, { generation: 2 }, {}]
      })
      expect((yield* called(at, "rollback", "7")).error).toContain("generation 7 is not kept: 3, 2, 1 are")
    })
  )

  it.effect("repairs a corpus whose current generation is damaged", () =>
    Effect.gen(function* () {
      const at = yield* learnedWorld({ suppressions: [suppression()] }, {})
      writeFileSync(join(at.folder, "generations/000002.json"), "{")
      expect((yield* called(at, "why", "sup-")).error).toContain("dd dream rollback lists what can take its place")
      const list = (yield* called(at, "rollback")).out
      expect(list).toMatch(/2 \(current\) +damaged: go back to another one, or to 0\n1 /)
      expect(JSON.parse((yield* called(at, "rollback", "--json")).out)).toMatchObject({
        ...{ current: 2, current_is_damaged: true, generations: [{ generation: 1 }] }
      })
      expect((yield* called(at, "rollback", "2")).error).toContain("generation 2 is not kept: 1 is")
      expect((yield* called(at, "rollback", "1")).error).toBe(null)
      expect((yield* called(at, "why", "sup-")).out).toStartWith("sup-0123456789abcdef hides")
    })
  )

  it.effect("says that nothing was learned yet", () =>
    Effect.gen(function* () {
      const at = yield* learnedWorld()
      expect((yield* called(at, "rollback")).out).toContain("Nothing was learned in this repository yet")
    })
  )
})
