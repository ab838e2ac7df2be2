/**
 * Where the values of a JSON text are, for edits that leave all other characters as they are. Comments, commas before a closing
 * bracket and a byte order mark are allowed, because settings files have them.
 */
export interface JsonPlace {
  readonly start: number
  readonly end: number
  /** Null in a list. */
  readonly key: string | null
  /** Where its key starts, or itself. */
  readonly from: number
  readonly kind: "object" | "list" | "single"
  /** Of an object or a list. */
  readonly members: ReadonlyArray<JsonPlace>
  /** Of anything else. */
  readonly value: unknown
}

export interface JsonPlaces {
  readonly text: string
  readonly root: JsonPlace
  /** The text with spaces for comments; of the same length. */
  readonly bare: string
}

/** Throws if the text is not JSON. */
export const jsonPlaces = (text: string): JsonPlaces => {
  const bare = text
    .replace(/^\uFEFF/, " ")
    .replaceAll(stringOrComment, (part) => (part.startsWith('"') ? part : part.replaceAll(/[^\r\n]/g, " ")))
  const strict = bare.replaceAll(stringOrLastComma, (part) => (part === "," ? " " : part))
  JSON.parse(strict)
  return { text, root: placesIn(strict), bare }
}

const stringOrComment = /"(?:[^"\\\n]|\\.)*"|\/\/[^\r\n]*|\/\*[\s\S]*?\*\//g
const stringOrLastComma = /"(?:[^"\\\n]|\\.)*"|(?<![[{,:]\s*),(?=\s*[}\]])/g
const token = /"(?:[^"\\\n]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g

interface Open extends JsonPlace {
  end: number
  readonly members: Array<JsonPlace>
}

const placesIn = (json: string): JsonPlace => {
  const whole: Open = { start: 0, end: json.length, key: null, from: 0, kind: "list", members: [], value: undefined }
  const open = [whole]
  let key: JsonPlace | undefined
  for (const { 0: part, index: start } of json.matchAll(token)) {
    const end = start + part.length
    const { members } = open.at(-1) ?? whole
    if (part === ",") continue
    if (part === ":") key = members.pop()
    else if (part === "}" || part === "]") (open.pop() ?? whole).end = end
    else {
      const kind = part === "{" ? "object" : part === "[" ? "list" : "single"
      const named = { key: key === undefined ? null : String(key.value), from: key?.start ?? start }
      const value: unknown = kind === "single" ? JSON.parse(part) : undefined
      const place: Open = { start, end, ...named, kind, members: [], value }
      key = undefined
      members.push(place)
      if (kind !== "single") open.push(place)
    }
  }
  return whole.members[0] ?? whole
}

/** The member of an object; of several with one key, the last one counts. */
export const memberOf = (place: JsonPlace | undefined, key: string): JsonPlace | undefined =>
  place?.members.findLast((member) => member.key === key)
