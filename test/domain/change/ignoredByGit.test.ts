import { expect, test } from "bun:test"
import { ignoredByGit } from "../../../src/domain/change/ignoredByGit.ts"

const files = new Map([
  [".gitignore", "# made\n*.gen.ts\n/build/\n\n!keep.gen.ts\n"],
  ["web/.gitignore", "out\nsrc/api.ts\n"]
])
const ignored = (path: string) => ignoredByGit(path, files)

test("a pattern without a slash names a file in any folder", () => {
  expect([ignored("a.gen.ts"), ignored("web/b/a.gen.ts"), ignored("a.ts")]).toEqual([true, true, false])
})
test("a pattern with a slash begins where its file lies", () => {
  expect([ignored("build/a.ts"), ignored("web/build/a.ts"), ignored("web/src/api.ts"), ignored("src/api.ts")]).toEqual([
    true,
    false,
    true,
    false
  ])
})
test("a folder takes in everything below it", () => {
  expect([ignored("web/out/a/b.ts"), ignored("out/a.ts")]).toEqual([true, false])
})
test("a negated pattern counts as ignored, so that a doubtful file is not reported", () => {
  expect(ignored("keep.gen.ts")).toBe(true)
})
