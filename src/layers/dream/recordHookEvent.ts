/**
 * `dd hook event`: an assistant calls it at every event of a session. It records the event and never disturbs: the exit code
 * is 0 and nothing is printed, whatever happens. A fault is counted where `dd doctor` and `dd session list` find it.
 *
 * Loads neither Effect nor the command tree.
 */
import { appendFileSync, mkdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { folderOf, hookEvent, hostOf } from "../../domain/dream/hookPayload.ts"
import type { Host } from "../../domain/dream/SessionEvent.ts"
import { secretValues } from "../../domain/secret/KnownSecrets.ts"
import { redactionOf } from "../../domain/secret/Redaction.ts"
import { append, digest, homeIn, placeOf, spoolOf } from "./spoolFile.ts"

const hosts: ReadonlyArray<Host> = ["claude", "codex", "gemini"]
/** Faults are counted up to this size of their file, in bytes. */
const mostFaults = 64 * 1024

export const recordHookEvent = (args: ReadonlyArray<string>): void => {
  const home = homeIn(process.env)
  if (home === null) return
  try {
    record(home, args)
  } catch (error) {
    countFault(home, error)
  }
}

const record = (home: string, args: ReadonlyArray<string>): void => {
  const given: unknown = JSON.parse(readFileSync(0, "utf8"))
  if (typeof given !== "object" || given === null || Array.isArray(given))
    throw new SyntaxError("the payload is no object")
  const payload = given as Readonly<Record<string, unknown>>
  const named = args[args.indexOf("--host") + 1]
  const host = args.includes("--host") ? hosts.find((each) => each === named) : undefined
  const redaction = redactionOf({ secrets: secretValues(process.env), users: [] })
  const event = hookEvent(host ?? hostOf(payload), payload, {
    ...placeOf(folderOf(payload) || process.cwd()),
    at: now(),
    redact: redaction.text,
    digest
  })
  if (event !== null) append(home, event)
}

const countFault = (home: string, error: unknown): void => {
  try {
    mkdirSync(spoolOf(home), { recursive: true, mode: 0o700 })
    const path = join(spoolOf(home), "faults")
    if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > mostFaults) return
    const code = error instanceof Error ? ("code" in error ? String(error.code) : error.name) : "unknown"
    appendFileSync(path, `${now()} ${code}\n`, { mode: 0o600 })
  } catch {
    // There is no place to count it.
  }
}

/** Without Effect's clock. Milliseconds since 1970. */
const now = (): number => Math.round(performance.timeOrigin + performance.now())
