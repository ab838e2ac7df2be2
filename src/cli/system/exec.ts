/**
 * Replaces this process by another program, with the same arguments (byte by byte), open files and environment.
 *
 * Every import costs start-up time here; `node:tty` alone costs as much as everything else.
 */
import { FFIType, ptr } from "bun:ffi"
import { readdirSync, readFileSync, readlinkSync } from "node:fs"
import { openLibc } from "../../layers/system/process/libc.ts"

/** Whether an open file of this process is a terminal. */
export const isTerminal = (descriptor: number): boolean => libcFunctions()?.isatty(descriptor) === 1

/**
 * Replaces this process by `path`, with `changed` in its environment (undefined: unset); returns only if that is
 * impossible. `args` are used on systems that do not provide the arguments byte by byte.
 */
export const becomeProgram = (
  path: string,
  args: ReadonlyArray<string>,
  changed: Readonly<Record<string, string | undefined>>
): void => {
  const libc = libcFunctions()
  if (libc === undefined) return
  // Bun ignores these two, and an ignored signal stays ignored across exec: `dd | head` would report an error. Whether
  // the caller ignored them is unknown.
  for (const signal of [SIGPIPE, SIGXFSZ]) libc.signal(signal, null)
  // Bun closes inherited files above stderr on exec, which would break `dd if=<(command)`.
  for (const descriptor of inheritedFiles()) libc.fcntl(descriptor, F_SETFD, 0)
  for (const [name, value] of Object.entries(changed)) {
    const variable = cString(name)
    if (value === undefined) libc.unsetenv(ptr(variable))
    else libc.setenv(ptr(variable), ptr(cString(value)), 1)
  }
  const argv = rawArguments() ?? [process.argv0, ...args].map(cString)
  const pointers = new BigUint64Array(argv.length + 1)
  for (const [index, argument] of argv.entries()) pointers[index] = BigInt(ptr(argument))
  // The environment of the C library and the arguments of the kernel: text decoded by JavaScript would lose bytes that
  // are not UTF-8.
  libc.execvp(ptr(cString(path)), ptr(pointers))
}

const SIGPIPE = 13
const SIGXFSZ = 25
const F_SETFD = 2

/** From this number on Bun keeps a copy of standard input. */
const firstReserved = 1023

/** The open files above the standard three that were inherited: all except those of Bun's event loop. */
const inheritedFiles = (): ReadonlyArray<number> => {
  try {
    return readdirSync("/proc/self/fd")
      .map(Number)
      .filter((descriptor) => descriptor > 2 && descriptor < firstReserved && isCallers(descriptor))
  } catch {
    // Without /proc they cannot be distinguished; the standard three stay open.
    return []
  }
}

const isCallers = (descriptor: number): boolean => {
  try {
    return !readlinkSync(`/proc/self/fd/${descriptor}`).startsWith("anon_inode:")
  } catch {
    // The listing's own descriptor, which is closed by now.
    return false
  }
}

const libcFunctions = () =>
  openLibc({
    signal: { args: [FFIType.i32, FFIType.ptr], returns: FFIType.ptr },
    setenv: { args: [FFIType.ptr, FFIType.ptr, FFIType.i32], returns: FFIType.i32 },
    unsetenv: { args: [FFIType.ptr], returns: FFIType.i32 },
    isatty: { args: [FFIType.i32], returns: FFIType.i32 },
    fcntl: { args: [FFIType.i32, FFIType.i32, FFIType.i32], returns: FFIType.i32 },
    execvp: { args: [FFIType.ptr, FFIType.ptr], returns: FFIType.i32 }
  })

const cString = (text: string): Buffer => Buffer.from(`${text}\0`)

/** The kernel's arguments, each with its closing NUL; undefined without /proc. */
const rawArguments = (): ReadonlyArray<Buffer> | undefined => {
  try {
    const all = readFileSync("/proc/self/cmdline")
    const found: Array<Buffer> = []
    for (let start = 0, end = all.indexOf(0); end !== -1; start = end + 1, end = all.indexOf(0, start)) {
      found.push(all.subarray(start, end + 1))
    }
    return found
  } catch {
    return undefined
  }
}
