/** Whether a value that is assigned to a secret's name is the secret: not a reference, a placeholder, a sentence or a type. */
import { isMarked } from "../text/Mask.ts"
import { looksLive } from "./looksLive.ts"
import { isKeyOfService, isNameOfSecret, repeatsName } from "./secretKey.ts"

export const isIdentifier = (value: string): boolean => /^[A-Za-z_$][\w$-]*[?!]?$/.test(value)

/** Does it have digits among letters, and is not a known name with digits? */
export const isRandom = (value: string): boolean =>
  /\d/.test(value) &&
  /[A-Za-z]/.test(value) &&
  !/^(?:sha|md|aes|utf|base|oauth|argon|ecdsa|rsa|scrypt|bcrypt|pbkdf|int|uint|float|string|bytes?)[-_]?\d/i.test(
    value
  ) &&
  (!/^(?:[vxuif]|[rhep]s|ed)[-_]?\d[a-z\d._-]*$/i.test(value) || isLongRun(value)) &&
  !isNumberedName(value) &&
  !/^[\d.]+(?:ms|s|m|h|d|px|em|rem|kb|mb|gb|k|b)$/i.test(value)

/** Longer than a version or the name of a type: `v1beta1`, `x86_64`, `ed25519`. */
const isLongRun = (value: string): boolean =>
  /^[a-z\d]{16,}$/i.test(value) || /^(?=.*[a-z])(?=.*[A-Z])(?=(?:\D*\d){3})[a-zA-Z\d]{10,}$/.test(value)

/** `token2`, `encrypted_secret1`: the second of two variables. */
const isNumberedName = (value: string): boolean =>
  /^(?:[A-Za-z]+_)+[A-Za-z]+_?\d{1,2}$/.test(value) || isNameOfSecret(value.replace(/_?\d{1,2}$/, ""))

/** Is it a word for a kind of value, or for no value? */
export const isNoValue = (value: string): boolean =>
  /^(?:str|string|text|int|integer|number|float|bool|boolean|bytes|buffer|object|array|list|dict|map|any|unknown|never|void|null|none|nil|undefined|true|false|yes|no|on|off|required|optional|hidden|disabled|enabled|bearer|basic|digest|jwt|oauth2?|same-origin|include|omit|self|this|default|auto|empty|missing|unset|varchar|secret|public|private|env|file|vault|keychain|prompt|ask|stdin|filtered|redacted|masked|\[filtered\]|x+|\*+|\.+|•+|-+|_+)[?!;]?$/i.test(
    value
  )

/** A short number is usually a limit or a version, unless it is assigned to a password. */
export const isCount = (name: string, value: string): boolean =>
  /^-?[\d.,_]{1,5}$/.test(value) && !(/pass|pwd|secret/i.test(name) && /^\d{4,}$/.test(value))

/** Is it a reference to a value from elsewhere? */
export const isReference = (value: string): boolean =>
  /^[$%@&*:]\{{0,2}[A-Za-z_][\w.:-]*\}{0,2}%?$/.test(value) ||
  /^[<[{(].*[>\]})]$/.test(value) ||
  /^%%?[A-Z_]+%%?$/.test(value) ||
  // A shell command, cut at a quote in it.
  value.startsWith("$(") ||
  // `"PASS: " + name + "…"`: the text between two literals.
  /^[+&] /.test(value) ||
  /^[A-Z][A-Z_]+:[$/]/.test(value) ||
  /^[A-Za-z_$]+(?:(?:\.|::|->|\?\.|!\.|\/)[A-Za-z_$@-]+)+[;?!]?$/.test(value) ||
  (/^(?:\.{0,2}|~)\/[\w./-]*$/.test(value) && !isKeyOfAws.test(value)) ||
  value.includes("://")

/** 40 characters that may begin with `/`, with capitals, small letters and digits, are no path. */
const isKeyOfAws = /^(?=[^.]*\d)(?=.*[A-Z].*[A-Z])(?=.*[a-z])[\w/-]{40}$/

/** Without quotes, a path of names is code, with or without digits. */
export const isMember = (value: string): boolean =>
  /^[A-Za-z_$][\w$]*(?:(?:\.|::|->|\?\.|!\.)[A-Za-z_$@][\w$]*)+[;?!]?$/.test(value)

