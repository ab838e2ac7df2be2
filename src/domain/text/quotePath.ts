/** Paths in the form of git (C-quoted if necessary), and as text. */

const encoder = new TextEncoder()
const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** Null for bytes that are not UTF-8. */
export const utf8Text = (bytes: Uint8Array): string | null => {
  try {
    return strict.decode(bytes)
  } catch {
    return null
  }
}

const sequenceLength = (first: number): number =>
  first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0

/** As text; each byte that is not valid UTF-8 becomes `\xHH`. */
export const bytesText = (bytes: Uint8Array): string => {
  const whole = utf8Text(bytes)
  if (whole !== null) return whole
  let text = ""
  for (let at = 0; at < bytes.length; ) {
    const length = sequenceLength(bytes[at]!)
    const valid = length === 0 || at + length > bytes.length ? null : utf8Text(bytes.subarray(at, at + length))
    text += valid ?? `\\x${bytes[at]!.toString(16).padStart(2, "0")}`
    at += valid === null ? 1 : length
  }
  return text
}

/** The path as text: a byte that is not UTF-8 is `\xHH`, and a backslash that would be read as such a form is `\x5c`. */
export const pathText = (bytes: Uint8Array): string =>
  bytesText(bytes.includes(backslash) ? Uint8Array.from(escapedForms(bytes)) : bytes)

function* escapedForms(bytes: Uint8Array): Generator<number> {
  for (const [at, byte] of bytes.entries()) {
    yield byte
    if (byte === backslash && isForm.test(String.fromCharCode(...bytes.subarray(at, at + 4))))
      yield* encoder.encode("x5c")
  }
}

const backslash = 92
const isForm = /^\\x(?:5c|[89a-f][0-9a-f])/

/** The bytes of a path: the inverse of `pathText`. */
export const pathBytes = (path: string): Uint8Array => {
  const parts = path.split(/\\x(5c|[89a-f][0-9a-f])/)
  if (parts.length === 1) return encoder.encode(path)
  const bytes: Array<number> = []
  parts.forEach((part, index) => {
    if (index % 2 === 1) bytes.push(Number.parseInt(part, 16))
    else for (const byte of encoder.encode(part)) bytes.push(byte)
  })
  return Uint8Array.from(bytes)
}

/** The path as a file system takes it; null if it has bytes that are not UTF-8. */
export const namedOnDisk = (path: string): string | null => utf8Text(pathBytes(path))

const named: Record<string, number> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13, '"': 34, "\\": 92 }
const escapes = new Map(Object.entries(named).map(([letter, byte]) => [byte, letter]))

/** The quoted name at the start of a text, and its length in the text; null if there is none. */
export const unquotePath = (text: string): { readonly path: string; readonly length: number } | null => {
  if (text.charCodeAt(0) !== 34) return null
  const bytes: Array<number> = []
  let plainFrom = 1
  const flush = (end: number) => {
    if (end > plainFrom) for (const byte of encoder.encode(text.slice(plainFrom, end))) bytes.push(byte)
  }
  for (let at = 1; at < text.length; at++) {
    const char = text[at]!
    if (char === '"') {
      flush(at)
      return { path: pathText(Uint8Array.from(bytes)), length: at + 1 }
    }
    if (char !== "\\") continue
    // Git has no `\xHH`: it is a byte that `bytesText` could not read.
    const [code] = /^[0-3][0-7]{2}|^x[89a-f][0-9a-f]/.exec(text.slice(at + 1, at + 4)) ?? []
    const byte =
      code === undefined
        ? named[text[at + 1] ?? ""]
        : Number.parseInt(code.replace("x", "0x"), code.startsWith("x") ? 16 : 8)
    if (byte === undefined) continue
    flush(at)
    bytes.push(byte)
    at += code === undefined ? 1 : 3
    plainFrom = at + 1
  }
  return null
}

/** The words of a line between blanks and tabs; one in quotes is a name in git's form. */
export const gitWords = (
  line: string
): ReadonlyArray<{ readonly word: string; readonly start: number; readonly end: number }> =>
  Array.from(line.matchAll(/"(?:[^"\\]|\\.)*"(?![^ \t\r])|[^ \t\r]+/g), ({ 0: word, index: start }) => ({
    word: unquotePath(word)?.path ?? word,
    start,
    end: start + word.length
  }))

/** The path in git's form with `core.quotePath`: quoted only if necessary. */
export const quotePath = (path: string): string => {
  const bytes = pathBytes(path)
  if (bytes.every((byte) => byte >= 32 && byte < 127 && byte !== 34 && byte !== 92)) return path
  let quoted = ""
  for (const byte of bytes) {
    const letter = escapes.get(byte)
    if (letter !== undefined) quoted += `\\${letter}`
    else if (byte < 32 || byte >= 127) quoted += `\\${byte.toString(8).padStart(3, "0")}`
    else quoted += String.fromCharCode(byte)
  }
  return `"${quoted}"`
}
