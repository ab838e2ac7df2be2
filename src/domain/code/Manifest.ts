/**
 * The dependencies in a manifest that its lock file must match.
 *
 * Each manifest is read in the form that its own tools write. The result is null for a text that cannot be read; then
 * there are no findings about it.
 */
import { Result } from "effect"
import { Toml } from "effect/encoding"

export interface Manifest {
  /** The package's own name, if the manifest has one. */
  readonly name: string | null
  /** The part that the lock file records, by name; if it is equal on both sides, the lock file need not change. */
  readonly dependencies: ReadonlyMap<string, string>
  /** The required versions by the same names, where the lock file does not record them. */
  readonly versions?: ReadonlyMap<string, string>
  /** Other requirements by name, which no lock file records: peers, tools, the language itself. */
  readonly others?: ReadonlyMap<string, string>
  /** Dependencies of dependencies: the lock file may have had them before the manifest listed them. */
  readonly indirect: ReadonlySet<string>
}

const none: ReadonlySet<string> = new Set()

interface Ecosystem {
  readonly manifest: string
  /** Lock files that record this manifest, in the order of preference. */
  readonly locks: ReadonlyArray<string>
  readonly read: (text: string) => Manifest | null
}

const fileName = (path: string): string => path.slice(path.lastIndexOf("/") + 1)

/** The manifest and its locks by the path's file name; null for other files. */
export const ecosystemOf = (path: string): Ecosystem | null =>
  ecosystems.find(({ manifest }) => manifest === fileName(path)) ?? null

type Table = Readonly<Record<string, unknown>>

const isTable = (value: unknown): value is Table =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date)

const tableAt = (table: unknown, ...keys: ReadonlyArray<string>): Table => {
  let at: unknown = table
  for (const key of keys) at = isTable(at) && Object.hasOwn(at, key) ? at[key] : undefined
  return isTable(at) ? at : {}
}

const json = (text: string): unknown =>
  Result.getOrNull(Result.try((): unknown => JSON.parse(text.startsWith("\ufeff") ? text.slice(1) : text)))

const toml = (text: string): Table | null => Result.getOrNull(Toml.parse(text))

const nameIn = (table: Table): string | null => (typeof table.name === "string" ? table.name : null)

/** Without peer dependencies: not every package manager records them. */
const packageJson = (text: string): Manifest | null => {
  const root = json(text)
  if (!isTable(root)) return null
  const dependencies = new Map<string, string>()
  for (const section of ["dependencies", "devDependencies", "optionalDependencies"]) {
    for (const [name, version] of Object.entries(tableAt(root, section))) {
      if (typeof version === "string") dependencies.set(`${section}.${name}`, version)
    }
  }
  const others = new Map<string, string>()
  for (const section of ["overrides", "resolutions", "peerDependencies", "engines"]) {
    for (const [name, version] of Object.entries(tableAt(root, section))) {
      if (typeof version === "string") others.set(`${section}.${name}`, version)
    }
  }
  return { name: nameIn(root), dependencies, others, indirect: none }
}

/** Names only: Cargo.lock does not record requirements, so a changed requirement may still be met. */
const cargoToml = (text: string): Manifest | null => {
  const root = toml(text)
  if (root === null) return null
  const dependencies = new Map<string, string>()
  const versions = new Map<string, string>()
  const targets = Object.values(tableAt(root, "target")).filter(isTable)
  for (const section of ["dependencies", "dev-dependencies", "build-dependencies"]) {
    for (const holder of [root, ...targets]) {
      for (const [name, wanted] of Object.entries(tableAt(holder, section))) {
        const crate = isTable(wanted) && typeof wanted.package === "string" ? wanted.package : name
        dependencies.set(crate, "")
        const version = isTable(wanted) ? wanted.version : wanted
        if (typeof version === "string") versions.set(crate, version)
      }
    }
  }
  const others = new Map(
    Object.entries(tableAt(root, "workspace", "dependencies")).map(([name, wanted]) => [
      name,
      isTable(wanted) ? JSON.stringify(wanted) : String(wanted)
    ])
  )
  return { name: nameIn(tableAt(root, "package")), dependencies, versions, others, indirect: none }
}

const requirements = (list: unknown): ReadonlyArray<string> =>
  Array.isArray(list) ? list.filter((item) => typeof item === "string") : []

const requirementName = (requirement: string): string =>
  (/^[A-Za-z0-9._-]+/.exec(requirement.trim())?.[0] ?? requirement).toLowerCase()

