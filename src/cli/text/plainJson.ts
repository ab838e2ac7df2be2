import { unseen } from "../../domain/text/Printable.ts"

/** JSON with control and invisible characters escaped: every text is exact, and none has an effect on a terminal. */
export const plainJson = (value: unknown, indent = 0): string =>
  // The line breaks between the values are the only control characters.
  JSON.stringify(value, null, indent).replaceAll(unseen, (character) =>
    character === "\n" ? character : escaped(character)
  )

const escaped = (character: string): string =>
  Array.from({ length: character.length }, (_, at) => {
    return `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`
  }).join("")

export const jsonDocument = (value: unknown): string => `${plainJson(value, 2)}\n`
