/**
 * The software bill of materials of a release, in CycloneDX 1.6: the packages with a file in the program, and Bun. Versions and hashes
 * are those of bun.lock.
 */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { devDependencies, name, license as ownLicense, version as ownVersion } from "../../package.json" with {
  type: "json"
}

const root = join(import.meta.dir, "../..")

/** As bun.lock has it: `name@version`, a registry, what it depends on, and a hash. */
type Locked = readonly [
  id: string,
  registry: string,
  more: { dependencies?: Record<string, string> },
  integrity: string
]

export type Package = {
  readonly name: string
  readonly version: string
  readonly license: string
  /** SHA-512, in hexadecimal. */
  readonly hash: string
  /** The license files of the package, as they are. */
  readonly notices: ReadonlyArray<string>
}

/** The packages with a file among these inputs of a build, sorted by name. */
export const packagesOf = (inputs: ReadonlyArray<string>): ReadonlyArray<Package> => {
  const lock: { packages: Record<string, Locked> } = Bun.JSONC.parse(
    readFileSync(join(root, "bun.lock"), "utf8")
  ) as never
  // Some inputs are named by their absolute path.
  const folders = inputs.flatMap(
    (input) => /node_modules\/(?:.*node_modules\/)?(?:@[^/]+\/)?[^/]+/.exec(input)?.[0] ?? []
  )
  const packages = [...new Set(folders)].sort().map((folder): Package => {
    const locked = lock.packages[folder.split("node_modules/").slice(1).join("")]
    if (locked === undefined) throw new Error(`bun.lock has no ${folder}`)
    const at = locked[0].lastIndexOf("@")
    const manifest: { license?: string } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"))
    return {
      name: locked[0].slice(0, at),
      version: locked[0].slice(at + 1),
      license: manifest.license ?? "NOASSERTION",
      hash: Buffer.from(locked[3].replace("sha512-", ""), "base64").toString("hex"),
      notices: readdirSync(join(root, folder))
        .filter((file) => /^(?:licen[cs]e|notice|copying)/i.test(file))
        .sort()
        .map((file) => readFileSync(join(root, folder, file), "utf8").trim())
    }
  })
  // Two packages may each have the same third one below them.
  return [...new Map(packages.map((each) => [`${each.name}@${each.version}`, each])).values()]
}

export const bom = (packages: ReadonlyArray<Package>, time: string): object => {
  const ref = (packageName: string, version: string) => `pkg:npm/${packageName.replace("@", "%40")}@${version}`
  const dd = `pkg:generic/${name}@${ownVersion}`
  const components = [
    ...packages.map(({ hash, license, name: packageName, version }) => ({
      type: "library",
      "bom-ref": ref(packageName, version),
      name: packageName,
      version,
      hashes: [{ alg: "SHA-512", content: hash }],
      licenses: licensesOf(license),
      purl: ref(packageName, version)
    })),
    {
      type: "platform",
      "bom-ref": ref("bun", devDependencies.bun),
      name: "bun",
      version: devDependencies.bun,
      licenses: licensesOf("MIT"),
      purl: ref("bun", devDependencies.bun)
    }
  ]
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: {
      timestamp: time,
      component: {
        type: "application",
        "bom-ref": dd,
        name,
        version: ownVersion,
        licenses: licensesOf(ownLicense),
        purl: dd
      }
    },
    components,
    dependencies: [{ ref: dd, dependsOn: components.map((component) => component["bom-ref"]) }]
  }
}

const licensesOf = (license: string) =>
  /^[\w.-]+$/.test(license) && license !== "NOASSERTION"
    ? [{ license: { id: license } }]
    : [{ license: { name: license } }]

/** The licenses of what is in the program: most ask for their text to be part of each copy. */
export const notices = (packages: ReadonlyArray<Package>): string =>
  [
    `dd contains the following software. Bun, which it is built on, lists the licenses of its own parts in its LICENSE.md.`,
    ...packages.map((each) =>
      `${"-".repeat(80)}\n${each.name} ${each.version} (${each.license})\n\n${each.notices.join("\n\n")}`.trimEnd()
    )
  ].join("\n\n")