/** The project's own tables (PEP 621, PEP 735) and Poetry's. */
const pyproject = (text: string): Manifest | null => {
  const root = toml(text)
  if (root === null) return null
  const dependencies = new Map<string, string>()
  const addAll = (section: string, list: unknown) => {
    for (const requirement of requirements(list)) {
      dependencies.set(`${section}.${requirementName(requirement)}`, requirement.replace(/\s/g, ""))
    }
  }
  addAll("dependencies", tableAt(root, "project").dependencies)
  for (const [extra, list] of Object.entries(tableAt(root, "project", "optional-dependencies"))) addAll(extra, list)
  for (const [group, list] of Object.entries(tableAt(root, "dependency-groups"))) addAll(group, list)
  const poetry = tableAt(root, "tool", "poetry")
  const groups = Object.entries(tableAt(poetry, "group")).map(
    ([name, group]) => [name, tableAt(group, "dependencies")] as const
  )
  const sections = [
    ["main", tableAt(poetry, "dependencies")],
    ["dev", tableAt(poetry, "dev-dependencies")],
    ...groups
  ] as const
  for (const [section, table] of sections) {
    for (const [name, wanted] of Object.entries(table))
      dependencies.set(`poetry.${section}.${name}`, JSON.stringify(wanted))
  }
  const python = tableAt(root, "project")["requires-python"]
  const tools = [
    ...requirements(tableAt(root, "build-system").requires),
    ...requirements(tableAt(root, "tool", "uv")["dev-dependencies"])
  ]
  const others = new Map(tools.map((each) => [`others.${requirementName(each)}`, each.replace(/\s/g, "")]))
  if (typeof python === "string") others.set("others.requires-python", python)
  return { name: nameIn(tableAt(root, "project")) ?? nameIn(poetry), dependencies, others, indirect: none }
}

/** Required modules with their versions; a module replaced by a local folder needs no checksum. */
const goMod = (text: string): Manifest => {
  const dependencies = new Map<string, string>()
  const indirect = new Set<string>()
  const replaced = new Set<string>()
  const others = new Map<string, string>()
  let block = ""
  for (const line of text.split("\n")) {
    const code = line.replace(/\/\/.*$/, "").trim()
    const opened = /^(require|replace|exclude|retract|tool|ignore)\s*\($/.exec(code)
    if (opened !== null) block = opened[1]!
    else if (code === ")") block = ""
    const entry = /^(require|replace)\s+(\S.*)$/.exec(code)
    const kind = entry?.[1] ?? block
    const rest = (entry?.[2] ?? code).split(/\s+/)
    if (kind === "require" && rest.length === 2) {
      dependencies.set(rest[0]!, rest[1]!)
      if (/\/\/\s*indirect\b/.test(line)) indirect.add(rest[0]!)
    }
    if (kind === "replace" && /=>\s*\.{0,2}\//.test(code)) replaced.add(rest[0]!)
    const [module, version] = kind === "replace" ? rest.slice(rest.indexOf("=>") + 1) : []
    if (module !== undefined && version !== undefined) others.set(module, version)
  }
  for (const module of replaced) dependencies.delete(module)
  const version = /^go\s+(\S+)/m.exec(text)?.[1]
  if (version !== undefined) others.set("go", version)
  return { name: /^module\s+(\S+)/m.exec(text)?.[1] ?? null, dependencies, others, indirect }
}

/** Names only: mix.lock may already have a version that meets a changed requirement. */
const mixExs = (text: string): Manifest => {
  const dependencies = new Map<string, string>()
  const versions = new Map<string, string>()
  for (const line of text.split("\n")) {
    const entry = /^\s*\{:(\w+),\s*(.*)$/.exec(line.replace(/\s#.*$/, ""))
    if (entry === null || /\b(?:path|in_umbrella):/.test(entry[2]!)) continue
    dependencies.set(entry[1]!, "")
    versions.set(entry[1]!, /^"([^"]*)"/.exec(entry[2]!)?.[1] ?? "")
  }
  return { name: /^\s*app: :(\w+)/m.exec(text)?.[1] ?? null, dependencies, versions, indirect: none }
}

const gemfile = (text: string): Manifest => {
  const dependencies = new Map<string, string>()
  for (const line of text.split("\n")) {
    const entry = /^\s*gem\s*\(?["']([\w.-]+)["']((?:\s*,\s*["'][^"']*["'])*)/.exec(line)
    if (entry !== null && !/\bpath:/.test(line)) dependencies.set(entry[1]!, entry[2]!.replace(/[\s"']/g, ""))
  }
  return { name: null, dependencies, indirect: none }
}

const ecosystems: ReadonlyArray<Ecosystem> = [
  {
    manifest: "package.json",
    locks: ["package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock", "bun.lockb"],
    read: packageJson
  },
  { manifest: "Cargo.toml", locks: ["Cargo.lock"], read: cargoToml },
  { manifest: "pyproject.toml", locks: ["uv.lock", "poetry.lock", "pdm.lock"], read: pyproject },
  { manifest: "go.mod", locks: ["go.sum"], read: goMod },
  { manifest: "mix.exs", locks: ["mix.lock"], read: mixExs },
  { manifest: "Gemfile", locks: ["Gemfile.lock"], read: gemfile }
]

/** What changed between two sides, by name without its section: added or re-required, and removed. */
export const changedDependencies = (
  base: Manifest,
  head: Manifest
): { readonly wanted: ReadonlyArray<string>; readonly removed: ReadonlyArray<string> } => {
  const wanted = [...head.dependencies].filter(
    ([name, version]) =>
      base.dependencies.get(name) !== version && (base.dependencies.has(name) || !head.indirect.has(name))
  )
  const removed = [...base.dependencies.keys()].filter((name) => !head.dependencies.has(name))
  return { wanted: wanted.map(([name]) => name), removed }
}

/** The dependencies that a parsed lock file has in a table of packages by folder; null if it does not record this one. */
export const lockedPackageJson = (lock: unknown, table: "packages" | "workspaces", folder: string): Manifest | null => {
  const entry = tableAt(lock, table, folder)
  return Object.keys(entry).length === 0 ? null : packageJson(JSON.stringify(entry))
}
