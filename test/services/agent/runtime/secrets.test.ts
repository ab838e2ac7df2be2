/** No tool shows a model a secret, wherever in a repository it is: in a file, a name, a commit, a link or an error. */
import { describe, expect } from "bun:test"
import { existsSync } from "node:fs"
import { Effect, Layer, Schema } from "effect"
import type { ModelRequest } from "../../../../src/domain/agent/ModelTurn.ts"
import * as InProcess from "../../../../src/layers/agent/memory/InProcess.ts"
import { AgentRuntime } from "../../../../src/services/agent/runtime/AgentRuntime.ts"
import { type Ask, askingOfPatch, askOf, byDefault, withActions } from "../../../support/acting.ts"
import { ask, chat, echo, submit, toldLast } from "../../../support/agentWorld.ts"
import { it } from "../../../support/effect.ts"
import { makeRepository } from "../../../support/repository.ts"
import { saying, scriptedModel } from "../../../support/scriptedModel.ts"

/** One for each place, so that a test tells which of them was shown. */
const tokens = new Map<string, string>()
const token = (place: string): string => {
  const known = tokens.get(place) ?? `ghp_${place.padEnd(12, "z")}${"a1B2c3D4e5F6g7H8i9J0k1L2".slice(0, 24)}`
  tokens.set(place, known)
  return known
}
const told = (text: string): ReadonlyArray<string> =>
  [...tokens].filter(([, each]) => text.includes(each.slice(4, 24))).map(([place]) => place)

const lines = (count: number) => Array.from({ length: count }, (_, at) => `    line_${at} = ${at}`).join("\n")

const makePlanted = Effect.map(makeRepository, (repository) => {
  const source = (value: string, last: string) =>
    `def ${token("function")}(a="${value}"):\n${lines(9)}\n    ${last}\n\n\ndef ${token("caller")}():\n    return ${token("function")}()\n`
  repository.commit(`Begin with ${token("subject")}`, {
    "src/a.py": source(token("before"), "return 1"),
    "src/b.py": `from src.a import ${token("function")}\n\n\ndef test_b():\n    ${token("function")}()\n`,
    [`src/${token("importer")}.py`]: `from src.a import ${token("function")}\n`,
    [`${token("folder")}/x.txt`]: "x\n",
    [`${token("oldname")}.txt`]: "the same text\n".repeat(9),
    "binary.dat": Uint8Array.of(0, 1, 2),
    "gone.txt": `${token("deleted")}\n`,
    "tests/test_a.py": `from src.a import ${token("function")}\n\n\ndef test_a():\n    ${token("function")}()\n`
  })
  repository.link("link", token("target"))
  repository.git("mv", `${token("oldname")}.txt`, `${token("newname")}.txt`)
  repository.remove("gone.txt")
  repository.commit(`Then ${token("subject")}`, {
    "src/a.py": source(token("after"), `return "${token("changed")}"`),
    [`${token("added")}.txt`]: `${token("untracked")}\n`
  })
  repository.git("checkout", "--quiet", "-b", `feature/${token("branch")}`)
  repository.commit(`Work on ${token("subject")}`, {
    "src/a.py": source(token("work"), `return "${token("changed")} again"`),
    [`${token("newname")}.txt`]: `${"the same text\n".repeat(9)}${token("line")}\n`
  })
  repository.git("commit", "--quiet", "--amend", "--no-edit", "--author", `${token("author")} <a@a.io>`)
  return repository
})

const calls: ReadonlyArray<readonly [name: string, input: object]> = [
  ...["src/a.py", "src/b.py", "link", `${token("newname")}.txt`, `${token("folder")}/x.txt`, `${token("folder")}`].map(
    (path) => ["read_file", { path }] as const
  ),
  ["read_file", { path: "src/a.py", side: "base" }],
  ["read_file", { path: `src/${token("asked")}.py` }],
  ["read_file", { path: `../${token("asked")}` }],
  ["read_file", { path: `${token("oldname")}.txt` }],
  ["list_files", {}],
  ["list_files", { path: token("folder") }],
  ["list_files", { glob: "**/*.txt" }],
  ["list_files", { glob: `${token("asked")}*` }],
  ["list_files", { path: token("asked") }],
  ["grep", { pattern: "return|the same|x", context: 2 }],
  ["grep", { pattern: "x", files_only: true }],
  ["grep", { pattern: `(${token("asked")}` }],
  ["grep", { pattern: "x", path: token("asked") }],
  ["diff", {}],
  ["diff", { path: "src/a.py" }],
  ["diff", { path: `${token("newname")}.txt` }],
  ["diff", { path: token("asked") }],
  ["diff", { path: `${token("folder")}/x.txt` }],
  ["diff", { path: `${token("newname")}.tx` }],
  ["diff", { path: `../${token("asked")}` }],
  ["history", { kind: "log" }],
  ["history", { kind: "log", path: "src/a.py" }],
  ["history", { kind: "log", path: `${token("newname")}.txt` }],
  ["history", { kind: "log", path: "src/a.py", from: 1, to: 3 }],
  ["history", { kind: "blame", path: "src/a.py" }],
  ["history", { kind: "blame", path: token("asked") }],
  ...["definitions", "references", "callers", "callees", "tests"].map(
    (kind) => ["symbols", { kind, name: token("function") }] as const
  ),
  ...["definitions", "references"].map((kind) => ["symbols", { kind, name: token("asked") }] as const),
  ["symbols", { kind: "importers", path: "src/a.py" }],
  ["symbols", { kind: "changes_with", path: `${token("newname")}.txt` }]
]

