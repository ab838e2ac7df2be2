/** Pointers of Git LFS: text that git stores in the place of a file, whose content is on another server. */
import type { Diff, DiffFile } from "../Diff.ts"

export const pointerReason = "a Git LFS pointer: the content of the file is not in the repository"

const longestPointer = 1_024
const pointerLine = /^(?:version https:\/\/[\w./-]+|ext-\d-\S+ \S+|oid sha256:[0-9a-f]{64}|size \d+|)$/
const isObject = (line: string): boolean => line.startsWith("oid sha256:")

export const isPointer = (bytes: Uint8Array): boolean =>
  bytes.length < longestPointer && arePointerLines(new TextDecoder().decode(bytes).split(/\r?\n/))

const arePointerLines = (lines: ReadonlyArray<string>): boolean =>
  lines.some(isObject) && lines.every((line) => pointerLine.test(line))

/** The diff without the text of pointers, which is not that of the files. `isCode`: the change of such a file is unread. */
export const withoutPointers = ({ files }: Diff, isCode: (path: string) => boolean): Diff => ({
  files: files.map((file) =>
    isPointerAfter(file)
      ? {
          ...file,
          hunks: [],
          binary: true,
          pointer: true,
          ...(file.newPath !== null && isCode(file.path) ? { unread: pointerReason } : {})
        }
      : file
  )
})

/** Of a deleted file, the text before the change. */
const isPointerAfter = ({ hunks, newPath }: DiffFile): boolean => {
  const gone = newPath === null ? "added" : "deleted"
  const lines = hunks.flatMap((hunk) => hunk.lines.filter(({ kind }) => kind !== gone))
  return lines.length < longestPointer && arePointerLines(lines.map(({ text }) => text.replace(/\r$/, "")))
}
