/** Whether the end of the terminal is to be ignored, as under `nohup`. */
import { FFIType, ptr } from "bun:ffi"
import { constants } from "node:os"
import { openLibc } from "./libc.ts"

export const isHangupIgnored = (): boolean => {
  const libc = openLibc({
    sigaction: { args: [FFIType.i32, FFIType.ptr, FFIType.ptr], returns: FFIType.i32 }
  })
  // A `struct sigaction` begins with the handler in each of these libraries, and none is larger.
  const action = new BigUint64Array(32)
  return libc?.sigaction(constants.signals.SIGHUP, null, ptr(action)) === 0 && action[0] === SIG_IGN
}

const SIG_IGN = 1n
