/**
 * The packages for npm: one for each target with its program, and `daydream-review`, which depends on all of them and starts the
 * one that npm has installed. None has an install script.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { description, license, version } from "../../package.json" with { type: "json" }
import { type ArchiveFile, tar } from "./archive.ts"
import { programOf, type ReleaseTarget } from "./targets.ts"

const name = "daydream-review"

export type NpmPackage = { readonly file: string; readonly bytes: Uint8Array }

const common = { version, description, license, engines: { node: ">=18" } }

const packed = async (manifest: { readonly name: string }, files: ReadonlyArray<ArchiveFile>, mtime: Date) => ({
  file: `${manifest.name}-${version}.tgz`,
  bytes: Bun.gzipSync(
    await tar("package", [{ name: "package.json", content: `${JSON.stringify(manifest, null, 2)}\n` }, ...files], mtime)
  )
})

/** `files`: those of the archive for this target. */
export const targetPackage = (
  target: ReleaseTarget,
  files: ReadonlyArray<ArchiveFile>,
  time: Date
): Promise<NpmPackage> => {
  const manifest = {
    name: `${name}-${target.name}`,
    ...common,
    os: [target.os],
    cpu: [target.cpu],
    ...(target.libc === undefined ? {} : { libc: [target.libc] })
  }
  const wanted = [programOf(target), "LICENSE", "README.md", "THIRD-PARTY-LICENSES"]
  return packed(
    manifest,
    files.filter((file) => wanted.includes(file.name)),
    time
  )
}

export const launcherPackage = (
  targets: ReadonlyArray<ReleaseTarget>,
  files: ReadonlyArray<ArchiveFile>,
  time: Date
): Promise<NpmPackage> => {
  const manifest = {
    name,
    ...common,
    bin: { daydream: "daydream.cjs" },
    optionalDependencies: Object.fromEntries(targets.map((target) => [`${name}-${target.name}`, version]))
  }
  const launcher = {
    name: "daydream.cjs",
    content: readFileSync(join(import.meta.dir, "launcher.cjs")),
    isProgram: true
  }
  return packed(manifest, [launcher, ...files.filter((file) => ["LICENSE", "README.md"].includes(file.name))], time)
}
