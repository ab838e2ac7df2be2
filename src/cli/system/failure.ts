/** Error messages and exit codes of commands that failed. */
import { PlatformError, Predicate, Runtime } from "effect"
import { oneLine } from "../../domain/text/Printable.ts"
import { systemErrorText } from "../../services/system/systemErrorText.ts"

/** The command was valid but could not run: exit code 3. */
const couldNotRun: ReadonlySet<string> = new Set([
  "GitMissing",
  "GitTooOld",
  "GitFailed",
  "GitTimedOut",
  "GitOutputTooLarge",
  "GitMemoryExceeded",
  "GitWouldWait",
  "NotARepository",
  "RepositoryRefused",
  "HistoryTooShallow",
  "ObjectMissing",
  "ArtifactUnreadable",
  "FindingsNotWritten",
  "GitHookInaccessible",
  "OutputNotWritten",
  "TrajectoryUnreadable",
  "TrajectoryNotWritten",
  "PlatformError"
])

/** `Redactor.text`, as a parameter because errors are also printed without a layer. */
export type Redact = (text: string) => string

export interface Failure {
  readonly code: number
  /** One line for each error. */
  readonly words: string
}

/** Tagged errors are expected; anything else is a defect. */
export const failureOf = (error: unknown, redact: Redact): Failure =>
  error instanceof Error && Predicate.hasProperty(error, "_tag")
    ? { code: codeOf(error), words: presentableLines(messageOf(error), redact) }
    : defectOf(error, redact)

export const defectOf = (error: unknown, redact: Redact): Failure => ({
  code: 3,
  words: `internal error (a defect in dd, not in your change): ${presentable(error instanceof Error ? `${error.name}: ${error.message}` : String(error), redact)}`
})

/** The message of a platform error has its kind and its method; users need the path and the reason. */
const messageOf = (error: Error): string => {
  if (!(error instanceof PlatformError.PlatformError)) return error.message
  const { reason } = error
  const path = reason._tag === "BadArgument" ? "" : String(reason.pathOrDescriptor ?? "")
  return `${path === "" ? "a system call" : path} failed: ${systemErrorText(error)}`
}

const codeOf = (error: object): number => {
  if (Predicate.hasProperty(error, Runtime.errorExitCode) && Predicate.isNumber(error[Runtime.errorExitCode])) {
    return error[Runtime.errorExitCode]
  }
  return Predicate.hasProperty(error, "_tag") && couldNotRun.has(String(error._tag)) ? 3 : 2
}

/** One line without control bytes or secrets. */
export const presentable = (text: string, redact: Redact): string => redact(oneLine(redact(text)))

const presentableLines = (text: string, redact: Redact): string =>
  text
    .split("\n")
    .map((line) => presentable(line, redact))
    .join("\n")
