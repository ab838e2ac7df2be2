/**
 * The C library this process stands on.
 *
 * Loaded before everything else where dd hands over to coreutils, so this file imports nothing of dd's own.
 */
import { dlopen, type FFIFunction } from "bun:ffi"

/** These functions of it; undefined on a system whose C library dd does not know, and where one of them is not in it. */
export const openLibc = <const Functions extends Record<string, FFIFunction>>(functions: Functions) => {
  for (const name of names) {
    try {
      return dlopen(name, functions).symbols
    } catch {
      // Not this system's; the next name may be.
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
