/**
 * A vector for a short technical text, computed from its words alone: no model, no network, the same on every machine. Words
 * are stemmed, synonyms become one concept, opposites get opposite signs, and codes such as `TS2345` weigh most. Two texts
 * that mean the same have a cosine near 1. Its figures: docs/dream.md.
 */

/** Numbers in a vector. */
export const lexicalDimensions = 512

/** Of length 1, or all zeros for a text without words. */
export const lexicalVector = (text: string): Float32Array => {
  const vector = new Float32Array(lexicalDimensions)
  const words = wordsOf(text)
  words.forEach((word, index) => {
    const concept = concepts.get(word)
    add(vector, concept?.name ?? word, weightOf(word) * (concept?.sign ?? 1))
    const next = words[index + 1]
    if (next !== undefined) add(vector, `${nameOf(word)} ${nameOf(next)}`, weights.pair)
    if (concept === undefined && !isCode(word))
      for (let at = 0; at + 4 <= word.length; at++) add(vector, word.slice(at, at + 4), weights.part)
  })
  return normalised(vector)
}

/** The error codes in a text, also those that it writes in words; one name for the codes of one mistake. */
export const codesIn = (text: string): ReadonlySet<string> => new Set(wordsOf(text).filter(isCode).map(nameOf))

/** The cosine of two vectors of length 1: from -1 to 1. */
export const similarity = (a: Float32Array, b: Float32Array): number => {
  let sum = 0
  for (let index = 0; index < a.length; index++) sum += a[index]! * (b[index] ?? 0)
  return sum
}

/** Of length 1; a vector of zeros stays one. */
export const normalised = (vector: Float32Array): Float32Array => {
  const length = Math.sqrt(similarity(vector, vector))
  return length === 0 ? vector : vector.map((value) => value / length)
}

const weights = { code: 3, concept: 1.4, word: 1, frequent: 0.4, pair: 0.3, part: 0.15 }

const weightOf = (word: string): number =>
  isCode(word)
    ? weights.code
    : frequent.has(word)
      ? weights.frequent
      : concepts.has(word)
        ? weights.concept
        : weights.word

const nameOf = (word: string): string => concepts.get(word)?.name ?? word

const isCode = (word: string): boolean => codes.test(word)

/** Error codes, in lower case. */
const codes =
  /^(?:[a-z]{1,5}\d{3,5}|e(?:acces|addrinuse|connrefused|connreset|exist|inval|isdir|mfile|noent|nospc|notdir|notempty|notfound|perm|pipe|rofs|timedout|xdev|resolve|integrity))$/

/** FNV-1a: the place and the sign of a feature. */
const add = (vector: Float32Array, feature: string, weight: number): void => {
  let hash = 0x811c9dc5
  for (let index = 0; index < feature.length; index++) hash = Math.imul(hash ^ feature.charCodeAt(index), 0x01000193)
  hash ^= hash >>> 15
  vector[(hash >>> 1) % lexicalDimensions]! += hash & 1 ? weight : -weight
}

const wordsOf = (text: string): ReadonlyArray<string> =>
  phrases
    .reduce(
      (words, [phrase, code]) => words.replaceAll(phrase, ` ${code} `),
      text
        .replaceAll(/<(?:q|n|path)>/g, " ")
        .replaceAll(/([a-z\d])([A-Z])/g, "$1 $2")
        .toLowerCase()
    )
    .match(/[a-z]+\d{3,}|[a-z]+/g)
    ?.filter((word) => word.length > 1 && !fillers.has(word))
    .map(stemOf) ?? []

const stemOf = (word: string): string => {
  if (word.length <= 4 || isCode(word)) return word
  return word
    .replace(/ies$/, "y")
    .replace(/(?:ing|ed|es|s|ly|ment|ation|able)$/, "")
    .replace(/(.)\1$/, "$1")
    .replace(/e$/, "")
}

const fillers = new Set(
  "a an and any are as at be because been but by did do does for from had has have in into is it its most likely of on or other our so than that the their then they this to up was were when which while will with you".split(
    " "
  )
)

/** What systems and people write for error codes. */
const phrases: ReadonlyArray<readonly [RegExp, string]> = [
  [
    /\bno such file or directory\b|\b(?:no such|missing|absent|non-?existent) (?:file|directory|folder|path)\b|\b(?:file|directory|folder|path) (?:is |was )?(?:not found|missing|absent|not there|does not exist|doesn't exist)\b/g,
    "enoent"
  ],
  [/\bpermission denied\b/g, "eacces"],
  [/\b(?:address|port) +(?:is )?already in use\b/g, "eaddrinuse"],
  [/\bconnection refused\b/g, "econnrefused"],
  [/\bconnection reset(?: by peer)?\b/g, "econnreset"],
  [/\bno space left(?: on device)?\b/g, "enospc"],
  [/\bfile (?:already )?exists\b/g, "eexist"],
  [/\bread-only file system\b/g, "erofs"],
  [/\bout of memory\b/g, "memory"],
  [/\b(kebab|snake|camel|pascal)[ -]case\b/g, "$1"]
]

/** One line for each concept: its words, or the codes of one mistake; after a bar, the words of its opposite. */
const conceptLines = `
add create make put introduce include mkdir | remove delete drop discard uninstall
set assign write | get read access
missing absent lack unknown undeclared undefined unresolved no
found exist present exists
directory folder dir
failure exception
increase raise longer extend lengthen bump higher | decrease lower shorter reduce shorten revert
before first beforehand prior | after afterwards
enable allow | disable skip ignore forbid forbidden
start begin launch boot | stop end shut kill
mutable mutably | immutable immutably
used | unused
public exported | private internal
package dependency dependencies library
function method
argument parameter arg param
mismatch mismatched incompatible different differ differs
spec test suite
check guard verify ensure
null nil none
regenerate update refresh renew rebuild
output result
change edit modify
beside near alongside
indent indentation
refused reject rejected
executable program binary command
variable binding local
equal equality
exceeded timeout timed
eof end finished
ts2322 ts2345 ts2416 ts2559 ts2739 ts2740 ts2741 ts2769
ts2304 ts2503 ts2552 ts2580 ts2582 ts2593
ts2307 ts2732 ts2792 ts7016
ts2339 ts2353 ts2551 ts2561
ts2531 ts2532 ts2533 ts18047 ts18048 ts18049
ts2554 ts2555 ts2556
ts7005 ts7006 ts7031 ts7034
e0412 e0422 e0425 e0432 e0433
e0382 e0505 e0507
e0499 e0502
e0515 e0597 e0716
cs0029 cs0266 cs1503
cs0103 cs0234 cs0246
cs0117 cs1061
cs1501 cs7036
eacces eperm
`

/** Words of so many texts that they tell little. */
const frequent = new Set(
  "error fatal type name file cannot not could should use value test run code".split(" ").map((word) => stemOf(word))
)

interface Concept {
  readonly name: string
  readonly sign: 1 | -1
}

const concepts: ReadonlyMap<string, Concept> = new Map(
  conceptLines
    .trim()
    .split("\n")
    .flatMap((line, index) =>
      line.split("|").flatMap((side, at) =>
        side
          .trim()
          .split(" ")
          .map((word): [string, Concept] => [stemOf(word), { name: `concept ${index}`, sign: at === 0 ? 1 : -1 }])
      )
    )
)
