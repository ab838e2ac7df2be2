import { describe, expect } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { cli } from "../../../../src/layers/agent/backend/Pi.ts"
import { it } from "../../../support/effect.ts"
import { scratch } from "../../../support/process.ts"

type Handler = (event: { readonly toolName: string; readonly input: object }) => { readonly block: boolean } | undefined

/** The extension, loaded as pi does. */
const guardOf = async (relative: string): Promise<Handler> => {
  const options = {
    model: null,
    provider: null,
    effort: null,
    fanout: 1,
    home: null,
    reviewed: null,
    changed: [],
    before: []
  }
  const text = cli(options).guard?.({ relative, absolute: `/copy/${relative}` }) ?? ""
  using place = scratch()
  const file = join(place.path, "guard.mjs")
  writeFileSync(file, text)
  const { default: extension } = await import(file)
  const handlers = new Map<string, Handler>()
  extension({ on: (event: string, handler: Handler) => handlers.set(event, handler) })
  return handlers.get("tool_call")!
}

const isAllowed = (guard: Handler, toolName: string, input: object) => guard({ toolName, input })?.block !== true

describe("the guard of pi's tools", () => {
  it("lets the agent read everything, and write one file by its own name", async () => {
    const guard = await guardOf('src/a "b".py')
    for (const tool of ["read", "grep", "find", "ls"]) expect(isAllowed(guard, tool, { path: "/etc" })).toBe(true)
    for (const tool of ["edit", "write"]) {
      for (const path of ['src/a "b".py', './src/a "b".py', '/copy/src/a "b".py']) {
        expect(isAllowed(guard, tool, { path })).toBe(true)
      }
      for (const path of ["src/b.py", "/etc/passwd", "~/x", '~/../copy/src/a "b".py', '@src/a "b".py', "", null]) {
        expect(isAllowed(guard, tool, { path })).toBe(false)
      }
      expect(isAllowed(guard, tool, {})).toBe(false)
      expect(isAllowed(guard, tool, { path: 'src/a "b".py', file_path: "/etc/passwd" })).toBe(false)
    }
    for (const tool of ["bash", "task", ""]) expect(isAllowed(guard, tool, { path: 'src/a "b".py' })).toBe(false)
  })

  it("takes no relative name that pi expands", async () => {
    expect(isAllowed(await guardOf("~/a.py"), "write", { path: "~/a.py" })).toBe(false)
    expect(isAllowed(await guardOf("@a.py"), "write", { path: "@a.py" })).toBe(false)
    expect(isAllowed(await guardOf("~/a.py"), "write", { path: "/copy/~/a.py" })).toBe(true)
  })
})
