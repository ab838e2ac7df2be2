/** Keeps the start and the end of an output of any length. */
import { concatBytes } from "../text/concatBytes.ts"

export class OutputEnds {
  readonly #mostHead: number
  readonly #mostTail: number
  #head: Array<Uint8Array> = []
  #headSize = 0
  #tail: Array<Uint8Array> = []
  #tailSize = 0
  #total = 0

  /** In bytes. */
  constructor(mostHead: number, mostTail: number) {
    this.#mostHead = mostHead
    this.#mostTail = mostTail
  }

  push(chunk: Uint8Array): void {
    this.#total += chunk.length
    const kept = chunk.subarray(0, this.#mostHead - this.#headSize)
    // Copies: the reader may reuse its buffer.
    if (kept.length > 0) this.#head.push(kept.slice())
    this.#headSize += kept.length
    const rest = chunk.subarray(kept.length)
    if (rest.length === 0) return
    this.#tail.push(rest.slice(-this.#mostTail))
    this.#tailSize += Math.min(rest.length, this.#mostTail)
    while (this.#tailSize - this.#tail[0]!.length >= this.#mostTail) this.#tailSize -= this.#tail.shift()!.length
  }

  /** Where bytes are missing, a line with their number. */
  text(): string {
    const decoder = new TextDecoder()
    const tail = concatBytes(this.#tail).slice(-this.#mostTail)
    const missing = this.#total - this.#headSize - tail.length
    const [start, end] = [decoder.decode(concatBytes(this.#head)), decoder.decode(tail)]
    return missing === 0
      ? decoder.decode(concatBytes([...this.#head, tail]))
      : `${start}\n[... ${missing} bytes ...]\n${end}`
  }
}
