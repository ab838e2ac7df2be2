/** The one reason why the lines of a changed file are not known, for coverage, brief and pack. */
import type { DiffFile } from "../Diff.ts"
import { pointerReason } from "./pointers.ts"

/** In bytes, of a text that is read. */
export const textLimit = 2_000_000

/** "3.0 MB, the limit is 2 MB". */
export const overLimit = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB, the limit is ${textLimit / 1e6} MB`

/** Null if they are known, and for binary files. */
export const whyUnread = ({ pointer, tooLarge, unread }: DiffFile): string | null =>
  unread ?? (pointer ? pointerReason : tooLarge === undefined ? null : `too large: ${overLimit(tooLarge)}`)
