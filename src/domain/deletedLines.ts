/** What a change takes away anywhere, to tell what is new from what only moved. Pure. */
import type { Diff } from "./Diff.ts"

export interface DeletedLines {
  /** Does a deleted line that looks like a definition have this name? */
  readonly defines: (name: string) => boolean
  /** Were at least half of these lines, indentation aside, deleted somewhere? */
  readonly holdsMostOf: (lines: ReadonlyArray<string>) => boolean
}

const definition =
  /\b(?:defp?|func|fn|function|const|let|static|public|private|protected|export|async|void)\b|^\w+\s*\(.*\{$/
const longestDefinition = 400

export const deletedLines = ({ files }: Diff): DeletedLines => {
  const texts = new Set<string>()
  for (const { hunks } of files) {
    for (const { lines } of hunks) for (const { kind, text } of lines) if (kind === "deleted") texts.add(text.trim())
  }
  const words = new Set(
    [...texts]
      .filter((text) => text.length < longestDefinition && definition.test(text))
      .flatMap((text) => text.match(/[\w$]+[?!]?/g) ?? [])
  )
  return {
    defines: (name) => words.has(name),
    holdsMostOf: (lines) => {
      const telling = lines.map((text) => text.trim()).filter((text) => text.length > 3 && /\w{2}/.test(text))
      return telling.filter((text) => texts.has(text)).length * 2 >= telling.length
    }
  }
}
