/**
 * Archives with one directory. The same files and the same time give the same bytes: order, owner, mode and times are
 * fixed. The compressed bytes also depend on the version of `xz`.
 */
import { Effect, Stream } from "effect"
import { Tar, Zip } from "effect/encoding"

export type ArchiveFile = { readonly name: string; readonly content: string | Uint8Array; readonly isProgram?: boolean }

const modeOf = ({ isProgram }: ArchiveFile): number => (isProgram === true ? 0o755 : 0o644)

export const tar = async (
  directory: string,
  files: ReadonlyArray<ArchiveFile>,
  mtime: Date
): Promise<Uint8Array<ArrayBuffer>> => {
  const entries = [
    Tar.directory(`${directory}/`, { mtime }),
    ...files.map((file) => Tar.file(`${directory}/${file.name}`, file.content, { mode: modeOf(file), mtime }))
  ]
  return joined(Stream.fromIterable(entries).pipe(Stream.pipeThroughChannel(Tar.encode())))
}

export const zip = async (directory: string, files: ReadonlyArray<ArchiveFile>, mtime: Date): Promise<Uint8Array> => {
  const entries = [
    Zip.directory(`${directory}/`, { mtime }),
    ...files.map((file) => Zip.file(`${directory}/${file.name}`, file.content, { mode: modeOf(file), mtime }))
  ]
  return joined(Stream.fromIterable(entries).pipe(Stream.pipeThroughChannel(Zip.encode())))
}

/** With one thread, whatever the machine has: several write other bytes. */
export const xz = async (bytes: Uint8Array, level: string): Promise<Uint8Array> => {
  const child = Bun.spawn(["xz", level, "--threads=1", "--stdout"], { stdin: new Blob([bytes]), stdout: "pipe" })
  const packed = new Uint8Array(await new Response(child.stdout).arrayBuffer())
  if ((await child.exited) !== 0) throw new Error("xz failed")
  return packed
}

const joined = async <E>(chunks: Stream.Stream<Uint8Array, E>): Promise<Uint8Array<ArrayBuffer>> =>
  Buffer.concat(await Effect.runPromise(Stream.runCollect(chunks)))
