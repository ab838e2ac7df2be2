/**
 * Whether a descriptor of this process is a terminal, and the terminal's size.
 *
 * The engine's own streams take five milliseconds to load, so they are only used if there is a terminal.
 */
import { fstatSync, type Stats } from "node:fs"
import { Effect, Layer, Terminal } from "effect"
import { givenStreams } from "./process/givenStreams.ts"

/** Like the system's `isatty`: false for a file, a pipe, `/dev/null`, and a closed descriptor. */
export const isTerminal = (descriptor: 0 | 1 | 2): boolean => {
  if (givenStreams() !== null) return false
  try {
    const found = fstatSync(descriptor)
    if (!found.isCharacterDevice() || isNull(found)) return false
  } catch {
    return false
  }
  return streams[descriptor]().isTTY === true
}

/** The width of the terminal, 80 if it reports none, as in many containers; null if the descriptor is not one. */
export const columnsOf = (descriptor: 1 | 2): number | null =>
  isTerminal(descriptor) ? (descriptor === 1 ? process.stdout : process.stderr).columns || 80 : null

/** Whether what is written to a descriptor never appears on a terminal: to a file or to `/dev/null`. */
export const isStored = (descriptor: 1 | 2): boolean => {
  if (givenStreams() !== null) return false
  try {
    const found = fstatSync(descriptor)
    return found.isFile() || isNull(found)
  } catch {
    return true
  }
}

/** Whether it is `/dev/null`; only known on Linux, by its device number 1, 3. */
const isNull = (found: Stats): boolean =>
  process.platform === "linux" && found.isCharacterDevice() && found.rdev === 0x103

const streams = { 0: () => process.stdin, 1: () => process.stdout, 2: () => process.stderr } as const

/** dd only needs the size of the terminal; everything else is loaded at first use. */
export const layer: Layer.Layer<Terminal.Terminal> = Layer.sync(Terminal.Terminal, () => {
  const size = () => (isTerminal(1) ? process.stdout : null)
  const asking = Effect.flatMap(
    Effect.promise(() => import("@effect/platform-node-shared/NodeTerminal")),
    ({ make }) => make()
  )
  return Terminal.make({
    columns: Effect.sync(() => size()?.columns ?? 0),
    rows: Effect.sync(() => size()?.rows ?? 0),
    size: Effect.flatMap(asking, (terminal) => terminal.size),
    readInput: Effect.flatMap(asking, (terminal) => terminal.readInput),
    readLine: Effect.scoped(Effect.flatMap(asking, (terminal) => terminal.readLine)),
    display: (text) => Effect.scoped(Effect.flatMap(asking, (terminal) => terminal.display(text)))
  })
})
