import { describe, expect } from "bun:test"
import { Effect, Fiber, Layer, Ref } from "effect"
import type { Reply, Task } from "../../../src/domain/agent/Task.ts"
import { Finding } from "../../../src/domain/finding/Finding.ts"
import { Verdict } from "../../../src/domain/finding/Verdict.ts"
import type { Judged } from "../../../src/domain/fix/FixGroup.ts"
import { Agent } from "../../../src/services/agent/Agent.ts"
import { AgentTimedOut } from "../../../src/services/agent/AgentCalls.ts"
import { ClaimVerifier } from "../../../src/services/fix/ClaimVerifier.ts"
import type { PatchedFile, Tree } from "../../../src/services/fix/FixTree.ts"
import { fixFindings, GroupsAtOnce } from "../../../src/services/fix/fixFindings.ts"
import { TreeReview } from "../../../src/services/fix/TreeReview.ts"
import { FailPolicy } from "../../../src/services/run/FailPolicy.ts"
import { change } from "../../support/builders.ts"
import { it } from "../../support/effect.ts"
import * as Memory from "../../support/MemoryRecorder.ts"

const encode = (text: string) => new TextEncoder().encode(text)
const decode = (bytes: Uint8Array | null | undefined) => (bytes == null ? null : new TextDecoder().decode(bytes))

/** A tree in memory. */
const treeOf = (start: ReadonlyMap<string, string>, files = new Map<string, Uint8Array>()): Tree => {
  for (const [path, text] of start) if (!files.has(path)) files.set(path, encode(text))
  const changed = () =>
    [...new Set([...start.keys(), ...files.keys()])]
      .filter((path) => decode(files.get(path)) !== (start.get(path) ?? null))
      .sort()
  return {
    repository: { root: "/tree" } as Tree["repository"],
    branch: () => Effect.sync(() => treeOf(new Map([...files].map(([path, bytes]) => [path, decode(bytes) ?? ""])))),
    changed: Effect.sync(changed),
    patch: Effect.sync(() => encode(changed().join("\n"))),
    files: Effect.sync(() =>
      changed().map((path): PatchedFile => {
        const before = start.get(path)
        return { path, before: before === undefined ? null : encode(before), after: files.get(path) ?? null }
      })
    ),
    read: (path) => Effect.sync(() => files.get(path) ?? null),
    write: (path, bytes) =>
      Effect.sync(() => {
        if (bytes === null) files.delete(path)
        else files.set(path, bytes)
      }),
    merged: () => Effect.succeed(null),
    forTests: Effect.succeed("/tests")
  }
}

const finding = (id: number, file: string, more: Partial<Finding> = {}): Finding =>
  Finding.make({
    id,
    rule: "model/claim",
    title: "Wrong",
    description: "Wrong.",
    file,
    line: 1,
    endLine: 1,
    column: null,
    endColumn: null,
    label: null,
    related: [],
    severity: "high",
    confidence: "HIGH",
    lens: "per-stack",
    stack: "python",
    source: "model",
    rationale: "",
    evidence: `${file}:1`,
    fingerprint: `dd1:${id}`,
    suggestion: null,
    verdict: null,
    new: true,
    ...more
  })
const judged = (...findings: ReadonlyArray<Finding>): ReadonlyArray<Judged> =>
  findings.map((each) => ({ finding: each, verdict: null }))

type FixTask = Extract<Task, { readonly _tag: "Fix" }>

interface World {
  /** Null: there is no model. */
  readonly answer: ((task: FixTask) => Effect.Effect<Reply<"Fix">, AgentTimedOut>) | null
  /** What the rules find in a tree. */
  readonly found?: (texts: (path: string) => string) => ReadonlyArray<Finding>
  readonly isBroken?: (text: string) => boolean
  /** On claims after their fixes. */
  readonly verdicts?: ReadonlyArray<Verdict>
}

