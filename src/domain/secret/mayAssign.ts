/** False for most words of a text: no assignment can follow. */
export const mayAssign = (text: string, start: number, end: number): boolean => {
  let at = end
  while (text.charCodeAt(at) === 32 && at < end + 8) at++
  if (at === end && text[start] !== "-") return "\t\n\"'`\\],:=>?|!".includes(text[at] ?? "-") || isCalledWith(text, at)
  return "\n:=?|\"',*[!<o".includes(text[at] ?? "-") || text.startsWith("-", start) || isTypeName(text, at)
}

/** `setPassword("…`, `password.equals("…` */
const isCalledWith = (text: string, at: number): boolean =>
  text[at] === "(" ? "\"'` ".includes(text[at + 1] ?? "-") : text.startsWith(".eq", at)

const isTypeName = (text: string, at: number): boolean =>
  "sbvtVT".includes(text[at] ?? "-") && /^(?:string|byte|varchar|text)/i.test(text.slice(at, at + 7))
