/** Whether a value looks like a valid credential, as a program generates it, and not like a name, a word or a placeholder. */

/** Words and shapes of placeholders. */
const placeholder = /example|sample|placeholder|change[-_]?me|your[-_]|dummy|fake|redacted|x{4,}|\*{3,}|\.{3}|…/i
const sequence = /01234567|12345678|abcdefgh|87654321/i
const repetition = /(.)\1{5,}/
/** Words that mark a typed value as not valid. */
const homely = new RegExp(
  "pass secret token test mock admin default hello foo bar demo dev local todo none null undefined value string qwerty deadbeef insert replace user auth key"
    .split(" ")
    .flatMap((word) => [word, word.toUpperCase(), word[0]!.toUpperCase() + word.slice(1)])
    .join("|")
)
const interpolation = /\$\{|\{\{|\$\(|<[^<>]*>|#\{|%[sdv(]|^[$%@&*]|\{[a-z_.]*\}|:\/\//i
const known =
  /^0x[\da-f]{40}$|^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$|\.(?:pem|key|crt|cer|der|p12|pfx|jks|pub|asc|gpg|json|ya?ml|toml|txt|env|conf|sock|[cm]?[jt]sx?|py|rb|go|php|html?)$/i

/** In bits a character. */
const leastEntropy = 2.75

export const isMarker = (value: string): boolean => value.startsWith("[REDACT")

/** Is the value clearly not a secret, such as a placeholder or a marker? */
export const isStandIn = (value: string): boolean =>
  isMarker(value) || isPlaceholder(value) || interpolation.test(value) || entropy(value) < leastEntropy

export const isPlaceholder = (value: string): boolean =>
  placeholder.test(value) || sequence.test(value) || repetition.test(value)

/** Is it neither a placeholder, a name, a file, an id nor an address of a public ledger? */
export const looksLive = (value: string): boolean =>
  value.length <= 400 &&
  !isMarker(value) &&
  !interpolation.test(value) &&
  !isPlaceholder(value) &&
  !(value.length < 60 && homely.test(value)) &&
  !known.test(value) &&
  entropy(value) >= leastEntropy &&
  isGenerated(value)

/** The letters that may follow each letter in words and names; other pairs are rare there, and frequent by chance. */
const followers =
  "abcdgiklmnprstuvxy baeilorsu cacdehiklorstu dadeilorsu eabcdefgilmnopqrstvwxy faefilortu gaehilnorsu haeiot iabcdefglmnoprstvxz j keis ladeilostuy mabeilmopsu nacdefgiklnostuv oabcdfgiklmnoprstuvw paehiloprstuy qu racdegiklmnoprstuy sacehilmopstuy tacefhilmoprstuy uabcefilmnprst vaei waeio xept yps ze"
const pairs = new Set(followers.split(" ").flatMap(([letter = "", ...next]) => next.map((other) => letter + other)))

/** Is it made by chance, and neither words nor a name? Each pair of neighbours counts by how much rarer it is in names. */
export const isGenerated = (value: string): boolean => {
  if (value.length < shortest || /\s/.test(value)) return false
  let chance = 0
  for (let at = 1; at < Math.min(value.length, longestJudged); at++) {
    const [early, before, kind] = [at - 2, at - 1, at].map((each) => kindOf(value.charCodeAt(each)))
    if (before === other || kind === other) continue
    else if (before === sign || kind === sign) chance += 1.5
    else if (before === digit || kind === digit) chance += before === kind ? 0.5 : 4
    else if (before === small && kind === capital) chance += early === small ? 1.5 : 4
    else if (early === capital && before === capital && kind === small) chance += 3
    else chance += pairs.has(value.slice(at - 1, at + 1).toLowerCase()) ? -2 : 3
  }
  return chance >= 3
}

const shortest = 8
const longestJudged = 256
const [small, capital, digit, sign, other] = [0, 1, 2, 3, 4]

const kindOf = (code: number): number => {
  if (code >= 97 && code <= 122) return small
  if (code >= 65 && code <= 90) return capital
  if (code >= 48 && code <= 57) return digit
  return "!#$%&*+=?@^~".includes(String.fromCharCode(code)) ? sign : other
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