const world = (
  { answer, found = () => [], isBroken = () => false, verdicts = [] }: World,
  files: ReadonlyMap<string, string>
) => {
  const text = (tree: Tree) => {
    const texts = new Map<string, string>()
    return Effect.map(
      Effect.forEach(files.keys(), (path) =>
        Effect.map(tree.read(path), (bytes) => texts.set(path, decode(bytes) ?? ""))
      ),
      () => (path: string) => texts.get(path) ?? ""
    )
  }
  return Layer.mergeAll(
    Layer.succeed(ClaimVerifier, { verify: () => Effect.succeed([]), verifyFixes: () => Effect.succeed(verdicts) }),
    Layer.succeed(Agent, {
      hasModel: () => answer !== null,
      invoke: (task: Task) => (answer === null || task._tag !== "Fix" ? Effect.die("not asked") : answer(task))
    } as never),
    Layer.succeed(TreeReview, {
      findings: (tree) => Effect.map(text(tree), found),
      hasSyntaxError: (_path, source) => Effect.sync(() => isBroken(source)),
      complexity: () => Effect.succeed(0)
    })
  ).pipe(Layer.provideMerge(FailPolicy.layer), Layer.provideMerge(Memory.layer))
}

const fix = (files: ReadonlyMap<string, string>, findings: ReadonlyArray<Finding>, tree: Tree = treeOf(files)) =>
  fixFindings({ change: change(), intent: "", judged: judged(...findings), tree, trouble: "" })

const timedOut = new AgentTimedOut({ backend: "scripted", task: "fix", seconds: 1 })

