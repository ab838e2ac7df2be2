import { expect, test } from "bun:test"
import { isNewer, releaseIn } from "../../../src/domain/update/Release.ts"

const sum = "a".repeat(64)
const sums = [
  `${sum}  daydream-1.2.3-linux-x64-musl.tar.xz`,
  `${sum}  daydream-1.2.3-linux-x64.tar.xz`,
  `${sum}  daydream-1.2.3.cdx.json`,
  `${sum}  ../daydream-1.2.3-darwin-x64.tar.xz`,
  `short  daydream-1.2.3-darwin-arm64.tar.xz`,
  `${sum} *daydream-1.2.3-rc.1-windows-x64.zip`
].join("\n")

test("the archive for a target is found by its whole name", () => {
  expect(releaseIn(sums, "linux-x64")).toEqual({
    version: "1.2.3",
    archive: "daydream-1.2.3-linux-x64.tar.xz",
    checksum: sum
  })
  expect(releaseIn(sums, "linux-x64-musl")?.archive).toBe("daydream-1.2.3-linux-x64-musl.tar.xz")
  expect(releaseIn(sums, "windows-x64")?.version).toBe("1.2.3-rc.1")
})

test("a name with a folder and a line without a checksum are no archives", () => {
  expect(releaseIn(sums, "darwin-x64")).toBeNull()
  expect(releaseIn(sums, "darwin-arm64")).toBeNull()
})

test("versions are compared as numbers, and a release candidate is older than its release", () => {
  expect(isNewer("0.10.0", "0.9.0")).toBe(true)
  expect(isNewer("1.0.0", "1.0.0-rc.1")).toBe(true)
  expect(isNewer("1.0.0", "1.0.0")).toBe(false)
  expect(isNewer("0.9.0", "1.0.0")).toBe(false)
  expect(isNewer("newest", "1.0.0")).toBe(false)
})
