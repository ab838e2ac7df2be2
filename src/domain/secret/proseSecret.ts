/**
 * A secret in a sentence that somebody typed: `my password is S3cr3t`, `use token 4fZ…`, `contraseña: …`. What follows must look
 * generated, so that `the token is expired` stays. Assignments are `assignedSecret.ts`.
 */
import { isMarked, type Mask } from "../text/Mask.ts"
import { matchAt } from "../text/matchAt.ts"
import { proseNames, shortestProse } from "./mayHoldProse.ts"
import { isNoValue, isRandom, isReference } from "./secretValue.ts"
import { tokenAt } from "./tokenAt.ts"

const names: ReadonlySet<string> = new Set(
  ["password", "passphrase", "passcode", "secret", "token", "credential"].flatMap((name) => [name, `${name}s`])
)
const keys = /^(?:api-?|access-?)?key$/i
const keyed = /(?:api|access)[ ]$/i

const about = "(?:[ ](?:access[ ])?key)?(?:[ ](?:for|of|to|from|de|für)[ ][^\\s\"'`:]{1,40})?"
const value = `[\\s"'\`«“„]{1,3}([^\\s"'\`»”<>]{${shortestProse},200})`
const said = new RegExp(`${about}[ ](?:is|was)[ ]?:?${value}`, "yiu")
const given = new RegExp(`${about}[ ]["'\`]?([\\w+/=-]{20,200})(?![\\w.(])`, "y")
const saidOtherwise = new RegExp(`${about}[ ]?(?::|=|ist|es|est|é|は|是)?${value}`, "yiu")

/** Behind the name from `start` to `end`, or null. */
export const proseSecret = (text: string, start: number, end: number): Mask | null => {
  if (text[end] !== " ") return null
  const name = text.slice(start, end)
  const isKey = keys.test(name) && (name.length > 3 || keyed.test(text.slice(Math.max(0, start - 8), start)))
  if (!isKey && !names.has(name.toLowerCase())) return null
  const isSecret = /^pass/i.test(name) ? isPassword : isTyped
  return behind(text, start, end, said, isSecret) ?? behind(text, start, end, given, isGenerated)
}

/** Behind names in other languages, which no other rule knows. */
export function* otherProseSecrets(text: string): Generator<Mask> {
  for (const name of proseNames.other) {
    for (const form of [name, name[0]!.toUpperCase() + name.slice(1)]) {
      for (let at = text.indexOf(form); at >= 0; at = text.indexOf(form, at + 1)) {
        const mask = behind(text, at, at + form.length, saidOtherwise, isTyped)
        if (mask !== null) yield mask
      }
      if (name[0] === name[0]!.toUpperCase()) break
    }
  }
}

const behind = (
  text: string,
  from: number,
  at: number,
  pattern: RegExp,
  isSecret: (value: string) => boolean
): Mask | null => {
  const match = matchAt(pattern, text, at)
  if (match === null) return null
  const secret = match[1]!.replace(/[.,;:!?)\]]+$/, "")
  if (!isSecret(secret)) return null
  const start = at + match[0].lastIndexOf(match[1]!)
  // A token of a known format has its own marker.
  if (tokenAt(text, start) >= 0) return null
  return { from, start, end: start + secret.length, marker: "[REDACTED_CREDENTIAL]" }
}

/** Letters with digits, and capitals or signs among them. */
const isTyped = (value: string): boolean =>
  value.length >= shortestProse &&
  isRandom(value) &&
  /[a-z]/.test(value) &&
  /[A-Z]|[^A-Za-z0-9._/:-]/.test(value) &&
  !/[(){}]|:\/\/|^[A-Za-z_$][\w$]*(?:\.[\w$]+)+$/.test(value) &&
  !isMarked(value) &&
  !isNoValue(value) &&
  !isReference(value)

/** Also `sunset42`, which may be a name where no password is expected. */
const isPassword = (value: string): boolean => isTyped(value) || (/^[a-z]+\d+[a-z\d]*$/.test(value) && isRandom(value))

/** As a program makes it, without a word that says that it is one. */
export const isGenerated = (value: string): boolean =>
  /^[0-9a-f]{32,}$/.test(value) ||
  (/[a-z]/.test(value) && /[A-Z]/.test(value) && (value.match(/\d/g)?.length ?? 0) >= 3 && isRandom(value))
