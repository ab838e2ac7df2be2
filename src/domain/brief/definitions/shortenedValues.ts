/** The most characters of a value in a brief. */
export const mostOfValue = 80
/** Characters before the first difference of two long values. */
const shownBefore = 20

/** Both values of a change, so that their first difference is seen. Pure. */
export const shortenedValues = <A extends { readonly before: string | null; readonly after: string | null }>(
  change: A
): A => {
  const { after, before } = change
  const start = differenceIn(before ?? "", after ?? "") - shownBefore
  const shown = (text: string | null): string | null => {
    if (text === null || text.length <= mostOfValue) return text
    const rest = start + shownBefore < mostOfValue ? text : `…${text.slice(start)}`
    return rest.length > mostOfValue ? `${rest.slice(0, mostOfValue - 1)}…` : rest
  }
  return { ...change, before: shown(before), after: shown(after) }
}

const differenceIn = (before: string, after: string): number => {
  let at = 0
  while (at < before.length && before[at] === after[at]) at++
  return at
}
