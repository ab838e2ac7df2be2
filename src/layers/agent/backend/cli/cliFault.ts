/** Why a coding CLI gave no answer. */
import { isTransientFault, killedExit } from "../../../../domain/agent/transientFault.ts"
import type { CliOutcome } from "./CliDecoder.ts"
import type { NotFound } from "./findProgram.ts"

export const missingProgram = (name: string, { ignored }: NotFound): string =>
  `${name} is not on PATH${ignored.length === 0 ? "" : `; ignored: ${ignored.join(", ")}`}`

interface Fault {
  readonly reason: string
  readonly retryable: boolean
}

/** For a process that has ended; null if it gave an answer. */
export const cliFault = (name: string, outcome: CliOutcome, code: number, errors: string): Fault | null => {
  if (outcome._tag === "Failed") return outcome
  if (outcome._tag === "Answered" && code === 0) return null
  const words = lastWords(errors)
  const because = words === "" ? "" : `: ${words}`
  if (code !== 0) {
    return {
      reason: `${name} ended with exit code ${code}${because}${oldHint(name, words)}`,
      retryable: code === killedExit || isTransientFault(words)
    }
  }
  return { reason: `${name} ended without an answer${because}`, retryable: true }
}

const lastWords = (errors: string): string =>
  errors
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .slice(-3)
    .join(" ")

const oldHint = (name: string, words: string): string =>
  /unknown option|unexpected argument|unrecognized (?:option|argument)|unknown argument/i.test(words)
    ? ` (this ${name} lacks an option that dd needs; install a newer version)`
    : ""
