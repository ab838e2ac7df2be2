import { describe, expect } from "bun:test"
import { Schema } from "effect"
import { namedOnDisk, pathBytes, pathText, quotePath, unquotePath } from "../../../src/domain/text/quotePath.ts"
import { it } from "../../support/effect.ts"

const Bytes = Schema.Array(
  Schema.Literals([97, 120, 102, 53, 99, 32, 34, 92, 9, 10, 1, 127, 128, 0xc3, 0xa9, 0xff, 0xf0, 0x9f, 0x98, 0x80])
)

describe("quotePath", () => {
  it("leaves a plain name alone and quotes what would not survive a line", () => {
    expect(quotePath("src/a b.ts")).toBe("src/a b.ts")
    expect(quotePath('q"\\\t\né')).toBe('"q\\"\\\\\\t\\n\\303\\251"')
    expect(quotePath("\\xff")).toBe('"\\377"')
  })

  it("shows bytes that are not UTF-8 as \\xHH, and converts them back", () => {
    const bytes = Uint8Array.of(97, 0xff, 0xc3, 0xa9, 0xc3)
    expect(pathText(bytes)).toBe("a\\xffé\\xc3")
    expect(pathBytes("a\\xffé\\xc3")).toEqual(bytes)
    expect([namedOnDisk("a\\xff"), namedOnDisk("é")]).toEqual([null, "é"])
  })

  it("distinguishes a name with the characters \\xff from one with that byte", () => {
    const characters = new TextEncoder().encode("a\\xff\\x5c\\x09")
    expect(pathText(characters)).toBe("a\\x5cxff\\x5cx5c\\x09")
    expect(namedOnDisk(pathText(characters))).toBe("a\\xff\\x5c\\x09")
    expect(quotePath(pathText(characters))).toBe('"a\\\\xff\\\\x5c\\\\x09"')
    expect(unquotePath('"a\\\\xff"')?.path).toBe("a\\x5cxff")
    expect(unquotePath('"a\\xff"')?.path).toBe("a\\xff")
  })

  it("reads nothing from a text that is not quoted or does not end its quote", () => {
    expect([unquotePath("a"), unquotePath('"a'), unquotePath('"a\\"')]).toEqual([null, null, null])
    expect(unquotePath('"a" b')).toEqual({ path: "a", length: 3 })
  })

  it.prop("survives quoting and unquoting, whatever its bytes", Bytes, (codes) => {
    const bytes = Uint8Array.from(codes)
    const path = pathText(bytes)
    expect(pathBytes(path)).toEqual(bytes)
    const quoted = quotePath(path)
    expect(unquotePath(quoted)?.path ?? quoted).toBe(path)
  })
})
