/** Limits how much memory a running program can allocate. Allocations beyond that fail. */
import { FFIType, ptr } from "bun:ffi"
import { openLibc } from "../process/libc.ts"

/** In bytes, without mapped files. Does nothing on systems other than Linux. */
export const limitMemory = (pid: number, bytes: number): void => {
  libc ??= open()
  const limit = BigUint64Array.of(BigInt(bytes), BigInt(bytes))
  libc?.prlimit(pid, RLIMIT_DATA, ptr(limit), null)
}

const open = () =>
  process.platform === "linux"
    ? (openLibc({
        prlimit: { args: [FFIType.i32, FFIType.i32, FFIType.ptr, FFIType.ptr], returns: FFIType.i32 }
      }) ?? null)
    : null

/** Undefined before the first limit. */
let libc: ReturnType<typeof open> | undefined

const RLIMIT_DATA = 2