const interpolated =
  /\$?\{\{?[^{}]{0,200}\}?\}|#\{[^{}]{0,200}\}|\$\([^()]{0,200}\)|\\\([^()]{0,200}\)|<%?=?[^<>]{0,200}>|%[-\d.]*[sdvqxif]|%\([a-z_]{1,40}\)s/gi

/** `registry_auth: "basic"`: the name of a method, not what it sends. */
export const methodOfAuth =
  /^(?:basic|bearer|digest|negotiate|kerberos|ntlm|gssapi|scram|jwt|oauth2?|oidc|saml|ldap|sso|session|cookie|password|token|api[_-]?key|key|keyring|cert(?:ificate)?|mtls|tls|iam|aws|gcp|azure|anonymous|plain|login|cram-md5|user|admin|guest|need|want|require|custom|manual|system|local|header|query|body)$/i

/** Does this literal reveal the secret? True except for placeholders. */
export const isValue = (name: string, value: string, closed: boolean): boolean => {
  if (value.trim().length < 3 || isMarked(value) || isNoValue(value.trim()) || isReference(value.trim())) return false
  if (isCount(name, value.trim())) return false
  if (isNameOfSecret(value) || repeatsName(name, value) || isVersion(value)) return false
  const fixed = value.replace(interpolated, "")
  if (fixed !== value && (fixed.trim().length < 8 || !isRandom(fixed.trim()))) return false
  if (isSentence(value)) return false
  if (!closed && /[\s,;()]/.test(value) && !/\d/.test(value)) return false
  if (!/[\p{L}\p{N}]/u.test(value)) return false
  const kind = name.toLowerCase()
  // Keys of stores, clients and applications are often names.
  if (
    /(?:client|storage|session|shared|account|application|app|service|consumer|license|master|access|subscription|deploy|webhook|admin|user)[_-]?key$/.test(
      kind
    )
  ) {
    return isRandom(value) && value.length >= 6
  }
  // `auth: "jwt"` is a method; a credential is longer.
  if (kind === "auth") return value.length >= 12 && !/\s/.test(value) && /[\d=]/.test(value)
  if (/auth$/.test(kind)) return !/[\s\x80-\uffff]/.test(value) && !methodOfAuth.test(value)
  // Tokens of parsers are words and signs.
  if (/token$/.test(kind) && /^(?:[A-Za-z]{0,5}|[^A-Za-z0-9]+.?)$/.test(value)) return false
  return true
}

const isVersion = (value: string): boolean =>
  value.length <= 64 && /^(?:npm:|workspace:)?[\^~>=<v]{0,2}\d+(?:\.(?:\d+|x|\*))+[\w.-]*$/.test(value)

/** Would `findSecrets` report it under the name of a key of a service? */
export const isLiveAnyway = (name: string, value: string): boolean =>
  value.length >= 32 && isKeyOfService(name) && looksLive(value)

const commonWords =
  /(?:^|[^a-z])(?:the|an|is|are|was|be|to|of|for|your|you|my|our|please|must|should|can|cannot|could|not|no|with|without|enter|invalid|required|forgot|reset|change|changed|create|confirm|new|current|old|and|or|in|on|at|by|if|has|have|been|from|this|that|will|password|passphrase|token|secret|key|api|de|le|la|el|das|der|die|du|het|van|en|et|una?|il)(?:[^a-z]|$)/i

/** Are most letters beyond ASCII? Then it is text, also without spaces. */
const isForeign = (text: string): boolean =>
  /[^\x00-\x7f]/.test(text) &&
  (/^[\p{L}\p{M}\p{P}]+$/u.test(text) || (text.match(/[^\x00-\x7f]/g)?.length ?? 0) * 2 > text.length)

/** Is it text for people, such as a label or a message, in any language? */
export const isSentence = (value: string): boolean => {
  const text = value.trim()
  if (!/\s/.test(text)) return isForeign(text)
  if (/[^\x00-\x7f]/.test(text)) return true
  return commonWords.test(text) || (/[.?!:…,]$/.test(text) && !/\d/.test(text))
}
