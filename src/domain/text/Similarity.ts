/**
 * How alike two short sentences are, by their letters: no model, no dictionary, the same everywhere.
 *
 * Source: reference §3.9. Words that carry no meaning and punctuation do not count.
 */

const stopWords = new Set(["the", "a", "an", "is", "on", "in", "of", "to", "for", "and", "or", "with", "by"])

/** Two sentences at or above this are about the same thing. */
export const threshold = 0.5

/** Lower case, only a-z, 0-9 and single spaces, no stop words. */
export const normaliseTitle = (title: string): string =>
  title
    .toLowerCase()
    .replace(/[^a-z0-9\s]+/g, " ")
    .split(/\s+/)
    .filter((word) => word !== "" && !stopWords.has(word))
    .join(" ")

/** The pairs of neighbouring letters of a normalised title; one letter stands for itself. */
export const bigrams = (title: string): ReadonlySet<string> => {
  const text = normaliseTitle(title)
  if (text.length < 2) return new Set(text === "" ? [] : [text])
  const pairs = new Set<string>()
  for (let i = 0; i + 1 < text.length; i++) pairs.add(text.slice(i, i + 2))
  return pairs
}

/** Shared pairs by all pairs, 0..1; two empty sets are not alike. */
export const jaccard = (a: ReadonlySet<string>, b: ReadonlySet<string>): number => {
  let shared = 0
  for (const pair of a) if (b.has(pair)) shared++
  const all = a.size + b.size - shared
  return all === 0 ? 0 : shared / all
}

export const similarity = (a: string, b: string): number => jaccard(bigrams(a), bigrams(b))
