/**
 * A pack of some hundred bytes whose objects are large: a text that is repeated by copying, and a small text that is
 * made of that one.
 */
import { deflateSync } from "node:zlib"
import type { TestRepository } from "./repository.ts"
import { tryGit } from "./repository.ts"

export interface PackBomb {
  /** A text of `bytes` bytes. */
  readonly large: string
  /** The first line of it: git unpacks the large one to read it. */
  readonly small: string
}

const baseBytes = 65_536

/** `line` has seven characters, for its text is repeated whole; `bytes` is rounded down to whole copies. */
export const packBomb = (repository: TestRepository, line: string, bytes: number): PackBomb => {
  const base = Buffer.from(`${line}\n`.repeat(baseBytes / (line.length + 1)))
  const copies = Math.floor(bytes / baseBytes)
  const large = copies * baseBytes
  const small = base.subarray(0, line.length + 1)
  const baseName = nameOf(base.length, [base])
  const largeName = nameOf(
    large,
    Array.from({ length: copies }, () => base)
  )
  const smallName = nameOf(small.length, [small])
  const body = Buffer.concat([
    Buffer.from("PACK"),
    Buffer.from(Uint32Array.of(2, 3).map(swapped).buffer),
    header(blob, base.length),
    deflateSync(base),
    // Copying from 0 without a length copies 65,536 bytes.
    ...delta(baseName, Buffer.concat([...sizes(base.length, large), Buffer.alloc(copies, 0x80)])),
    ...delta(largeName, Buffer.concat([...sizes(large, small.length), Buffer.of(0x90, small.length)]))
  ])
  const pack = Buffer.concat([body, new Bun.CryptoHasher("sha1").update(body).digest()])
  const { status, stderr } = tryGit(repository.root, ["index-pack", "--stdin"], new Uint8Array(pack))
  if (status !== 0) throw new Error(stderr)
  return { large: largeName.toString("hex"), small: smallName.toString("hex") }
}

const blob = 3
const reference = 7

const delta = (base: Buffer, instructions: Buffer) => [
  header(reference, instructions.length),
  base,
  deflateSync(instructions)
]

const nameOf = (length: number, parts: ReadonlyArray<Uint8Array>): Buffer => {
  const hasher = new Bun.CryptoHasher("sha1").update(`blob ${length}\0`)
  for (const part of parts) hasher.update(part)
  return hasher.digest()
}

const swapped = (value: number): number => Buffer.from(Uint32Array.of(value).buffer).readUInt32BE()

const header = (type: number, size: number): Buffer => {
  const bytes = [(type << 4) | (size & 15)]
  for (let left = Math.floor(size / 16); left > 0; left = Math.floor(left / 128)) {
    bytes[bytes.length - 1]! |= 0x80
    bytes.push(left & 127)
  }
  return Buffer.from(bytes)
}

const sizes = (...all: ReadonlyArray<number>) =>
  all.map((size) => {
    const bytes = [size & 127]
    for (let left = Math.floor(size / 128); left > 0; left = Math.floor(left / 128)) {
      bytes[bytes.length - 1]! |= 0x80
      bytes.push(left & 127)
    }
    return Buffer.from(bytes)
  })
