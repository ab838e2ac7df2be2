/** False for most words of a text: no assignment can follow. */
export const mayAssign = (text: string, start: number, end: number): boolean => {
  let at = end
  while (text.charCodeAt(at) === 32 && at < end + 8) at++
  if (at === end && text[start] !== "-") return "\t\n\"'`\\],:=>?|".includes(text[at] ?? "-")
  return "\n:=?|\"',*[".includes(text[at] ?? "-") || text.startsWith("-", start) || isTypeName(text, at)
}

const isTypeName = (text: string, at: number): boolean =>
  "sbvtVT".includes(text[at] ?? "-") && /^(?:string|byte|varchar|text)/i.test(text.slice(at, at + 7))
