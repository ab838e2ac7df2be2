/**
 * Converts bytes to text and back without loss: bytes that are not UTF-8 become lone surrogates U+DC80 to U+DCFF.
 *
 * The text is the same, wherever the bytes are cut into pieces.
 */
import { Result } from "effect"
import { concatBytes } from "./concatBytes.ts"

export class ByteText {
  #held: Uint8Array = new Uint8Array()

  push(chunk: Uint8Array): string {
    const bytes = concatBytes([this.#held, chunk])
    const end = bytes.length - unfinished(bytes)
    this.#held = bytes.slice(end)
    return textOf(bytes.subarray(0, end))
  }

  end(): string {
    const rest = textOf(this.#held)
    this.#held = new Uint8Array()
    return rest
  }
}

/** The bytes of a text from `ByteText`. */
export const bytesOf = (text: string): Uint8Array =>
  concatBytes(
    text
      .split(/([\udc80-\udcff]+)/u)
      .map((part, index) =>
        index % 2 === 0 ? encoder.encode(part) : Uint8Array.from(part, (unit) => unit.charCodeAt(0) & 0xff)
      )
  )

const encoder = new TextEncoder()
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** The number of bytes at the end that start an incomplete character. */
const unfinished = (bytes: Uint8Array): number => {
  for (let behind = 1; behind <= 3 && behind <= bytes.length; behind++) {
    const byte = bytes[bytes.length - behind]!
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1
    if (byte < 0x80 || length > 1) return length > behind ? behind : 0
  }
  return 0
}

const textOf = (bytes: Uint8Array): string =>
  Result.getOrElse(
    Result.try(() => decoder.decode(bytes)),
    () =>
      Array.from(bytes, (byte) => String.fromCharCode(byte))
        .join("")
        .replace(beyondAscii, (found, character?: string) =>
          character === undefined
            ? String.fromCharCode(0xdc00 + found.charCodeAt(0))
            : decoder.decode(Uint8Array.from(character, (unit) => unit.charCodeAt(0)))
        )
  )

/** The bytes of a UTF-8 character, or a byte that is not part of one. */
const beyondAscii =
  /([\xc2-\xdf][\x80-\xbf]|(?:\xe0[\xa0-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]|\xed[\x80-\x9f]|\xf0[\x90-\xbf][\x80-\xbf]|[\xf1-\xf3][\x80-\xbf]{2}|\xf4[\x80-\x8f][\x80-\xbf])[\x80-\xbf])|[\x80-\xff]/g
