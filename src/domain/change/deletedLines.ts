/** The lines that a change deletes in any file that was reviewed, to tell new code from moved code. */
import { type Diff, isReviewedBefore } from "./Diff.ts"

export interface DeletedLines {
  /** Was this line, indentation aside, deleted somewhere? */
  readonly has: (line: string) => boolean
  /** Does a deleted line that looks like a definition have this name? */
  readonly defines: (name: string) => boolean
  /** Were at least half of these lines, indentation aside, deleted somewhere? */
  readonly hasMostOf: (lines: ReadonlyArray<string>) => boolean
}

const definition =
  /\b(?:defp?|func|fn|function|const|let|static|public|private|protected|export|async|void)\b|^\w+\s*\(.*\{$/
const longestDefinition = 400

export const deletedLines = ({ files }: Diff): DeletedLines => {
  let known: { readonly texts: ReadonlySet<string>; readonly words: ReadonlySet<string> } | null = null
  // Computed on demand: most changes need none of it.
  const collected = () => {
    known ??= collect(files)
    return known
  }
  return {
    has: (line) => collected().texts.has(line.trim()),
    defines: (name) => collected().words.has(name),
    hasMostOf: (lines) => {
      const { texts } = collected()
      const significant = lines.map((text) => text.trim()).filter((text) => text.length > 3 && /\w{2}/.test(text))
      return significant.filter((text) => texts.has(text)).length * 2 >= significant.length
    }
  }
}

const collect = (files: Diff["files"]) => {
  const texts = new Set<string>()
  for (const { hunks } of files.filter(isReviewedBefore)) {
    for (const { lines } of hunks) for (const { kind, text } of lines) if (kind === "deleted") texts.add(text.trim())
  }
  const words = new Set<string>()
  for (const text of texts) {
    if (text.length >= longestDefinition || !definition.test(text)) continue
    for (const word of text.match(/[\w$]+[?!]?/g) ?? []) words.add(word)
  }
  return { texts, words }
}
