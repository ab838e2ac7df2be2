/** The diff that git would print for a new file, built without git: for untracked files. */
import { Result } from "effect"
import { concatBytes } from "../text/concatBytes.ts"
import { quotePath } from "../text/quotePath.ts"
import { parseDiff } from "./parseDiff.ts"

interface NewFile {
  readonly path: string
  /** 100644, 100755 or 120000. */
  readonly mode: string
  /** Null if the content is not shown, because it is binary, too large or unreadable. */
  readonly content: Uint8Array | null
}

const encoder = new TextEncoder()

export const creationPatch = ({ path, mode, content }: NewFile): Uint8Array => {
  const head = `diff --git ${quotePath(`a/${path}`)} ${quotePath(`b/${path}`)}\nnew file mode ${mode}\n`
  const name = quotePath(`b/${path}`)
  if (content === null || isBinary(content)) return encoder.encode(`${head}Binary files /dev/null and ${name} differ\n`)
  if (content.length === 0) return encoder.encode(head)
  const starts: Array<number> = [0]
  for (let at = content.indexOf(10); at >= 0 && at + 1 < content.length; at = content.indexOf(10, at + 1)) {
    starts.push(at + 1)
  }
  // As in git's output, a tab marks the end of a name with a space.
  const tab = name.includes(" ") ? "\t" : ""
  const count = starts.length === 1 ? "1" : `1,${starts.length}`
  const opening = encoder.encode(`${head}--- /dev/null\n+++ ${name}${tab}\n@@ -0,0 +${count} @@\n`)
  const closing =
    content[content.length - 1] === 10 ? new Uint8Array() : encoder.encode("\n\\ No newline at end of file\n")
  const patch = new Uint8Array(opening.length + content.length + starts.length + closing.length)
  patch.set(opening)
  let offset = opening.length
  starts.forEach((start, index) => {
    patch[offset++] = 43
    const line = content.subarray(start, starts[index + 1] ?? content.length)
    patch.set(line, offset)
    offset += line.length
  })
  patch.set(closing, offset)
  return patch
}

/** Git's own rule: a NUL byte among the first 8,000. */
export const isBinary = (content: Uint8Array): boolean => content.subarray(0, 8000).includes(0)

/** A patch that adds these files, and its diff. Fails only for a path that a patch cannot contain. */
export const addedFiles = (files: ReadonlyMap<string, Uint8Array>) => {
  const patch = concatBytes([...files].map(([path, content]) => creationPatch({ path, mode: "100644", content })))
  return Result.map(parseDiff(patch), (diff) => ({ patch, diff }))
}
