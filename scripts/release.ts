/**
 * Builds a release: `bun scripts/release.ts VERSION [--target NAME]... [--level=-6]`, into dist/release/VERSION.
 *
 * An archive for each target, the installers, SHA256SUMS over all of them, and a bill of materials. Two runs on one
 * commit write the same bytes (docs/releasing.md). Each archive is unpacked and checked before the next one is built.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { version } from "../package.json" with { type: "json" }
import { completionScripts } from "../src/cli/completion/completions.ts"
import { build, commit } from "./compile.ts"
import { type ArchiveFile, tar, xz, zip } from "./release/archive.ts"
import { bom, notices, type Package, packagesOf } from "./release/bom.ts"
import { filled } from "./release/filled.ts"
import { launcherPackage, targetPackage } from "./release/npmPackages.ts"
import { manualPage } from "./release/reference.ts"
import { releasesUrl } from "./release/releasesUrl.ts"
import { smoke } from "./release/smoke.ts"
import { archiveOf, programOf, type ReleaseTarget, targets } from "./release/targets.ts"

const root = join(import.meta.dir, "..")

const { positionals, values: options } = parseArgs({
  allowPositionals: true,
  options: {
    target: { type: "string", multiple: true, default: targets.map(({ name }) => name) },
    /** For xz. */
    level: { type: "string", default: "-9e" }
  }
})

const stop = (words: string): never => {
  console.error(words)
  process.exit(2)
}

const source = commit()
if (positionals[0] !== version) stop(`usage: bun scripts/release.ts ${version} (the version in package.json)`)
if (source.commit === null || source.time === null) throw stop("a release is built from a git repository")
// A new file counts too: the build reads whole directories.
const status = Bun.spawnSync(["git", "-C", root, "-c", `safe.directory=${root}`, "status", "--porcelain"])
if (!status.success || status.stdout.length > 0) stop("the working tree has changes that are not committed")
const unknown = options.target.filter((name) => !targets.some((target) => target.name === name))
if (unknown.length > 0)
  stop(`unknown target ${unknown.join(", ")}; known: ${targets.map(({ name }) => name).join(", ")}`)

const time = new Date(source.time)
const directory = join(root, "dist/release", version)
rmSync(directory, { recursive: true, force: true })
mkdirSync(join(directory, "npm"), { recursive: true })

const text = (path: string): string => readFileSync(join(root, path), "utf8")

/** Everything in an archive except for what depends on its target. */
const sharedFiles: ReadonlyArray<ArchiveFile> = [
  { name: "LICENSE", content: text("LICENSE") },
  { name: "README.md", content: text("README.md") },
  { name: "daydream.1", content: await manualPage(version, source.time.slice(0, 10)) },
  { name: "completions/daydream.bash", content: completionScripts.bash },
  { name: "completions/_daydream", content: completionScripts.zsh },
  { name: "completions/daydream.fish", content: completionScripts.fish }
]

const mebibytes = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(1)} MiB`

/** Builds, packs and checks one target. Returns the packages in it. */
const release = async (target: ReleaseTarget, scratch: string): Promise<ReadonlyArray<Package>> => {
  const program = join(scratch, programOf(target))
  const packages = packagesOf(await build(program, target))
  const name = `daydream-${version}-${target.name}`
  const content = new Uint8Array(await Bun.file(program).arrayBuffer())
  const files: ReadonlyArray<ArchiveFile> = [
    { name: programOf(target), content, isProgram: true },
    ...sharedFiles,
    { name: "THIRD-PARTY-LICENSES", content: notices(packages) }
  ]
  const packed =
    target.os === "win32" ? await zip(name, files, time) : await xz(await tar(name, files, time), options.level)
  const forNpm = await targetPackage(target, files, time)
  writeFileSync(join(directory, "npm", forNpm.file), forNpm.bytes)
  const archive = join(directory, archiveOf(version, target))
  writeFileSync(archive, packed)
  const unpacking =
    target.os === "win32" ? ["unzip", "-q", archive, "-d", scratch] : ["tar", "-xf", archive, "-C", scratch]
  if (!Bun.spawnSync(unpacking).success) throw new Error(`${archive} cannot be unpacked`)
  const checked = await smoke(join(scratch, name), target, source.commit ?? "")
  console.log(`${target.name.padEnd(17)} ${mebibytes(content.length)}, packed ${mebibytes(packed.length)}: ${checked}`)
  return packages
}

let packages: ReadonlyArray<Package> = []
for (const target of targets.filter(({ name }) => options.target.includes(name))) {
  const scratch = mkdtempSync(join(tmpdir(), "dd-release-"))
  try {
    packages = await release(target, scratch)
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

writeFileSync(
  join(directory, `daydream-${version}.cdx.json`),
  `${JSON.stringify(bom(packages, source.time), null, 2)}\n`
)
for (const [installer, line] of [
  ["install.sh", "default_url=''"],
  ["install.ps1", "$defaultUrl = ''"]
] as const) {
  writeFileSync(join(directory, installer), text(installer).replace(line, line.replace("''", `'${releasesUrl ?? ""}'`)))
}

const launcher = await launcherPackage(targets, sharedFiles, time)
writeFileSync(join(directory, "npm", launcher.file), launcher.bytes)

const sha256 = (file: string): string =>
  new Bun.CryptoHasher("sha256").update(readFileSync(join(directory, file))).digest("hex")

const built = targets.filter((target) => existsSync(join(directory, archiveOf(version, target))))
const values = {
  version,
  ...(releasesUrl === null ? {} : { url: releasesUrl, homepage: releasesUrl.replace(/\/releases$/, "") }),
  ...Object.fromEntries(built.map((target) => [target.name, sha256(archiveOf(version, target))]))
}
for (const template of ["daydream.rb", "daydream.json"]) {
  const filledIn = filled(text(`templates/${template}`), values)
  if (filledIn === null)
    console.log(`${template} was not written: not all targets were built, or the releases have no address`)
  else writeFileSync(join(directory, template), filledIn)
}

const sums = [...new Bun.Glob("*").scanSync(directory)].sort().map((file) => `${sha256(file)}  ${file}\n`)
writeFileSync(join(directory, "SHA256SUMS"), sums.join(""))
console.log(`${directory}: ${sums.length} files, ${source.commit}`)
