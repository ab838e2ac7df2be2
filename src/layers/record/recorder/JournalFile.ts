/**
 * The file a journal is written to: new, for its owner alone, and never through a link.
 *
 * Synchronous: an event is a few hundred bytes, and waiting for the thread pool takes ten times as long as writing
 * them. Throws what the system says.
 */
import { closeSync, openSync, writeSync } from "node:fs"
import { Context } from "effect"

export interface JournalFile {
  /** All of it is in the file, or it throws. */
  readonly append: (bytes: Uint8Array) => void
  readonly close: () => void
}

/** How one is opened; a test has disks that are full. */
export const OpenJournal = Context.Reference<(path: string) => JournalFile>(
  "dd/layers/recorder/JournalFile/OpenJournal",
  {
    defaultValue: () => openJournal
  }
)

export const openJournal = (path: string): JournalFile => {
  const descriptor = openSync(path, "wx", 0o600)
  return {
    append: (bytes) => {
      for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at)
    },
    close: () => closeSync(descriptor)
  }
}
