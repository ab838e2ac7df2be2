/** Whether a lock file records the dependencies of a manifest. Each lock file is read in the form that its tool writes. */
import { Option } from "effect"
import { lockedPackageJson, type Manifest } from "./Manifest.ts"
import { parseJsonc } from "./parseJsonc.ts"

/** A lock file, and a manifest whose dependencies it may record. */
interface Pair {
  readonly text: string
  /** The folder of the manifest, relative to that of the lock file; "" for the same folder. */
  readonly folder: string
  readonly base: Manifest
}

/** Does the lock file have this dependency of the manifest in this version? */
type IsRecorded = (name: string, version: string) => boolean

/** A sample of the dependencies shows whether a lock file matches: a search in a large lock file takes a millisecond. */
const dependenciesCompared = 40

/** Null if the lock file does not record this package, or cannot be read. */
export const recordedIn = (lock: string, pair: Pair): IsRecorded | null => {
  const isRecorded = pair.text === "" ? null : (readers[lock]?.(pair) ?? null)
  const had = isRecorded === null ? [] : [...pair.base.dependencies].slice(0, dependenciesCompared)
  const known = had.filter(([name, version]) => isRecorded?.(name, version) === true)
  // A lock file that did not match the manifest before either belongs to another package, or nobody updates it.
  return known.length * 2 < had.length ? null : isRecorded
}

/** The name of a dependency that the manifest lists in sections. */
export const withoutSection = (name: string): string => name.replace(/^(?:poetry\.[\w-]+|[\w-]+)\./, "")

const inSections = (manifest: Manifest | null): IsRecorded | null =>
  manifest === null ? null : (name, version) => manifest.dependencies.get(name) === version

const matches = (text: string, pattern: string): boolean => new RegExp(pattern, "m").test(text)

const bun = ({ folder, text }: Pair): IsRecorded | null =>
  inSections(lockedPackageJson(parseJsonc(text), "workspaces", folder))

const npm = ({ folder, text }: Pair): IsRecorded | null =>
  inSections(lockedPackageJson(parseJsonc(text), "packages", folder))

const yarn =
  ({ text }: Pair): IsRecorded =>
  (name, version) =>
    /^(?:workspace|link|file|portal|patch):/.test(version) ||
    matches(text, `(?<![\\w./-])${RegExp.escape(withoutSection(name))}@(?:npm:)?${RegExp.escape(version)}(?=["',: ]|$)`)

/** The part of a workspace's package, or the whole file without a workspace. */
const pnpm = ({ folder, text }: Pair): IsRecorded | null => {
  const importer = new RegExp(
    `^  ['"]?${RegExp.escape(folder === "" ? "." : folder)}['"]?:\\n((?: {4}.*\\n|\\n)*)`,
    "m"
  )
  const part = /^importers:/m.test(text) ? importer.exec(text)?.[1] : text
  return part === undefined
    ? null
    : (name, version) =>
        matches(
          part,
          `^ +['"]?${RegExp.escape(withoutSection(name))}['"]?:\\s+(?:specifier: )?['"]?${RegExp.escape(version)}['"]?$`
        )
}

/** The part of the package itself, with the names of its dependencies. */
const cargo = ({ base, text }: Pair): IsRecorded | null => {
  const own = text
    .split(/^\[\[package\]\]$/m)
    .find((part) => matches(part, `^name = "${RegExp.escape(base.name ?? "")}"$`))
  return own === undefined ? null : (name) => matches(own, `^ "${RegExp.escape(name)}[" ]`)
}

/** The line with `/go.mod` is enough to choose versions, but not to build. */
const go =
  ({ text }: Pair): IsRecorded =>
  (name, version) =>
    matches(text, `^${RegExp.escape(`${name} ${version}`)} `)

const gem =
  ({ text }: Pair): IsRecorded =>
  (name, version) => {
    const line = new RegExp(`^  ${RegExp.escape(name)}(?: \\((.*)\\)|!)?$`, "m").exec(text)
    const has = line?.[1]?.replace(/\s/g, "").split(",") ?? []
    return line !== null && version.split(",").every((part) => part === "" || has.includes(part))
  }

/** Names are written with `-`, and parts of a version in any order. */
const uv =
  ({ text }: Pair): IsRecorded =>
  (name, requirement) => {
    const plain = RegExp.escape(withoutSection(name).replace(/[-_.]+/g, "-"))
    const version = Option.getOrElse(Option.fromNullishOr(/[<>=!~][^;@]*/.exec(requirement)?.[0]), () => "")
    const parts = (text: string) => text.replace(/\s/g, "").split(",").sort().join(",")
    return Array.from(text.matchAll(new RegExp(`\\{ name = "${plain}"([^}]*)\\}`, "g"))).some(
      ([, rest = ""]) => version === "" || parts(/specifier = "([^"]*)"/.exec(rest)?.[1] ?? "") === parts(version)
    )
  }

/** Poetry and PDM record a digest of all dependencies. */
const digest = ({ base }: Pair): IsRecorded | null => inSections(base)

const readers: Readonly<Record<string, (pair: Pair) => IsRecorded | null>> = {
  "package-lock.json": npm,
  "npm-shrinkwrap.json": npm,
  "yarn.lock": yarn,
  "pnpm-lock.yaml": pnpm,
  "bun.lock": bun,
  "Cargo.lock": cargo,
  "go.sum": go,
  "Gemfile.lock": gem,
  "uv.lock": uv,
  "poetry.lock": digest,
  "pdm.lock": digest
}
