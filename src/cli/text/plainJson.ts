/** JSON in which nothing can act on a terminal: what could is escaped, and stays what it is. */
export const plainJson = (value: unknown, indent = 0): string =>
  JSON.stringify(value, null, indent).replaceAll(/[\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g, escaped)

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`
