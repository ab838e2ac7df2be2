/**
 * The file of a journal: new, with mode 0600, never through a link. Throws errors of the system.
 *
 * Synchronous: an event has a few hundred bytes, and waiting for the thread pool takes ten times as long as writing them.
 */
import { closeSync, openSync, writeSync } from "node:fs"
import { Context } from "effect"

export interface JournalFile {
  /** Writes all of them, or throws. */
  readonly append: (bytes: Uint8Array) => void
  readonly close: () => void
}

/** Tests replace it to simulate a full disk. */
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
