import { visiblePath } from "../text/Printable.ts"

/** An occurrence of a word in a file of the head side. */
export interface WordPlace {
  readonly path: string
  /** From 1. */
  readonly line: number
  readonly word: string
}

/** `src/a.ts:3, src/b.ts:8, and 2 more`: each line once, the first line of each file before the others. */
export const placesText = (places: ReadonlyArray<Pick<WordPlace, "path" | "line">>, shown = 5): string => {
  const firsts = [...Map.groupBy(places, ({ path }) => path).values()].flatMap(([first]) => first ?? [])
  const all = [...new Set([...firsts, ...places].map(({ line, path }) => `${visiblePath(path)}:${line}`))]
  const more = all.length - shown
  return `${all.slice(0, shown).join(", ")}${more > 0 ? `, and ${more} more` : ""}`
}

/** Words that are significant together: a file with fewer than `enough` of them is skipped. */
export interface WordGroup {
  readonly words: ReadonlyArray<string>
  readonly enough: number
  /** The only paths in which the words are significant. */
  readonly within?: ReadonlySet<string>
}

/** Words that are each significant alone. */
export const eachAlone = (words: ReadonlyArray<string>): ReadonlyArray<WordGroup> =>
  [...new Set(words)].map((word) => ({ words: [word], enough: 1 }))
