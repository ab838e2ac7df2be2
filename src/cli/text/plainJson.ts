/** JSON with control and invisible characters escaped. */
export const plainJson = (value: unknown, indent = 0): string =>
  JSON.stringify(value, null, indent).replaceAll(/[\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g, escaped)

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`

/** A JSON document for people and programs. */
export const jsonDocument = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`
