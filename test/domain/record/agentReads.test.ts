import { describe, expect } from "bun:test"
import { Effect, type Schema } from "effect"
import { isReadTool, isWriteTool } from "../../../src/domain/agent/toolKind.ts"
import { hasRead, pathsRead } from "../../../src/domain/record/agentReads.ts"
import type { TrajectoryStep } from "../../../src/domain/record/Trajectory.ts"
import { byDefault, withActions } from "../../support/acting.ts"
import { it } from "../../support/effect.ts"
import { makeRepository } from "../../support/repository.ts"

const called = (...calls: ReadonlyArray<readonly [string, Readonly<Record<string, Schema.Json>>]>): TrajectoryStep => ({
  step_id: 1,
  source: "agent",
  message: "",
  tool_calls: calls.map(([function_name, args], at) => ({
    tool_call_id: `c${at}`,
    function_name,
    arguments: args
  }))
})

describe("what an agent read", () => {
  it("counts dd's own tools that show a file, by the name they are given", () => {
    const read = pathsRead([
      called(
        ["read_file", { path: "src/a.ts", from: 1, to: 20 }],
        ["read_file", { path: "./src/b.ts", side: "base" }],
        ["grep", { pattern: "x", path: "src/c.ts" }],
        ["diff", { path: "src/d.ts" }],
        ["diff", {}],
        ["list_files", { path: "src" }],
        ["history", { kind: "log", path: "src/e.ts" }],
        ["symbols", { kind: "importers", path: "src/f.ts" }]
      )
    ])
    expect([...read]).toEqual(["src/a.ts", "./src/b.ts", "src/c.ts", "src/d.ts"])
    for (const path of ["src/a.ts", "src/b.ts", "src/c.ts", "src/d.ts"]) expect(hasRead(read, path)).toBe(true)
    for (const path of ["src/e.ts", "src/f.ts", "src"]) expect(hasRead(read, path)).toBe(false)
  })

  it("counts those of other agents, and the commands that print files", () => {
    const read = pathsRead([
      called(
        ["Read", { file_path: "/repo/src/a.ts" }],
        ["mcp__fs.read_text", { path: "b.ts" }],
        ["Bash", { command: "sed -n 1,9p src/c.ts | head; rm src/d.ts" }],
        ["apply_diff", { path: "e.ts" }]
      )
    ])
    expect([...read]).toEqual(["/repo/src/a.ts", "b.ts", "src/c.ts"])
    expect(hasRead(read, "src/a.ts")).toBe(true)
  })

  it.live("recognises the kind of every tool of dd", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      repository.write("a.txt", "1\n")
      yield* withActions(repository.root, byDefault, ({ readOnly, write }) =>
        Effect.gen(function* () {
          const writing = (yield* write({ root: repository.root, allow: [] }, "a.txt")).slice(readOnly.length)
          expect(writing.map(({ name }) => [name, isWriteTool(name), isReadTool(name)])).toEqual([
            ["edit_file", true, false],
            ["create_file", true, false],
            ["delete_file", true, false]
          ])
          expect(readOnly.filter(({ name }) => isReadTool(name)).map(({ name }) => name)).toEqual([
            "read_file",
            "grep",
            "diff"
          ])
          expect(readOnly.some(({ name }) => isWriteTool(name))).toBe(false)
        })
      )
    })
  )
})
