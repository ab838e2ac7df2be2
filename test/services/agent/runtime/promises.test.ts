/** The table of docs/agent-runtime.md is true: every promise has a test that names it, where the table says. */
import { expect, test } from "bun:test"
import { join } from "node:path"

const root = join(import.meta.dir, "../../../..")
const ids = [...Array.from({ length: 23 }, (_, n) => `C${n + 1}`), ...Array.from({ length: 19 }, (_, n) => `F${n + 1}`)]

test("every guarantee of the runtime has a test that names it", async () => {
  const table = await Bun.file(join(root, "docs/agent-runtime.md")).text()
  const rows = [...table.matchAll(/^\| ([CF]\d+) \| .+ \| `(.+)` \|$/gm)].map(([, id = "", file = ""]) => ({
    id,
    file
  }))
  expect(rows.map(({ id }) => id)).toEqual(ids)
  for (const { file, id } of rows) {
    const titles = (await Bun.file(join(root, file)).text()).match(/(?:test|it(?:\.\w+)?)\(\s*["`].*/g) ?? []
    expect({ id, isHeld: titles.some((title) => new RegExp(`\\b${id}\\b`).test(title)) }).toEqual({ id, isHeld: true })
  }
})
