/** Pipes that do not block, as a parent may hand them down: the engine makes those blocking that it gives to a child. */
import { FFIType } from "bun:ffi"
import { constants } from "node:fs"
import { openLibc } from "../../src/layers/system/process/libc.ts"

const F_SETFL = 4

/** Makes this end of a pipe non-blocking for every process that has it. */
export const unblock = (descriptor: number): boolean => {
  const { i32 } = FFIType
  const libc = openLibc({ fcntl: { args: [i32, i32, i32], returns: i32 } })
  return libc?.fcntl(descriptor, F_SETFL, constants.O_NONBLOCK) === 0
}
