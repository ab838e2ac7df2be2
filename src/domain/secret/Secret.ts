/**
 * Finds credentials in source text: those of the redactor's masks that are very likely valid, without placeholders,
 * documented examples, test keys and interpolations. Linear in the text; never returns the text of a secret.
 */

import type { Mask } from "../text/Mask.ts"
import { decodedParts } from "./DecodedText.ts"
import { isLiveWebToken, materialIn } from "./keyText.ts"
import { isLiveUrl, isPlaceholder, isStandIn, looksLive } from "./looksLive.ts"
import { secretMasks } from "./Redaction.ts"
import { namedFormats, tokenIn } from "./tokenFormats.ts"

export type SecretKind = "private-key" | "provider-token" | "google-api-key" | "credential" | "url-password"

export interface Secret {
  readonly kind: SecretKind
  /** The kind, for messages: "GitHub token", "private key", "password". */
  readonly name: string
  /** UTF-16 offsets into the text; `end` is exclusive. */
  readonly start: number
  readonly end: number
}

/** The credentials of a text, in order and without overlaps. */
export const findSecrets = (text: string): ReadonlyArray<Secret> =>
  withoutOverlaps([
    ...secretsOf(text),
    ...decodedParts(text).flatMap(({ original, text }) =>
      secretsOf(text).map((secret) => ({ ...secret, ...original(secret.start, secret.end) }))
    )
  ])

const secretsOf = (text: string): ReadonlyArray<Secret> =>
  secretMasks(text).flatMap((mask) => {
    const found = secretBehind(text, mask)
    return found === null ? [] : [{ start: mask.start, end: mask.end, ...found }]
  })

/** The longest key material and context that are judged. */
const longestJudged = 16_384
const longestContext = 80
const shortestKey = 64

const secretBehind = (text: string, { end, from, marker, start }: Mask): Pick<Secret, "kind" | "name"> | null => {
  const value = text.slice(start, Math.min(end, start + longestJudged))
  switch (marker) {
    case "[REDACTED_PEM_KEY]":
      return materialIn(value) < shortestKey ? null : { kind: "private-key", name: "private key" }
    case "[REDACTED_JWT]":
      return isLiveWebToken(value) && !isPlaceholder(value) ? { kind: "credential", name: "JSON Web Token" } : null
    case "[REDACTED_USER]:[REDACTED_API_KEY]": {
      const [user = "", password = ""] = value.split(":")
      const host = /^@([^\s/:"'`<>]{0,100})/.exec(text.slice(end, end + 102))?.[1] ?? ""
      return isLiveUrl(user, password, host) ? { kind: "url-password", name: "password in a URL" } : null
    }
    case "[REDACTED_API_KEY]":
      return tokenOf(value) ?? null
    case "[REDACTED_USER]":
      return null
    default: {
      const name = text.slice(Math.max(from, start - longestContext), start)
      const token = tokenOf(name + value)
      if (token !== undefined) return token
      const named = namedFormats.find(({ pattern }) => pattern.test(name + text.slice(start, end + 1)))
      if (named !== undefined && !isStandIn(value)) return { kind: "provider-token", name: named.name }
      // A cookie has a name of its own.
      return looksLive(value.replace(/^[\w.-]+=(?==*[^=])/, "")) ? { kind: "credential", name: nameOf(name) } : null
    }
  }
}

/** Null if it has the format of a token that is not reported; undefined if it has no such format. */
const tokenOf = (text: string): Pick<Secret, "kind" | "name"> | null | undefined => {
  const found = tokenIn(text)
  if (found === null) return undefined
  if (!found.isReported) return null
  return { kind: found.name === "Google API key" ? "google-api-key" : "provider-token", name: found.name }
}

const nameOf = (name: string): string => {
  const word = /pass|pwd|key|token|secret|bearer|authorization/gi
  const last = [...name.toLowerCase().matchAll(word)].at(-1)?.[0] ?? "credential"
  if (/pass|pwd/.test(last)) return "password"
  if (/bearer|authorization/.test(last)) return "token"
  return last === "key" ? "API key" : last
}

/** Sorted; of two overlapping secrets, the first one is kept, then the longer one, but a token instead of a value with a name. */
const withoutOverlaps = (secrets: ReadonlyArray<Secret>): ReadonlyArray<Secret> => {
  const kept: Array<Secret> = []
  for (const secret of [...secrets].sort((a, b) => a.start - b.start || b.end - a.end)) {
    const last = kept[kept.length - 1]
    if (last === undefined || secret.start >= last.end) kept.push(secret)
    else if (last.kind === "credential" && secret.kind !== "credential") kept[kept.length - 1] = secret
  }
  return kept
}