describe("fixFindings", () => {
  it.effect("fixes one file after the other if asked to", () => {
    const files = new Map(["a.py", "b.py", "c.py"].map((path) => [path, "wrong\n"]))
    return Effect.gen(function* () {
      const now = yield* Ref.make(0)
      const answer = () =>
        Effect.gen(function* () {
          expect(yield* Ref.updateAndGet(now, (count) => count + 1)).toBe(1)
          yield* Effect.yieldNow
          yield* Ref.update(now, (count) => count - 1)
          return { outcomes: [] }
        })
      const findings = [...files.keys()].map((path, at) => finding(at + 1, path))
      const fixed = yield* fix(files, findings).pipe(
        Effect.provideService(GroupsAtOnce, 1),
        Effect.provide(world({ answer }, files))
      )
      expect(fixed.outcomes).toHaveLength(3)
    })
  })

  it.effect("keeps the fixes of seven groups where three of ten fail", () => {
    const files = new Map(Array.from({ length: 10 }, (_, at) => [`f${at}.py`, "wrong\n"]))
    const branches = new Map<string, Tree>()
    return Effect.gen(function* () {
      const most = yield* Ref.make({ now: 0, most: 0 })
      const base = treeOf(files)
      const tree: Tree = {
        ...base,
        branch: (name) => Effect.tap(base.branch(name), (branch) => Effect.sync(() => branches.set(name, branch)))
      }
      const answer = (task: FixTask) =>
        Effect.gen(function* () {
          yield* Ref.update(most, ({ most, now }) => ({ now: now + 1, most: Math.max(most, now + 1) }))
          yield* Effect.yieldNow
          const branch = branches.get(`${task.path}-1`)
          if (branch !== undefined) yield* Effect.orDie(branch.write(task.path, encode("right\n")))
          yield* Ref.update(most, ({ most, now }) => ({ now: now - 1, most }))
          if (["f1.py", "f4.py", "f8.py"].includes(task.path)) return yield* timedOut
          return { outcomes: [{ issue_id: task.findings[0]!.id, note: "", status: "fixed" as const }] }
        })
      const fixed = yield* fix(
        files,
        [...files.keys()].map((path, at) => finding(at + 1, path)),
        tree
      ).pipe(Effect.provide(world({ answer }, files)))
      expect(fixed.outcomes.map(({ status }) => status)).toEqual(
        [...files.keys()].map((path) => (["f1.py", "f4.py", "f8.py"].includes(path) ? "failed" : "changed"))
      )
      expect(yield* tree.changed).toEqual(["f0.py", "f2.py", "f3.py", "f5.py", "f6.py", "f7.py", "f9.py"])
      expect([...fixed.partial.keys()].sort()).toEqual(["f1.py", "f4.py", "f8.py"])
      expect((yield* Ref.get(most)).most).toBeLessThanOrEqual(4)
    })
  })

  it.effect("applies the edit of a rule, and calls it fixed when the rule is silent", () => {
    const files = new Map([["a.py", "one\ntwo\n"]])
    const own = finding(1, "a.py", { source: "static", rule: "py/two", line: 2, endLine: 2, suggestion: "2" })
    return Effect.gen(function* () {
      const tree = treeOf(files)
      const fixed = yield* fix(files, [own], tree)
      expect(fixed.outcomes).toMatchObject([{ status: "resolved" }])
      expect(decode(yield* tree.read("a.py"))).toBe("one\n2\n")
    }).pipe(
      Effect.provide(world({ answer: null, found: (text) => (text("a.py").includes("two") ? [own] : []) }, files))
    )
  })

  for (const [name, over] of [
    [
      "another finding",
      { found: (text: (path: string) => string) => (text("a.py").includes("2") ? [finding(9, "a.py")] : []) }
    ],
    ["a syntax error", { isBroken: (text: string) => text.includes("2") }]
  ] as const) {
    it.effect(`takes a fix back that causes ${name}`, () => {
      const files = new Map([["a.py", "one\ntwo\n"]])
      const own = finding(1, "a.py", { source: "static", line: 2, endLine: 2, suggestion: "2" })
      return Effect.gen(function* () {
        const tree = treeOf(files)
        const fixed = yield* fix(files, [own], tree)
        expect(fixed.outcomes).toMatchObject([{ status: "regressed" }])
        expect(yield* tree.changed).toEqual([])
      }).pipe(Effect.provide(world({ answer: null, ...over }, files)))
    })
  }

  for (const [verdict, status] of [
    ["contradicts", "resolved"],
    ["consistent", "unresolved"],
    ["uncertain", "changed"]
  ] as const) {
    it.effect(`takes a model's fix for ${status} where the verifier then says ${verdict}`, () => {
      const files = new Map([["a.py", "wrong\n"]])
      const branches: Array<Tree> = []
      const base = treeOf(files)
      const tree: Tree = {
        ...base,
        branch: (name) => Effect.tap(base.branch(name), (branch) => Effect.sync(() => branches.push(branch)))
      }
      const answer = () =>
        Effect.gen(function* () {
          yield* Effect.orDie(branches.at(-1)!.write("a.py", encode(`right ${branches.length}\n`)))
          return { outcomes: [] }
        })
      const verdicts = [Verdict.make({ issue_id: 1, evidence: "a.py:1", unverified_assumptions: [], verdict })]
      return Effect.gen(function* () {
        const { outcomes } = yield* fix(files, [finding(1, "a.py")], tree)
        expect(outcomes).toMatchObject([{ status }])
        expect(yield* tree.changed).toEqual(status === "unresolved" ? [] : ["a.py"])
      }).pipe(Effect.provide(world({ answer, verdicts }, files)))
    })
  }

  for (const [then, texts, status] of [
    ["edits nothing", ["still wrong\n"], "unresolved"],
    ["has a syntax error", ["still wrong\n", "broken\n", "broken\n"], "regressed"]
  ] as const) {
    it.effect(`takes back a first edit that fixes nothing where the next ${then}`, () => {
      const files = new Map([["a.py", "wrong\n"]])
      const branches: Array<Tree> = []
      const base = treeOf(files)
      const tree: Tree = {
        ...base,
        branch: (name) => Effect.tap(base.branch(name), (branch) => Effect.sync(() => branches.push(branch)))
      }
      const answer = () =>
        Effect.gen(function* () {
          const text = texts[branches.length - 1]
          if (text !== undefined) yield* Effect.orDie(branches.at(-1)!.write("a.py", encode(text)))
          return { outcomes: [] }
        })
      const verdicts = [
        Verdict.make({ issue_id: 1, evidence: "a.py:1", unverified_assumptions: [], verdict: "consistent" })
      ]
      return Effect.gen(function* () {
        const { outcomes } = yield* fix(files, [finding(1, "a.py")], tree)
        expect(outcomes).toMatchObject([{ status }])
        expect(yield* tree.changed).toEqual([])
      }).pipe(Effect.provide(world({ answer, verdicts, isBroken: (text) => text === "broken\n" }, files)))
    })
  }

  it.effect("stops after three rounds that change nothing", () => {
    const files = new Map([["a.py", "one\n"]])
    let asked = 0
    const answer = () =>
      Effect.sync(() => {
        asked++
        return { outcomes: [] }
      })
    return Effect.gen(function* () {
      const fixed = yield* fix(files, [finding(1, "a.py")])
      expect(fixed.outcomes).toMatchObject([{ status: "unresolved" }])
      expect([fixed.rounds, asked]).toEqual([3, 3])
    }).pipe(Effect.provide(world({ answer }, files)))
  })

  it.effect("leaves generated, lock and CI files, and findings that the verdict contradicts", () => {
    const paths = ["package-lock.json", ".github/workflows/ci.yml", "dist/app.min.js", "gone.py"]
    const files = new Map(paths.slice(0, 3).map((path) => [path, "x\n"]))
    return Effect.gen(function* () {
      const fixed = yield* fix(
        files,
        paths.map((path, at) => finding(at + 1, path, { suggestion: "y" }))
      )
      expect(fixed.outcomes.map(({ status }) => status)).toEqual(paths.map(() => "off-limits"))
    }).pipe(Effect.provide(world({ answer: null }, files)))
  })

  it.effect("leaves files that .gitattributes marks as generated or vendored", () => {
    const files = new Map([
      ["api.py", "x\n"],
      ["lib/a.py", "x\n"],
      ["own.py", "x\n"],
      [".gitattributes", "api.py linguist-generated\nlib/** linguist-vendored=true\nown.py -linguist-vendored\n"]
    ])
    const paths = [...files.keys()].slice(0, 3)
    return Effect.gen(function* () {
      const { outcomes } = yield* fix(
        files,
        paths.map((path, at) => finding(at + 1, path, { source: "static", suggestion: "y" }))
      )
      expect(outcomes.map(({ status }) => status)).toEqual(["off-limits", "off-limits", "resolved"])
    }).pipe(Effect.provide(world({ answer: null }, files)))
  })

  it.effect("takes nothing of other files that an agent changed, and names them", () => {
    const files = new Map([
      ["a.py", "one\n"],
      ["b.py", "two\n"]
    ])
    const branches: Array<Tree> = []
    const base = treeOf(files)
    const tree: Tree = {
      ...base,
      branch: (name) => Effect.tap(base.branch(name), (branch) => Effect.sync(() => branches.push(branch)))
    }
    const answer = () =>
      Effect.as(Effect.orDie(branches.at(-1)!.write("b.py", encode(`other ${branches.length}\n`))), { outcomes: [] })
    return Effect.gen(function* () {
      const { outcomes, outside } = yield* fix(files, [finding(1, "a.py")], tree)
      expect(outcomes).toMatchObject([{ status: "wrong-target" }])
      expect([outside, yield* tree.changed]).toEqual([["b.py"], []])
    }).pipe(Effect.provide(world({ answer }, files)))
  })

  it.effect("an interruption leaves the agents' edits out of the tree", () => {
    const files = new Map([["a.py", "one\n"]])
    return Effect.gen(function* () {
      const tree = treeOf(files)
      const fiber = yield* Effect.forkChild(fix(files, [finding(1, "a.py")], tree))
      yield* Effect.yieldNow
      yield* Fiber.interrupt(fiber)
      expect(yield* tree.changed).toEqual([])
    }).pipe(Effect.provide(world({ answer: () => Effect.never }, files)))
  })
})
