/** Texts as one word of a POSIX shell. */

export const quoted = (text: string): string =>
  /^[\w./:=@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
