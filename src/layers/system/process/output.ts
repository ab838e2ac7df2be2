/**
 * Standard output and standard error of this process. Nothing else writes to them.
 *
 * Each byte is written once and in order, on blocking and non-blocking descriptors: what the kernel did not accept is
 * written again later. A slow reader delays only the writer; timers, signals and other fibers continue.
 */
import { FFIType, ptr } from "bun:ffi"
import { fstatSync, writeSync } from "node:fs"
import { givenStreams } from "./givenStreams.ts"
import { openLibc } from "./libc.ts"

export type Descriptor = 1 | 2

/** What is done before each write to standard output, such as printing warnings that are kept. */
export const beforeOutput = (action: () => void): void => {
  prepare = action
}

let prepare: () => void = () => undefined

/** Resolves when everything is written, or has been given up because of `signal`; rejects with the system's error. */
export const write = (descriptor: Descriptor, data: string | Uint8Array, signal?: AbortSignal): Promise<void> => {
  if (descriptor === 1) prepare()
  const written = queued[descriptor].then(() => writeAll(descriptor, Buffer.from(data), signal))
  queued[descriptor] = written.catch(() => undefined)
  return written
}

/** For callers that cannot wait: `flushed` returns later whether it was written. */
export const print = (descriptor: Descriptor, text: string): void => {
  queued[descriptor] = write(descriptor, text).catch((fault: unknown) => {
    faults[descriptor] ??= fault
  })
}

/** Waits for everything that was printed; returns the first fault, if there was one. */
export const flushed = async (descriptor: Descriptor): Promise<unknown> => {
  await queued[descriptor]
  return faults[descriptor]
}

const queued: Record<Descriptor, Promise<void>> = { 1: Promise.resolve(), 2: Promise.resolve() }
const faults: Record<Descriptor, unknown> = { 1: undefined, 2: undefined }

/** PIPE_BUF: a pipe that `poll` calls writable accepts this many bytes (4096 on Linux, 512 elsewhere) without blocking. */
const pieceBytes = process.platform === "linux" ? 4096 : 512

/** The longest pause before a full pipe is tried again (ms). */
const longestPause = 16

const writeAll = async (descriptor: Descriptor, bytes: Buffer, signal: AbortSignal | undefined): Promise<void> => {
  const streams = givenStreams()
  if (streams !== null) return streams.write(descriptor, bytes)
  const isFile = fstatSync(descriptor).isFile()
  const size = isFile ? bytes.length : pieceBytes
  for (let at = 0, pause = 1; at < bytes.length && signal?.aborted !== true; ) {
    const accepted = isFile || isWritable(descriptor) ? offer(descriptor, bytes.subarray(at, at + size)) : 0
    at += accepted
    if (accepted === 0) await new Promise((resolve) => setTimeout(resolve, pause))
    pause = accepted === 0 ? Math.min(2 * pause, longestPause) : 1
  }
}

/** How many of these bytes the kernel accepted. */
const offer = (descriptor: Descriptor, bytes: Buffer): number => {
  try {
    return writeSync(descriptor, bytes)
  } catch (error) {
    if (error instanceof Error && "code" in error && (error.code === "EAGAIN" || error.code === "EINTR")) return 0
    throw error
  }
}

/** Also true if writing fails because the reader has closed, and if there is no `poll`; then the write may block. */
const isWritable = (descriptor: Descriptor): boolean => {
  libc ??= openLibc({ poll: { args: [FFIType.ptr, FFIType.u64, FFIType.i32], returns: FFIType.i32 } }) ?? null
  // struct pollfd { int fd; short events; short revents; }
  return libc === null || libc.poll(ptr(new Int32Array([descriptor, POLLOUT])), 1, 0) !== 0
}

const POLLOUT = 4

let libc: { readonly poll: (fds: ReturnType<typeof ptr>, count: number, timeout: number) => number } | null | undefined
