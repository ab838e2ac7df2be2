/**
 * The few file operations of `dd hook event` as calls of the C library, because `node:fs` takes longer to load than they take.
 * Linux only, and without reasons: what fails is done again with `node:fs`, which tells why.
 */
import { FFIType, ptr } from "bun:ffi"
import { openLibc } from "../system/process/libc.ts"
import type { ReadText } from "./spoolPlace.ts"

export interface HookFiles {
  /** Standard input; null if it cannot be read. */
  readonly input: () => string | null
  readonly text: ReadText
  /** False if there is no such file, if nothing, or only a part, was written, and if the file would be larger than `largest`. */
  readonly append: (path: string, line: string, largest: number) => boolean
}

/** Undefined on other systems. */
export const hookFiles = (): HookFiles | undefined => {
  const libc =
    process.platform !== "linux"
      ? undefined
      : openLibc({
          open: { args: [FFIType.ptr, FFIType.i32, FFIType.i32], returns: FFIType.i32 },
          read: { args: [FFIType.i32, FFIType.ptr, FFIType.u64], returns: FFIType.i64 },
          write: { args: [FFIType.i32, FFIType.ptr, FFIType.u64], returns: FFIType.i64 },
          lseek: { args: [FFIType.i32, FFIType.i64, FFIType.i32], returns: FFIType.i64 },
          close: { args: [FFIType.i32], returns: FFIType.i32 }
        })
  if (libc === undefined) return undefined

  // Not a Buffer: its class takes longer to start than these.
  const encoder = new TextEncoder()
  const open = (path: string, flags: number): number =>
    path.includes("\0") ? -1 : libc.open(ptr(encoder.encode(`${path}\0`)), flags | closeOnExec, 0o600)

  const whole = (file: number): string | null => {
    let room = new Uint8Array(firstRoom)
    let length = 0
    for (;;) {
      const count = Number(libc.read(file, ptr(room, length), room.length - length))
      if (count < 0) return null
      if (count === 0) return new TextDecoder().decode(room.subarray(0, length))
      length += count
      if (length < room.length) continue
      const larger = new Uint8Array(room.length * 4)
      larger.set(room)
      room = larger
    }
  }

  return {
    input: () => whole(0),
    text: (path) => {
      const file = open(path, 0)
      if (file < 0) return null
      const text = whole(file)
      libc.close(file)
      return text
    },
    append: (path, line, largest) => {
      const file = open(path, writeOnly | atEnd)
      if (file < 0) return false
      const bytes = encoder.encode(line)
      const hasRoom = Number(libc.lseek(file, 0, fromEnd)) <= largest
      const written = hasRoom && Number(libc.write(file, ptr(bytes), bytes.length)) === bytes.length
      libc.close(file)
      return written
    }
  }
}

/** In bytes: more than most payloads have. */
const firstRoom = 16 * 1024

const writeOnly = 0o1
const atEnd = 0o2000
const closeOnExec = 0o2000000
const fromEnd = 2
