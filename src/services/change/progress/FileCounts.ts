/**
 * How many files are read, for the person who waits: counts of the work that runs now, and of all files so far.
 *
 * A display reads them when it draws. Counting one file is an addition; it is not recorded and does not change results.
 */
import { Context, Effect } from "effect"
import type { Grammar } from "../../../domain/change/Grammar.ts"
import { grammarOf } from "../../../languages/languages.ts"

/** What is done with each file; of history, with each commit; of trials, with each small change that tests try. */
export type FileWork = "symbols" | "form" | "users" | "rules" | "imports" | "types" | "history" | "trials"

/** Of all loops that do the same work at this time. */
export class FileCount {
  done = 0
  /** 0: unknown. */
  total = 0
  loops = 0
  path = ""
  readonly work: FileWork

  constructor(work: FileWork) {
    this.work = work
  }

  /** Of the last file. */
  get grammar(): Grammar | null {
    return grammarOf(this.path)
  }
}

/** One for each process. */
export const FileCounts = Context.Reference<{
  readonly running: Map<FileWork, FileCount>
  /** By all loops: a file that is read twice counts twice. */
  done: number
  /** Files whose symbols were read, on both sides, and their functions. */
  files: number
  functions: number
}>("dd/services/change/progress/FileCounts", {
  defaultValue: () => ({ running: new Map(), done: 0, files: 0, functions: 0 })
})

/** Work whose total is unknown; `count` adds to what is done. */
export const counting = <A, E, R>(
  work: FileWork,
  run: (count: (done: number) => void) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.flatMap(FileCounts, ({ running }) =>
    Effect.suspend(() => {
      const count = new FileCount(work)
      running.set(work, count)
      const end = Effect.sync(() => running.delete(work))
      return Effect.ensuring(
        run((done) => {
          count.done += done
        }),
        end
      )
    })
  )

/** `Effect.forEach` with counts. */
export const forEachFile = <F extends string | { readonly path: string }, A, E, R>(
  work: FileWork,
  files: ReadonlyArray<F>,
  each: (file: F, at: number) => Effect.Effect<A, E, R>,
  concurrency = 1
): Effect.Effect<Array<A>, E, R> =>
  Effect.flatMap(FileCounts, (counts) =>
    Effect.suspend(() => {
      const { running } = counts
      const count = running.get(work) ?? new FileCount(work)
      running.set(work, count)
      count.loops++
      count.total += files.length
      const one = (file: F, at: number) => {
        count.path = typeof file === "string" ? file : file.path
        return Effect.map(each(file, at), (found) => {
          count.done++
          counts.done++
          return found
        })
      }
      const end = Effect.sync(() => {
        count.loops--
        if (count.loops === 0) running.delete(work)
      })
      return Effect.ensuring(Effect.forEach(files, one, { concurrency }), end)
    })
  )
