/**
 * The bytes of a file that is imported `with { type: "file" }`. `scripts/compile.ts` compresses the large ones, so a program opens only
 * those that it needs; when dd runs from its sources, they are as their package has them.
 */
// @effect-diagnostics-next-line asyncFunction:off
export const embeddedFile = async (path: string): Promise<Uint8Array<ArrayBuffer>> => {
  const bytes = await Bun.file(path).bytes()
  return zstandard.every((byte, at) => bytes[at] === byte) ? new Uint8Array(Bun.zstdDecompressSync(bytes)) : bytes
}

const zstandard = [0x28, 0xb5, 0x2f, 0xfd]