/** For a bare patch. */
const ofPatch: typeof calls = [
  ["read_file", { path: "src/a.py" }],
  ["read_file", { path: "src/a.py", side: "base" }],
  ["list_files", {}],
  ["grep", { pattern: "return" }],
  ["diff", {}],
  ["diff", { path: "src/a.py" }],
  ["diff", { path: `${token("newname")}.txt` }]
]

describe("a tool shows no secret", () => {
  it.live("in a file, a name, a commit, a link or its own input", () =>
    Effect.gen(function* () {
      const repository = yield* makePlanted
      yield* withActions(repository.root, byDefault, ({ readOnly, write }) =>
        Effect.gen(function* () {
          const reads = askOf(readOnly)
          const path = `${token("newname")}.txt`
          const writing = (to: string) => Effect.map(write({ root: repository.root, allow: [] }, to), askOf)
          const writes: Ask = (name, input) => {
            const { path: to } = input as { readonly path: string }
            return Effect.flatMap(writing(to), (ask) => ask(name, input))
          }
          const inTree = yield* writing(path)
          const asked = [
            ...calls.flatMap(([name, input]) => [reads, inTree].map((ask) => [name, input, ask] as const)),
            ["edit_file", { path, old: "no such text", new: "" }, writes] as const,
            ["edit_file", { path, old: token("line"), new: "x" }, writes] as const,
            ["create_file", { path, content: "" }, writes] as const,
            ["create_file", { path: `${token("made")}/x.txt`, content: "" }, writes] as const,
            ["create_file", { path: `.git/${token("made")}`, content: "" }, writes] as const,
            ["create_file", { path: `link/${token("made")}`, content: "" }, writes] as const,
            ["create_file", { path: `../${token("made")}`, content: "" }, writes] as const,
            ["create_file", { path: `.github/workflows/${token("made")}.yml`, content: "" }, writes] as const,
            ["delete_file", { path: token("asked") }, writes] as const,
            ["delete_file", { path }, writes] as const
          ]
          const plain: Array<unknown> = []
          for (const [name, input, tool] of asked) {
            const { text } = yield* tool(name, input)
            expect({ name, input, told: told(text), text: told(text).length === 0 ? "" : text }).toEqual({
              name,
              input,
              told: [],
              text: ""
            })
            if (!text.includes("[REDACTED_")) plain.push([name, input, text.slice(0, 300)])
          }
          const patch = repository.gitBytes("diff", "HEAD~1", "HEAD")
          for (const [name, input] of ofPatch) {
            const { text } = yield* askingOfPatch(patch, (tool) => tool(name, input))
            expect({ name, input, told: told(text) }).toEqual({ name, input, told: [] })
            if (!text.includes("[REDACTED_")) plain.push([name, input, text.slice(0, 300)])
          }
          // Each of them had something to hide.
          expect(plain).toEqual([])
          expect(existsSync(repository.path("..", token("made")))).toBe(false)
        })
      )
    })
  )
})

describe("the runtime shows no secret", () => {
  const secret = token("result")
  const refusing = Schema.Struct({ answer: Schema.Finite.check(Schema.makeFilter(() => `not like ${secret}`)) })

  for (const tools of ["native", "words"] as const) {
    it.effect(`in the result, the error or the schema fault of an action, with ${tools} tools`, () =>
      Effect.gen(function* () {
        const requests: Array<ModelRequest> = []
        const script = saying(
          {
            calls: [
              { name: "echo", input: { say: "x" } },
              { name: "fails", input: { say: "x" } },
              { name: "long", input: { say: "x" } },
              { name: "submit", input: { answer: 1 } }
            ]
          },
          { text: "ok" }
        )
        const actions = [
          echo({ act: () => Effect.succeed({ text: `it holds ${secret}`, isError: false }) }),
          echo({ name: "fails", act: () => Effect.succeed({ text: `no such ${secret}`, isError: true }) }),
          echo({ name: "long", act: () => Effect.succeed({ text: `${secret}\n`.repeat(9_000), isError: false }) })
        ]
        const outputs = [submit({ schema: refusing, isTerminal: false })]
        yield* Effect.gen(function* () {
          yield* ask(chat({ actions, outputs }), "go")
          expect(requests.length).toBeGreaterThan(1)
          expect(told(JSON.stringify(requests))).toEqual([])
          const results = toldLast(requests[1]).split("[REDACTED_API_KEY]")
          expect(results.length).toBeGreaterThan(actions.length + 1)
        }).pipe(
          Effect.provide(
            AgentRuntime.layer.pipe(
              Layer.provideMerge(InProcess.layer),
              Layer.provide(scriptedModel(script, requests, { tools }))
            )
          )
        )
      })
    )
  }
})
