/**
 * The C library of this process.
 *
 * Used by the hand-over to coreutils, whose start-up time matters, so this file imports nothing of dd.
 */
import { dlopen, type FFIFunction } from "bun:ffi"

/** Functions of the C library; undefined if the library is unknown or lacks one of them. */
export const openLibc = <const Functions extends Record<string, FFIFunction>>(functions: Functions) => {
  for (const name of names) {
    try {
      return dlopen(name, functions).symbols
    } catch {
      // Not the library of this system; the next name may be.
    }
  }
  return undefined
}

const names =
  process.platform === "linux"
    ? ["libc.so.6", `libc.musl-${process.arch === "arm64" ? "aarch64" : "x86_64"}.so.1`]
    : process.platform === "darwin"
      ? ["libSystem.B.dylib"]
      : []
