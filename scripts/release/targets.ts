/** The systems that a release has an archive for, and what npm, Homebrew and Scoop call them. */
import type { Target } from "../compile.ts"

export type ReleaseTarget = Target & {
  readonly runtime: Bun.Build.CompileTarget
  /** As in `process.platform` and `process.arch`. */
  readonly os: "darwin" | "linux" | "win32"
  readonly cpu: "arm64" | "x64"
  /** Linux only. */
  readonly libc?: "glibc" | "musl"
  /** How a file of this target begins, as a pattern on its first bytes in Latin-1. */
  readonly format: RegExp
}

const elf = (machine: string) => new RegExp(`^\\x7fELF\\x02\\x01[\\s\\S]{12}${machine}`)
const machO = (cpu: string) => new RegExp(`^\\xcf\\xfa\\xed\\xfe${cpu}`)
const [elfX64, elfArm64] = [elf("\\x3e\\x00"), elf("\\xb7\\x00")]

/**
 * x64 uses the runtime for processors without AVX2, so that one archive runs everywhere. In Bun 1.4.5 it is the same file
 * as the other one.
 */
export const targets: ReadonlyArray<ReleaseTarget> = [
  { name: "linux-x64", runtime: "bun-linux-x64-baseline", os: "linux", cpu: "x64", libc: "glibc", format: elfX64 },
  { name: "linux-arm64", runtime: "bun-linux-arm64", os: "linux", cpu: "arm64", libc: "glibc", format: elfArm64 },
  {
    name: "linux-x64-musl",
    runtime: "bun-linux-x64-baseline-musl",
    os: "linux",
    cpu: "x64",
    libc: "musl",
    format: elfX64
  },
  {
    name: "linux-arm64-musl",
    runtime: "bun-linux-arm64-musl",
    os: "linux",
    cpu: "arm64",
    libc: "musl",
    format: elfArm64
  },
  {
    name: "darwin-x64",
    runtime: "bun-darwin-x64-baseline",
    os: "darwin",
    cpu: "x64",
    format: machO("\\x07\\x00\\x00\\x01")
  },
  {
    name: "darwin-arm64",
    runtime: "bun-darwin-arm64",
    os: "darwin",
    cpu: "arm64",
    format: machO("\\x0c\\x00\\x00\\x01")
  },
  {
    name: "windows-x64",
    runtime: "bun-windows-x64-baseline",
    os: "win32",
    cpu: "x64",
    format: /^MZ[\s\S]*?PE\0\0\x64\x86/
  },
  {
    name: "windows-arm64",
    runtime: "bun-windows-arm64",
    os: "win32",
    cpu: "arm64",
    format: /^MZ[\s\S]*?PE\0\0\x64\xaa/
  }
]

/** The name of the program in a release for this target. */
export const programOf = ({ os }: ReleaseTarget): string => (os === "win32" ? "daydream.exe" : "daydream")

/** The name of the archive, and of the one directory in it with an ending. */
export const archiveOf = (version: string, { name, os }: ReleaseTarget): string =>
  `daydream-${version}-${name}.${os === "win32" ? "zip" : "tar.xz"}`
