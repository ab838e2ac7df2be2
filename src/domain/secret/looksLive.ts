/** Whether a value looks like a valid credential, as a program generates it, and not like a name, a word or a placeholder. */

/** The names under which any value that looks live is hidden. */
export const credentialWord =
  /passw(?:or)?d|passphrase|pwd|secret|token|(?:api|access|auth|private|secret|signing|encryption|account|client)[_-]?key/gi

/** Words and shapes of placeholders. */
const placeholder = /example|sample|placeholder|change[-_]?me|your[-_]|dummy|fake|redacted|x{4,}|\*{3,}|\.{3}|…/i
const sequence = /01234567|12345678|abcdefgh|87654321/i
const repetition = /(.)\1{5,}/
/** Words that mark a typed value as not valid. */
const homely =
  /pass|secret|token|test|mock|admin|default|hello|foo|bar|demo|dev|local|todo|none|null|undefined|value|string|qwerty|deadbeef|insert|replace|user|auth|key/i
const interpolation = /\$\{|\{\{|\$\(|<[^<>]*>|#\{|%[sdv(]|^[$%@&*]|\{[a-z_.]*\}|:\/\//i
const file =
  /\.(?:pem|key|crt|cer|der|p12|pfx|jks|pub|asc|gpg|json|ya?ml|toml|txt|env|conf|sock|[cm]?[jt]sx?|py|rb|go|php|html?)$/i
const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i

export const isMarker = (value: string): boolean => value.startsWith("[REDACT")

/** Is the value clearly not a secret, such as a placeholder or a marker? */
export const isStandIn = (value: string): boolean =>
  isMarker(value) || isPlaceholder(value) || interpolation.test(value) || entropy(value) < 3

export const isPlaceholder = (value: string): boolean =>
  placeholder.test(value) || sequence.test(value) || repetition.test(value)

const isPassword = (name: string): boolean => /pass|pwd/i.test(name)

/** `name`: the name that the value is assigned to, or its last word. */
export const looksLive = (name: string, value: string): boolean => {
  if (value.length < 8 || value.length > 400 || /\s/.test(value)) return false
  if (isMarker(value) || interpolation.test(value) || isPlaceholder(value)) return false
  // Words joined by separators are a name, not a secret.
  if (/^[A-Za-z]+(?:[-_.:/ ][A-Za-z]+)*\d{0,2}$|^[a-z]*(?:[A-Z][a-z]{2,}\d{0,2})+$/.test(value)) return false
  if (!/\d/.test(value) || !/[A-Za-z]/.test(value) || file.test(value)) return false
  if ((value.length < 60 && homely.test(value)) || uuid.test(value)) return false
  if (
    isPassword(name) &&
    value.length <= 100 &&
    entropy(value) >= 2.75 &&
    (/[^A-Za-z0-9]/.test(value) || isMixed(value))
  )
    return true
  if (!/^[A-Za-z0-9+/_=.~-]+$/.test(value) || value.length < 10) return false
  return (value.length >= 20 && entropy(value) >= (/^[0-9a-f-]+$/i.test(value) ? 3 : 3.7)) || isMixed(value)
}

/** Does it change between capitals, small letters and digits more often than words and names do? */
const isMixed = (value: string): boolean => {
  const kinds = value.replace(/[a-z]/g, "a").replace(/[A-Z]/g, "A").replace(/\d/g, "0")
  const changes = kinds.match(/(.)(?!\1|$)/g)?.length ?? 0
  if (/a{8}|A{8}|0{6}/.test(kinds)) return false
  if (changes * 10 >= (value.length - 1) * 3 && !/a{5}|A{5}/.test(kinds)) return true
  return !kinds.includes("A") && value.length >= 10 && changes >= 4 && /0.*0.*0/.test(kinds)
}

/** Is it the password of a user at a public host? */
export const isLiveUrl = (user: string, password: string, host: string): boolean =>
  password.length >= 6 &&
  password !== user &&
  !isMarker(password) &&
  !interpolation.test(`${user} ${password}`) &&
  !isPlaceholder(password) &&
  !homely.test(password) &&
  /\d/.test(password) &&
  /[A-Za-z]/.test(password) &&
  /\./.test(host) &&
  !/example|localhost|^127\.|^0\.0\.|\.(?:test|local|internal|invalid)$/i.test(host)

/** Shannon entropy in bits a character. */
const entropy = (value: string): number => {
  const counts = new Map<string, number>()
  for (const char of value) counts.set(char, (counts.get(char) ?? 0) + 1)
  const length = [...value].length
  return [...counts.values()].reduce((sum, count) => sum - (count / length) * Math.log2(count / length), 0)
}
