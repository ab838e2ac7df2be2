/**
 * Splits a stream of bytes into lines. A line longer than `longestLine` is not kept: null takes its place.
 *
 * The lines are the same, wherever the bytes are cut into pieces. Bytes that are not UTF-8 become replacement characters;
 * a CR before a line end is dropped. Text after the last line end is a line, too.
 */
import { concatBytes } from "./concatBytes.ts"

/** In bytes. */
export const longestLine = 10_000_000

export class TextLines {
  #pieces: Array<Uint8Array> = []
  #size = 0
  readonly #longest: number
  readonly #decoder = new TextDecoder()

  constructor(longest = longestLine) {
    this.#longest = longest
  }

  push(chunk: Uint8Array): ReadonlyArray<string | null> {
    const lines: Array<string | null> = []
    let from = 0
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, from)) {
      this.#keep(chunk.subarray(from, end))
      lines.push(this.#take())
      from = end + 1
    }
    this.#keep(chunk.subarray(from))
    return lines
  }

  end(): ReadonlyArray<string | null> {
    return this.#size === 0 ? [] : [this.#take()]
  }

  #keep(piece: Uint8Array): void {
    this.#size += piece.length
    if (this.#size > this.#longest) this.#pieces = []
    // A copy: the reader may reuse its buffer.
    else if (piece.length > 0) this.#pieces.push(piece.slice())
  }

  #take(): string | null {
    const isTooLong = this.#size > this.#longest
    const whole = concatBytes(this.#pieces)
    this.#pieces = []
    this.#size = 0
    if (isTooLong) return null
    const text = this.#decoder.decode(whole)
    return text.endsWith("\r") ? text.slice(0, -1) : text
  }
}

const newline = 10
