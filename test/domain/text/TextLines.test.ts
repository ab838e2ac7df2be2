import { describe, expect, test } from "bun:test"
import { Schema } from "effect"
import { TextLines } from "../../../src/domain/text/TextLines.ts"
import { it } from "../../support/effect.ts"

const bytes = (text: string) => new TextEncoder().encode(text)

const linesOf = (chunks: ReadonlyArray<Uint8Array>, longest?: number) => {
  const lines = new TextLines(longest)
  return [...chunks.flatMap(lines.push.bind(lines)), ...lines.end()]
}

/** Cut after every `size` bytes. */
const cut = (whole: Uint8Array, size: number): ReadonlyArray<Uint8Array> =>
  Array.from({ length: Math.ceil(whole.length / size) }, (_, i) => whole.slice(i * size, (i + 1) * size))

describe("lines of a stream", () => {
  test("are emitted as they end, the last one also without a line end", () => {
    expect(linesOf([bytes("a\nb\r\n\nc")])).toEqual(["a", "b", "", "c"])
    expect(linesOf([])).toEqual([])
    expect(linesOf([bytes("a\n")])).toEqual(["a"])
  })

  test("are not kept when they are too long, and cost the others nothing", () => {
    expect(linesOf([bytes("abc\nabcd\nab\nabcdef")], 3)).toEqual(["abc", null, "ab", null])
    expect(linesOf(cut(bytes("abc\nabcd\nab\nabcdef"), 2), 3)).toEqual(["abc", null, "ab", null])
  })

  test("survive bytes that are no text, and a buffer that is used again", () => {
    expect(linesOf([Uint8Array.of(0xff, 0x0a, 0x61)])).toEqual(["\ufffd", "a"])
    const lines = new TextLines()
    const buffer = bytes("ab")
    lines.push(buffer)
    buffer.fill(0x78)
    expect(lines.push(bytes("\n"))).toEqual(["ab"])
  })

  it.prop("are the same wherever the stream is cut", Schema.Array(Schema.String), (texts) => {
    const whole = bytes(texts.join("\n"))
    for (const size of [1, 2, 3, 7]) expect(linesOf(cut(whole, size))).toEqual(linesOf([whole]))
  })
})
