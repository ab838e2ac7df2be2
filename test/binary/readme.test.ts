import { describe, expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { dd } from "../support/binary.ts"
import { demoShop } from "../support/demoShop.ts"
import { run } from "../support/inProcess.ts"
import { scratch, systemPath } from "../support/process.ts"

const root = join(import.meta.dir, "../..")
const readme = readFileSync(join(root, "README.md"), "utf8")

describe("README", () => {
  test("shows what dd prints", async () => {
    using directory = scratch()
    const shop = join(directory.path, "shop")
    demoShop(shop)
    const env = { PATH: systemPath, HOME: directory.path, DD_HOME: join(directory.path, "home") }
    const { stdout } = await run([dd, "review"], { cwd: shop, env })
    const shown = /```text\n(.*?)```/s.exec(readme)?.[1] ?? ""
    const missing = shown.split("\n").filter((line) => line !== "" && line !== "…" && !stdout.includes(`${line}\n`))
    expect({ isShown: shown !== "", missing }).toEqual({ isShown: true, missing: [] })
  })

  test("has no sentence of 25 words or more, outside of code and tables", () => {
    const prose = readme
      .replace(/```.*?```/gs, "")
      .replace(/^\|.*$/gm, "")
      .replace(/<picture>.*?<\/picture>/gs, "")
    const sentences = prose.split(/(?<=[.:;!?])\s+|\n{2,}/)
    expect(sentences.filter((sentence) => sentence.trim().split(/\s+/).length >= 25)).toEqual([])
  })
})
