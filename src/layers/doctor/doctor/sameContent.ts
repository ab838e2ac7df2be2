/** Whether two files have the same bytes, without reading more than the first difference needs. */
import { closeSync, openSync, readSync, statSync } from "node:fs"

const pieceBytes = 1 << 20

export const sameContent = (one: string, other: string): boolean => {
  try {
    if (statSync(one).size !== statSync(other).size) return false
    const open = [openSync(one, "r"), openSync(other, "r")]
    const pieces = open.map(() => Buffer.alloc(pieceBytes))
    try {
      for (;;) {
        const [first, second] = open.map((file, at) => pieces[at]!.subarray(0, readSync(file, pieces[at]!)))
        if (!first!.equals(second!)) return false
        if (first!.length === 0) return true
      }
    } finally {
      open.forEach(closeSync)
    }
  } catch {
    // A file that cannot be read is not known to be the same.
    return false
  }
}
