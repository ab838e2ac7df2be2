/**
 * Refs of contexts in a directory: one file for each context, one line for each ref, append-only, readable only by its
 * owner.
 *
 * Every text is redacted, except outputs, which were redacted before the model received them; a turn whose verbatim
 * form contains a secret is stored without it. A last line that a kill cut off is ignored. A write error is reported
 * once. With `earlier`, the contexts of that directory are copied, without the end of a run that was stopped: a third run
 * may resume the second one before it has read them all.
 */
import { appendFileSync, mkdirSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Layer, Option, Schema } from "effect"
import { AgentRef } from "../../../domain/agent/AgentRef.ts"
import { withoutStop } from "../../../domain/agent/earlierAgent.ts"
import { MemoryLog } from "../../../services/agent/runtime/MemoryLog.ts"
import { Redactor, redactionFailed } from "../../../services/secret/Redactor.ts"

class MemoryNotKept extends Schema.TaggedError<MemoryNotKept>()("MemoryNotKept", {
  directory: Schema.String,
  cause: Schema.Defect()
}) {
  override get message() {
    return `the memory of agents is not saved in ${this.directory}: ${this.cause instanceof Error ? this.cause.message : this.cause}`
  }
}

const ending = ".refs.jsonl"
const encoded = Schema.encodeUnknownSync(Schema.fromJsonString(AgentRef))
const decoded = Schema.decodeUnknownOption(Schema.fromJsonString(AgentRef))

export const layer = (directory: string, earlier: string | null = null) =>
  Layer.effect(
    MemoryLog,
    Effect.gen(function* () {
      const redactor = yield* Redactor
      let isLost = false
      /** Files this process has written to. */
      const begun = new Set<string>()

      const warn = (error: MemoryNotKept) =>
        Effect.suspend(() => {
          if (isLost) return Effect.void
          isLost = true
          return Effect.logWarning(error.message)
        })

      const attempt = <A>(act: () => A) =>
        Effect.try({ try: act, catch: (cause) => new MemoryNotKept({ directory, cause }) })

      const lineOf = (ref: AgentRef): string => {
        const shown = redactor.value(ref._tag === "Result" ? { ...ref, output: "" } : ref)
        if (shown === redactionFailed) return ""
        if (ref._tag === "Result") return `${encoded({ ...shown, output: ref.output })}\n`
        const isChanged = shown._tag === "Turn" && ref._tag === "Turn" && !isSame(shown.verbatim, ref.verbatim)
        return `${encoded(isChanged ? { ...shown, verbatim: null } : shown)}\n`
      }

      // Synchronous: a ref is a few hundred bytes, and waiting for the thread pool takes longer than writing them.
      const append = (context: string, refs: ReadonlyArray<AgentRef>) =>
        attempt(() => {
          const file = join(directory, fileOf(context))
          if (!begun.has(file)) mkdirSync(directory, { recursive: true, mode: 0o700 })
          // Ends a line that another process left unfinished.
          const lines = [begun.has(file) ? "" : "\n", ...refs.map(lineOf)].join("")
          appendFileSync(file, lines, { mode: 0o600 })
          begun.add(file)
        }).pipe(Effect.catch(warn))

      const readIn = (from: string, context: string) =>
        attempt(() => readFileSync(join(from, fileOf(context)), "utf8")).pipe(
          Effect.map((text) => refsIn(text)),
          Effect.catch((error) => Effect.as(isAbsent(error) ? Effect.void : warn(error), [] as ReadonlyArray<AgentRef>))
        )

      for (const { context, refs } of earlier === null ? [] : yield* contextsIn(earlier)) {
        if ((yield* readIn(directory, context)).length === 0) yield* append(context, withoutStop(refs))
      }

      return MemoryLog.of({ append, read: (context) => readIn(directory, context) })
    })
  )

const refsIn = (text: string): ReadonlyArray<AgentRef> =>
  text.split("\n").flatMap((line) => Option.toArray(decoded(line)))

/** The logs in a directory: the id, the arguments and the refs of each context. */
export const contextsIn = (directory: string) =>
  Effect.try({
    try: () => readdirSync(directory).filter((name) => name.endsWith(ending)),
    catch: (cause) => new MemoryNotKept({ directory, cause })
  }).pipe(
    Effect.orElseSucceed((): ReadonlyArray<string> => []),
    Effect.map((names) =>
      names.flatMap((name) => {
        const refs = refsIn(readFileSync(join(directory, name), "utf8"))
        const [first] = refs
        return first?._tag === "Context" ? [{ context: first.context, args: first.args, refs }] : []
      })
    )
  )

/** A file name for any id: without separators and leading dots. */
const fileOf = (context: string): string => `${encodeURIComponent(context).replaceAll(".", "%2E")}${ending}`

const isSame = (a: Schema.Json, b: Schema.Json): boolean => JSON.stringify(a) === JSON.stringify(b)

const isAbsent = ({ cause }: MemoryNotKept): boolean =>
  cause instanceof Error && "code" in cause && cause.code === "ENOENT"
