/** "1 file", "2 files". */
export const plural = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`

/** "a, b, c and 2 more". */
export const someNames = (names: ReadonlyArray<string>, most = 4): string => {
  const more = names.length - most
  return more > 0 ? `${names.slice(0, most).join(", ")} and ${more} more` : names.join(", ")
}
