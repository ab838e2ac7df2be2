/**
 * The Swift grammar with memory for its scanner's state.
 *
 * As published, its scanner allocates `calloc(0, 4)` bytes and stores its state in them, in memory that belongs to
 * something else. The tree of a text then depends on what was parsed before it. The count becomes 1.
 */

/** `i32.const 0, i32.const 4, call calloc, end` */
const published = [0x41, 0x00, 0x41, 0x04, 0x10, 0x80, 0x80, 0x80, 0x80, 0x00, 0x0b]
const count = 1

/** Returns any other build of the grammar unchanged. */
export const withScannerState = (grammar: Uint8Array): Uint8Array => {
  const code = Buffer.from(grammar)
  const at = code.indexOf(Buffer.from(published))
  if (at === -1 || code.indexOf(Buffer.from(published), at + 1) !== -1) return grammar
  code[at + count] = 1
  return code
}
