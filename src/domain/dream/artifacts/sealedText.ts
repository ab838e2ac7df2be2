/**
 * A file of the dream store: JSON with a content and its keyed digest. The digest is of the text of the content as it is in
 * the file. Without Effect, because `dd hook event` reads such a file.
 */
const beginning = '{"seal":"'
const middle = '","content":'
const end = "}\n"
const digits = 64

/** Bytes of a file besides its content. */
export const sealBytes = beginning.length + digits + middle.length + end.length

export const sealedText = (seal: string, content: string): string => `${beginning}${seal}${middle}${content}${end}`

/** Null if it is no sealed file. */
export const partsOfSealed = (text: string): { readonly seal: string; readonly content: string } | null => {
  const seal = text.slice(beginning.length, beginning.length + digits)
  const content = text.slice(sealBytes - end.length, -end.length)
  return sealedText(seal, content) === text ? { seal, content } : null
}
