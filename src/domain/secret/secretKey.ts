/**
 * Decides by its name whether a variable, a field or a header holds a secret: `dbPassword`, `client_secret`,
 * `X-Api-Key`; not `tokenizer`, `max_tokens`, `password_field`, `nextPageToken` or `monkeyPatch`.
 */

import { isSecretVariable } from "./secretVariable.ts"

/** Names of secrets: the last word of a name, or the end of a single word. */
const nouns =
  "password|passwd|passphrase|passcode|passwort|pwd|pswd|psw|pw|secret|token|credential|credentials|apikey|accesskey|secretkey|privatekey|authkey|authtoken"
const noun = new RegExp(`^(?:${nouns})$`)
const ending = /(?:password|passwd|passphrase|passcode|secret|token|apikey|accesskey|secretkey|privatekey|authkey)$/
/** A key of these is a secret; any other belongs to a map, a keyboard or a cache. */
const keyed =
  /^(?:\w*api|access|auth|private|secret|signing|encryption|decryption|account|client|master|shared|service|deploy|license|subscription|admin|app|application|consumer|session|cipher|aes|hmac|ssh|jwt|storage|webhook|preshared)$/
/** `pass` after one of these is a password; any other may belong to a renderer or a test. */
const passed = /^(?:db|database|smtp|mail|user|ftp|ssh|mysql|redis|admin|root|proxy|login|http|api|basic|become|sudo)$/
/** Tokens that are positions in a list, cancel a task or belong to a language. */
const harmless =
  /^(?:next|prev|previous|public|page|paging|cursor|continuation|sync|cancel|cancellation|abort|start|starting|end|begin|stop|resume|lex|lexer|last|first|current|peek|operator|eof|eol|num|max|min|n|total|is|has|no|kind|design|color|mask|unk|pad|bos|eos|cls|sep|special)$/
/** Suffixes that do not change the meaning of the noun. */
const trailing =
  /^(?:base|base64|b64|value|val|raw|plain|plaintext|string|str|hex|prod|production|dev|development|staging|stage|test|live|old|new|confirmation|confirm|again|\d+)$/

/** The words of a name, in lower case: `GITHUB_apiKey2` is github, api, key. */
export const wordsOf = (name: string): ReadonlyArray<string> => {
  const known = split.get(name)
  if (known !== undefined) return known
  if (split.size > 2000) split.clear()
  const words = splitOf(name)
  split.set(name, words)
  return words
}

const split = new Map<string, ReadonlyArray<string>>()

const splitOf = (name: string): ReadonlyArray<string> =>
  name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1_$2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .map((word) => word.replace(/(?<=[a-z])\d+$/, ""))
    .filter((word) => word !== "")

/** Is the value of this name a secret? */
export const isSecretKey = (name: string): boolean => {
  const known = judged.get(name)
  if (known !== undefined) return known
  // The same names are frequent, but a text may contain any number of different ones.
  if (judged.size > 2000) judged.clear()
  const secret = judge(name)
  judged.set(name, secret)
  return secret
}

const judged = new Map<string, boolean>()

const judge = (name: string): boolean => {
  const words = [...wordsOf(name)]
  while (words.length > 1 && trailing.test(words[words.length - 1]!)) words.pop()
  const last = words[words.length - 1]
  if (last === undefined) return false
  const before = words[words.length - 2]
  if (last === "token" && before !== undefined && harmless.test(before)) return false
  if (last === "password" && before === "one") return false
  if (noun.test(last) || ending.test(last)) return true
  if (last === "key") return before !== undefined && keyed.test(before)
  if (last === "pass") return before === undefined || passed.test(before)
  if (last === "bearer") return before === "oauth"
  return last === "auth" && (before === undefined || !aboutAuth.test(before))
}

/** May a long generated value of this name be a secret: `adafruit_io_key`? Not of a key of a map, a cache or a table, nor a public one. */
export const isKeyOfService = (name: string): boolean => {
  const words = wordsOf(name)
  return words.length > 2 && words.at(-1) === "key" && !words.some((word) => otherKeys.test(word))
}

const otherKeys =
  /^(?:pub|public|publishable|verif\w*|validation|anon|site|host|known|cache|map|object|item|index|primary|foreign|sort|partition|row|column|group|hash|bucket|file|image|blob|media|upload|dedup\w*|idempoten\w*|trace|correlation|request|query|lookup|route|translation|message|label|event|feature|flag|config|setting|redis|s3|registry|ed25519|nostr|peer|node)$/

/** With these words, `auth` is a switch or a kind. */
const aboutAuth =
  /^(?:use|uses|using|no|not|is|has|need|needs|require|requires|required|with|without|enable|enabled|disable|disabled|skip|force|check|allow|pre|post|re|o|un|supports?|can|should|on|off|by|before|after|auto|default|client|server|mutual|tls|ssl|two|factor|multi)$/

/** May `1` turn something on under this name: `MY_AUTH`, `SKIP_PASSWORD`? */
export const isSwitch = (name: string): boolean => {
  const words = wordsOf(name)
  return words[words.length - 1] === "auth" || aboutAuth.test(words[0] ?? "")
}

const vocabulary = new Set(
  `${nouns}|api|key|access|auth|authorization|bearer|basic|private|client|user|username|new|old|current|confirm|confirmation|refresh|id|csrf|session|your|my|the|login|invalid|valid|wrong`.split(
    "|"
  )
)

/** `ACCESS_KEY = "ACCESS_KEY"`, `CSRF_TOKEN = "x-csrf-token"`, `TOKEN_FROM = "GITHUB_TOKEN"`: a name of the secret, not the secret. */
export const repeatsName = (name: string, value: string): boolean =>
  (beginsAlike(name, value) && wordsOf(name).join("") === wordsOf(value).join("")) ||
  /^x-[a-z-]+$/i.test(value) ||
  (/^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/.test(value) && isSecretVariable(value))

const beginsAlike = (a: string, b: string): boolean => firstOf(a) === firstOf(b)

const firstOf = (text: string): string => (/[a-z0-9]/i.exec(text)?.[0] ?? "").toLowerCase()

/** Is the value itself the name of a secret: `access_token`, `current-password`? */
export const isNameOfSecret = (value: string): boolean => {
  if (value.length > 64 || !/^[A-Za-z]+(?:[_ -][A-Za-z]+)*$/.test(value)) return false
  return wordsOf(value).every((word) => vocabulary.has(word))
}
