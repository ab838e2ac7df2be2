/**
 * What of a session may be shown to another one: names that cannot be read as a sentence. Of a path that could be read as one,
 * only the part that cannot.
 */
import { nameParts } from "../../text/foldersAbove.ts"

const plain = /^[\p{L}\p{N}_./:@+()[\]~$=,-]+$/u
const longest = 120

/** A path without spaces: no sentence. */
export const isPlainPath = (path: string): boolean => path.length <= longest && plain.test(path)

/** A path for the notes. Its middle is left out if it is long, and its name if that has blanks or unusual characters. */
export const shownPath = (path: string): string => {
  if (isPlainPath(path)) return path
  const parts = path.split("/")
  const unusual = parts.findIndex((part) => !plain.test(part) || part.length > longest)
  if (unusual < 0) return `${shortFolder(parts.slice(0, -1))}${parts.at(-1)}`
  const { ending } = nameParts(path)
  const kind = /^[A-Za-z0-9]{1,8}$/.test(ending) ? `a .${ending} file` : "a file"
  return `${shortFolder(parts.slice(0, unusual))}… (${kind} with a long or unusual path)`
}

/** With a slash at the end; the beginning and the end of a long one. */
const shortFolder = (parts: ReadonlyArray<string>): string => {
  const whole = parts.map((part) => `${part}/`).join("")
  return whole.length <= longest ? whole : `${whole.slice(0, longest / 2)}…${whole.slice(-longest / 2)}`
}

/** A program with at most two words, each without spaces and quotes. */
export const isPlainCommand = (family: string): boolean =>
  family.length <= 80 && /^[a-z][\w.+-]*(?: [\w./:@+-]+){0,2}$/.test(family)

/** A family with options without values, paths, and at most one short word: no sentence, and no secret. */
export const isPlainLine = (command: string, family: string): boolean => {
  if (command.length > 80 || !command.startsWith(`${family} `)) return false
  const others = command
    .slice(family.length + 1)
    .split(" ")
    .filter((word) => !/^--?[A-Za-z][A-Za-z-]{0,30}$/.test(word) && !/^[\w@.-]{0,20}(?:[/.][\w@-]{1,20})+$/.test(word))
  return others.length === 0 || (others.length === 1 && /^[a-z][a-z0-9-]{0,19}$/.test(others[0]!))
}

/** The trigger of an error, if the form of its code leaves no room for words, or if it is a name that languages define. */
export const plainTrigger = (trigger: string | null): string | null => {
  const code = trigger?.split(":").at(-1) ?? ""
  return /^(?:[A-Z]{1,5}\d{2,5}|E[A-Z]{3,10})$/.test(code) || standardErrors.has(code) ? trigger : null
}

const standardErrors = new Set(
  [
    "TypeError ReferenceError SyntaxError RangeError EvalError URIError AggregateError AssertionError",
    "ValueError KeyError IndexError NameError AttributeError ImportError ModuleNotFoundError IndentationError OSError",
    "FileNotFoundError PermissionError RuntimeError NotImplementedError ZeroDivisionError UnicodeDecodeError RecursionError",
    "NullPointerException IllegalArgumentException IllegalStateException ClassCastException IndexOutOfBoundsException",
    "NoSuchElementException UnsupportedOperationException IOException RuntimeException NoMethodError ArgumentError"
  ].flatMap((names) => names.split(" "))
)
