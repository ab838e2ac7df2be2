import { expect, test } from "bun:test"
import { existsSync, readFileSync } from "node:fs"
import { dirname, join, normalize } from "node:path"
import { Glob } from "bun"

const root = join(import.meta.dir, "../..")
const pages = ["*.md", "docs/**/*.md"].flatMap((pattern) => [...new Glob(pattern).scanSync(root)])
const texts = new Map(pages.map((page) => [page, readFileSync(join(root, page), "utf8")]))

/** Headings as the anchors that forges make of them. */
const anchorsOf = (text: string): ReadonlySet<string> =>
  new Set(
    [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N}_\- ]/gu, "")
        .replaceAll(" ", "-")
    )
  )

/** Paths with anchors, as written; without addresses, and without what looks like a link in code. */
const targetsOf = (text: string): ReadonlyArray<string> =>
  [...text.replace(/```.*?```|`[^`\n]*`/gs, "").matchAll(/\]\(([^)\s]+)\)|(?:src|srcset)="([^"]+)"/g)]
    .map(([, link, picture]) => link ?? picture ?? "")
    .filter((target) => !/^(?:https?|mailto):/.test(target))

test("every link of the documents leads to a file, and to a heading in it", () => {
  const broken = [...texts].flatMap(([page, text]) =>
    targetsOf(text)
      .filter((target) => {
        const [path = "", anchor] = target.split("#")
        const file = path === "" ? page : normalize(join(dirname(page), path))
        const to = texts.get(file)
        return !existsSync(join(root, file)) || (anchor !== undefined && to !== undefined && !anchorsOf(to).has(anchor))
      })
      .map((target) => `${page}: ${target}`)
  )
  expect({ pages: pages.length > 50, broken }).toEqual({ pages: true, broken: [] })
})
