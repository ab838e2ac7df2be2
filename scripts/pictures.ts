/**
 * Draws the pictures of README from real output: `bun scripts/pictures.ts`, after `bun run build`.
 *
 * The change is that of `test/support/demoShop.ts`, so that a test can say when README shows something else than dd prints.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { demoShop } from "../test/support/demoShop.ts"
import { draw } from "./screen.ts"

const root = join(import.meta.dir, "..")
const pictures = join(root, "docs/pictures")
const scratch = mkdtempSync(join(tmpdir(), "dd-pictures-"))
try {
  const shop = join(scratch, "shop")
  demoShop(shop)
  const env = { PATH: process.env.PATH, HOME: scratch, DD_HOME: join(scratch, ".daydream"), TERM: "xterm-256color" }
  mkdirSync(pictures, { recursive: true })
  for (const light of [false, true]) {
    const svg = await draw([join(root, "dist/dd"), "review"], { columns: 80, light, at: undefined, cwd: shop, env })
    writeFileSync(join(pictures, `review-${light ? "light" : "dark"}.svg`), svg)
  }
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
