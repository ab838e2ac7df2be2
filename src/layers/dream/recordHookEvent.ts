/**
 * `dd hook event`: an assistant calls it at every event of a session. It records the event and never disturbs: the exit code
 * is 0 and nothing is printed, whatever happens, except notes at the start of a session. A fault is counted where `dd doctor`
 * and `dd session list` find it.
 *
 * Loads neither Effect nor the command tree, and the redaction only for a text that may contain a secret.
 */
import { folderOf, hookEvent, hostOf } from "../../domain/dream/hookPayload.ts"
import type { EventKind, Host, SessionEvent } from "../../domain/dream/SessionEvent.ts"
import { secretValues } from "../../domain/secret/KnownSecrets.ts"
import { quickRedaction } from "../../domain/secret/quickRedaction.ts"
import { type HookFiles, hookFiles } from "./hookFiles.ts"
import { digest, fileOf, homeIn, largestFile, lineOf, type Place, placeIn } from "./spoolPlace.ts"

/** After these there may be something to analyse. */
const startsWorker: ReadonlySet<EventKind> = new Set(["session_start", "stop", "session_end"])
const hosts: ReadonlyArray<Host> = ["claude", "codex", "gemini"]

export const recordHookEvent = async (args: ReadonlyArray<string>): Promise<void> => {
  const home = homeIn(process.env)
  if (home === null) return
  try {
    await record(home, args)
  } catch (error) {
    ;(await import("./spoolFile.ts")).countFault(home, now(), error)
  }
}

const record = async (home: string, args: ReadonlyArray<string>): Promise<void> => {
  const files = hookFiles()
  const text = files?.input() ?? (await import("./spoolFile.ts")).input()
  const given: unknown = JSON.parse(text)
  if (typeof given !== "object" || given === null || Array.isArray(given))
    throw new SyntaxError("the payload is no object")
  const payload = given as Readonly<Record<string, unknown>>
  const named = args[args.indexOf("--host") + 1]
  const host = args.includes("--host") && hosts.includes(named as Host) ? (named as Host) : hostOf(payload)
  const at = now()
  const began = startFolder(host)
  const folder = began ?? (folderOf(payload) || process.cwd())
  const place =
    files !== undefined && folder.startsWith("/")
      ? placeIn(folder, files.text)
      : (await import("./spoolFile.ts")).placeOf(folder)
  const id = digest(`${at} ${process.pid}\n${text}`).slice(0, 24)
  const eventAt = async (place: Place): Promise<SessionEvent | null> => {
    // First without redaction, which tells whether there is anything to write, and which texts it has.
    const texts: Array<string> = []
    const redact = (text: string): string => {
      texts.push(text)
      return text
    }
    const moment = { ...place, at, id, digest }
    const event = hookEvent(host, payload, { ...moment, redact })
    if (event === null) return null
    const redaction = await redactionFor(texts)
    return changesOne(texts, redaction) ? hookEvent(host, payload, { ...moment, redact: redaction }) : event
  }
  let event = await eventAt(place)
  if (event === null) return
  let { main } = place
  if (!appended(home, event, files)) {
    // At the first event of a session, on other systems, and to learn the reason of a failure.
    const spool = await import("./spoolFile.ts")
    const isStart = event.kind === "session_start" && event.reason === "startup"
    const start = isStart || began !== undefined ? null : spool.startOf(home, event)
    if (start !== null) {
      event = (await eventAt(start)) ?? event
      main = start.main
    }
    spool.append(home, event)
  }
  if (startsWorker.has(event.kind)) await (await import("./startWorker.ts")).startWorker(home, process.env)
  if (event.kind !== "session_start") return
  const injection = (await import("./resumeContext.ts")).resumeContext(home, main, event)
  if (injection === null) return
  await (await import("../system/process/output.ts")).write(1, injection.output)
  if (!appended(home, injection.event, files)) (await import("./spoolFile.ts")).append(home, injection.event)
}

/** Where the session began, if its host names it: the working directory changes with each `cd`, and a session has one project. */
const startFolder = (host: Host): string | undefined => {
  const folder =
    host === "claude" ? process.env.CLAUDE_PROJECT_DIR : host === "gemini" ? process.env.GEMINI_PROJECT_DIR : undefined
  return folder?.startsWith("/") === true ? folder : undefined
}

const appended = (home: string, event: SessionEvent, files: HookFiles | undefined): boolean =>
  files?.append(fileOf(home, event).path, lineOf(event), largestFile) ?? false

const changesOne = (texts: ReadonlyArray<string>, redact: (text: string) => string): boolean => {
  for (const text of texts) if (redact(text) !== text) return true
  return false
}

const redactionFor = async (texts: ReadonlyArray<string>): Promise<(text: string) => string> => {
  const secrets = secretValues(process.env)
  const quick = quickRedaction(texts, secrets)
  if (quick !== null) return quick
  const { redactionOf } = await import("../../domain/secret/Redaction.ts")
  return redactionOf({ secrets, users: [] }).text
}

/** Without Effect's clock. Milliseconds since 1970. */
const now = (): number => Math.round(performance.timeOrigin + performance.now())
