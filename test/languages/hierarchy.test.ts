import { afterAll, expect, test } from "bun:test"
import { goTypes } from "../../src/languages/go/hierarchy.ts"
import { symbolReader } from "../support/symbols.ts"

const { ask, dispose } = symbolReader()
afterAll(dispose)

test("a Go type that a damaged file declares many times has its methods once", async () => {
  const text = "type Shared struct {}\n\nfunc (s Shared) Do() {}\n".repeat(300)
  const types = await ask("a.go", text, goTypes)
  expect(types.map(({ methods, name }) => [name, methods.length])).toEqual([["Shared", 300]])
})
