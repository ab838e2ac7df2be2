/**
 * The dependencies that a change adds, removes, or requires in another version. Pure.
 *
 * A manifest with sections is compared as a whole. Lock files, which may have megabytes, and simpler manifests are
 * compared by the lines of their hunks: every entry has its name on the line of the version or just above it.
 */
import type { DiffFile, DiffLine } from "../../change/Diff.ts"
import { withoutSection } from "../../code/Lockfile.ts"
import type { Manifest } from "../../code/Manifest.ts"
import { compareText } from "../../text/compareText.ts"
import type { DependencyChange } from "../Definitions.ts"

export interface ManifestSides {
  readonly path: string
  readonly base: Manifest
  readonly head: Manifest
  readonly baseLines: ReadonlyArray<string>
  readonly headLines: ReadonlyArray<string>
}

export const manifestChanges = ({
  base,
  baseLines,
  head,
  headLines,
  path
}: ManifestSides): ReadonlyArray<DependencyChange> => {
  const [old, current] = [versionsOf(base, path), versionsOf(head, path)]
  const changes = [...new Set([...old.keys(), ...current.keys()])]
    .sort(compareText)
    .flatMap((name): ReadonlyArray<DependencyChange> => {
      const [before, after] = [old.get(name) ?? null, current.get(name) ?? null]
      if (
        before === after ||
        (before === null && head.indirect.has(name)) ||
        (after === null && base.indirect.has(name))
      )
        return []
      const line = after === null ? lineWith(baseLines, name, before) : lineWith(headLines, name, after)
      return [{ name, file: path, line, before, after, major: isMajor(before, after), locked: false }]
    })
  return joinedMajors(changes)
}

/** In Go, the path of a module has its major version: `a/b/v2` and then `a/b/v3` are one dependency. */
const joinedMajors = (changes: ReadonlyArray<DependencyChange>): ReadonlyArray<DependencyChange> => {
  const plain = ({ name }: DependencyChange) => name.replace(/[/.]v\d+$/, "")
  const removed = new Map(changes.flatMap((each) => (each.after === null ? [[plain(each), each] as const] : [])))
  const joined = new Set<DependencyChange>()
  const found = changes.map((each) => {
    const old = each.before === null ? removed.get(plain(each)) : undefined
    if (old === undefined || joined.has(old) || (each.name === plain(each) && old.name === plain(old))) return each
    joined.add(old)
    return { ...each, before: old.before, major: true }
  })
  return found.filter((each) => !joined.has(each))
}

const peerMark = " (peer)"

/** Indirect requirements of Go that a change adds or removes: `manifestChanges` leaves them out. */
export const indirectChanges = (base: Manifest, head: Manifest): number =>
  [...base.indirect].filter((name) => !head.dependencies.has(name)).length +
  [...head.indirect].filter((name) => !base.dependencies.has(name)).length

/** By name without the section; the same dependency may be in several. */
const versionsOf = ({ dependencies, others, versions }: Manifest, path: string): ReadonlyMap<string, string> => {
  const isPython = path.endsWith("pyproject.toml")
  const hasSections = isPython || path.endsWith("package.json")
  const found = new Map<string, string>()
  for (const [key, recorded] of [...(others ?? []), ...dependencies]) {
    // A package may be a peer and a dependency for development.
    const name = `${hasSections ? withoutSection(key) : key}${key.startsWith("peerDependencies.") ? peerMark : ""}`
    const version = versions?.get(key) ?? (isPython ? withoutName(name, recorded) : requirementOf(recorded))
    // A member of a workspace repeats the name.
    if (version !== "" || !found.has(name)) found.set(name, version)
  }
  return found
}

/** The version in a string, a list of strings, or the JSON of a table. */
const requirementOf = (recorded: string): string => {
  for (const key of ["version", "tag", "rev", "branch"]) {
    const value = new RegExp(`"${key}":"([^"]*)"`).exec(recorded)?.[1]
    if (recorded.startsWith("{") && value !== undefined) return value
  }
  return recorded.replace(/^"(.*)"$/, "$1").replace(/^,/, "")
}

/** A requirement of Python: `name[extra]>=1.0; marker`. */
const withoutName = (name: string, recorded: string): string =>
  recorded.toLowerCase().startsWith(name.toLowerCase())
    ? recorded.slice(name.length).replace(/^\[[^\]]*\]|;.*$/g, "")
    : requirementOf(recorded)

const lineWith = (lines: ReadonlyArray<string>, name: string, version: string | null): number => {
  const word = new RegExp(`(?<![\\w@/-])${RegExp.escape(name.replace(peerMark, ""))}(?![\\w/-])`, "i")
  const named = lines.flatMap((text, at) => (text.length < 1_000 && word.test(text) ? [at] : []))
  const exact = named.find((at) => version !== null && version !== "" && lines[at]?.includes(version))
  return (exact ?? named[0] ?? -1) + 1
}

/** The first numbers of a version, or of what a requirement asks for at least; null for a year or a digest. */
const numbersOf = (version: string | null): ReadonlyArray<number> | null => {
  const found = /^[\s^~<>=!v"']*(\d{1,3}(?:\.\d+)*)(?![\da-f]{5})/.exec((version ?? "").replace(/^.*[@#]/, ""))?.[1]
  return found === undefined ? null : found.split(".").slice(0, 2).map(Number)
}

/** Before 1.0, the second number counts as the first. */
const isMajor = (before: string | null, after: string | null): boolean => {
  const [old, current] = [numbersOf(before), numbersOf(after)]
  if (old === null || current === null) return false
  return old[0] !== current[0] || (old[0] === 0 && old.length > 1 && current.length > 1 && old[1] !== current[1])
}

/** How a file names a package and its version: both on one line, or the version below the name. */
interface EntryForm {
  readonly file: RegExp
  readonly name?: RegExp
  readonly version?: RegExp
  readonly both?: RegExp
  /** Precedes the name, and is a part of it. */
  readonly group?: RegExp
  /** After an entry, which may have no version. */
  readonly end?: RegExp
  /** After something else with a name. */
  readonly ignored?: RegExp
  readonly locked: boolean
  /** A line is one of many uses, so that a deleted one does not remove the dependency. */
  readonly isUse?: boolean
}

const forms: ReadonlyArray<EntryForm> = [
  {
    file: /^(?:Cargo|poetry|uv|pdm)\.lock$/,
    name: /^name = "([^"]+)"/,
    version: /^version = "([^"]+)"/,
    locked: true
  },
  {
    file: /^(?:package-lock|npm-shrinkwrap)\.json$/,
    name: /^\s+"(?:[^"]*node_modules\/)?(@[^"/]+\/[^"/]+|[^"/]+)": \{$/,
    version: /^\s+"version": "([^"]+)"/,
    locked: true
  },
  { file: /^composer\.lock$/, name: /^\s+"name": "([^"]+)"/, version: /^\s+"version": "([^"]+)"/, locked: true },
  { file: /^yarn\.lock$/, name: /^"?(@?[^@"\s]+)@.*:$/, version: /^\s+version:? "?([^"\s]+)"?$/, locked: true },
  {
    file: /^pnpm-lock\.yaml$/,
    both: /^ {2}['"]?\/?(@?[^@'"(\s]+)[@/](\d[^:'"(\s]*)(?:\([^:]*)?['"]?:$/,
    locked: true
  },
  { file: /^bun\.lock$/, both: /^\s+"[^"]+": \["(@?[^@"]+)@([^"]+)"/, locked: true },
  { file: /^go\.sum$/, both: /^(\S+) (v[^\s/]+) h1:/, locked: true },
  { file: /^Gemfile\.lock$/, both: /^ {4}(\S+) \(([^)]+)\)$/, locked: true },
  { file: /^mix\.lock$/, both: /^\s+"(\w+)": \{:hex, :\w+, "([^"]+)"/, locked: true },
  // Compiled from another file, such as by pip-compile, or written by hand.
  {
    file: /requirements[^/]*\.(?:txt|in)$|^constraints.*\.txt$/,
    both: /^([A-Za-z0-9][\w.-]*)(?:\[[^\]]*\])?\s*((?:@|[=<>!~]{1,3})[^;#\\]*[^;#\\\s]|(?=[;#\\]|$))/,
    locked: false
  },
  {
    file: /requirements[^/]*\.(?:txt|in)$/,
    both: /^(?:-e\s+)?git\+\S{0,300}\/([\w.-]+?)(?:\.git)?@([\w./-]+)/,
    locked: false
  },
  {
    file: /^libs\.versions\.toml$/,
    both: /^([\w.-]+)\s*=\s*(?:\{[^{}"]{0,20}"[^"]{0,200}",\s*version\s*=\s*)?"(?:[\w.-]+:[\w.-]+:)?(\d[^"]*)"/,
    locked: false
  },
  { file: /^gradle\.properties$/, both: /^([\w.]*[vV]ersion[\w.]*)\s*=\s*(\d\S*)/, locked: false },
  { file: /\.gradle(?:\.kts)?$/, both: /\bid[\s(]+["']([\w.-]+)["']\)?\s+version\s+["'](\d[^"']*)/, locked: false },
  {
    file: /\.gemspec$/,
    both: /\.add_(?:runtime_|development_)?dependency[\s(]+["']([\w.-]+)["'],\s*["']([^"']+)/,
    locked: false
  },
  {
    file: /^Package\.swift$/,
    both: /\.package\([^"]*"[^"]*?([\w.-]+?)(?:\.git)?",[^"]{0,60}"([^"]+)"/,
    locked: false
  },
  // The name is too far above the version to be in its hunk.
  {
    file: /^Package\.resolved$/,
    name: /"(?:location|repositoryURL)"\s*:\s*"(?:[^"]*\/)?([^"/]+?)(?:\.git)?"/,
    version: /"version"\s*:\s*"([^"]+)"/,
    locked: true
  },
  {
    file: /^Pipfile$/,
    both: /^"?([\w.-]+)"?\s*=\s*(?:\{[^{}]{0,200}\bversion\s*=\s*)?"([=<>~!]*\d[^"]*)"/,
    locked: false
  },
  { file: /^Pipfile\.lock$/, name: /^\s+"([\w.-]+)": \{$/, version: /^\s+"version": "=*([^"]+)"/, locked: true },
  { file: /^packages\.lock\.json$/, name: /^\s+"([\w.-]+)": \{$/, version: /^\s+"resolved": "([^"]+)"/, locked: true },
  { file: /^gradle\.lockfile$/, both: /^([\w.-]+:[\w.-]+):([^=\s]+)=/, locked: true },
  { file: /^Podfile$/, both: /^\s*pod\s+["']([^"']+)["']\s*,\s*["']([^"']+)["']/, locked: false },
  { file: /^Podfile\.lock$/, both: /^ {2}- "?([\w.+/-]+) \((\d[^)]*)\)/, locked: true },
  { file: /^pubspec\.yaml$/, both: /^ {2}(\w+):\s*["']?([\^<>=~]*\d[^"'#]*)/, locked: false },
  { file: /^pubspec\.lock$/, name: /^ {6}name: "?(\w+)"?/, version: /^ {4}version: "([^"]+)"/, locked: true },
  {
    file: /^pnpm-workspace\.yaml$/,
    both: /^\s+['"]?(@?[\w.-]+(?:\/[\w.-]+)?)['"]?:\s*['"]?([~^]?\d[^'"\s]*)/,
    locked: false
  },
  { file: /\.gradle(?:\.kts)?$/, both: /["']([\w.-]+:[\w.-]+):(\d[^"'$]*)["']/, locked: false },
  {
    file: /^pom\.xml$/,
    group: /<groupId>([^<]+)</,
    name: /<artifactId>([^<]+)</,
    version: /<version>([^<]*)</,
    end: /<\/(?:dependency|plugin|parent)>/,
    ignored: /<\/exclusion>/,
    locked: false
  },
  { file: /^pom\.xml$/, both: /<([\w.-]+)[._-]version>(\d[^<]*)</, locked: false },
  { file: /^composer\.json$/, both: /^\s+"([\w.-]+\/[\w.-]+)": "([^"]+)"/, locked: false },
  {
    file: /\.(?:cs|fs|vb)proj$|^Directory\.Packages\.props$/,
    both: /<Package(?:Reference|Version) Include="([^"]+)" Version="([^"]+)"/,
    locked: false
  },
  {
    file: /(?:^|\/)\.github\/(?:workflows|actions)\/.*\.ya?ml$/,
    both: /\buses:\s*["']?([\w.-]+\/[\w./-]+)@(?:[0-9a-f]{40}\s+#\s*)?([\w.-]+)/,
    locked: false,
    isUse: true
  },
  {
    file: /^(?:docker-)?compose[\w.-]*\.ya?ml$|^\.gitlab-ci\.yml$|\.github\/workflows\/.*\.ya?ml$/,
    both: /^\s*(?:image|container):\s*["']?([\w./-]+):([\w.-]+)/,
    locked: false,
    isUse: true
  },
  {
    file: /^(?:[\w.-]+\.)?Dockerfile(?:\.[\w.-]+)?$/,
    both: /^FROM\s+(?:--\S+\s+)?([\w./-]+):([\w.-]+)/i,
    locked: false,
    isUse: true
  }
]

const formsOf = (path: string): ReadonlyArray<EntryForm> => {
  const name = path.slice(path.lastIndexOf("/") + 1)
  return forms.filter(({ file }) => file.test(name) || (file.source.includes("github") && file.test(path)))
}

export const hasEntries = (path: string): boolean => formsOf(path).some(({ isUse }) => isUse !== true)

interface Entry {
  readonly version: string
  readonly line: number
}

/** The changed versions of a lock file, or of a manifest that is read by lines. */
export const entryChanges = (file: DiffFile): ReadonlyArray<DependencyChange> =>
  formsOf(file.path).flatMap((form) => joinedMajors(changesOf(file, form)))

const changesOf = (file: DiffFile, form: EntryForm): ReadonlyArray<DependencyChange> => {
  const [old, current] = [entriesIn(file, form, "deleted"), entriesIn(file, form, "added")]
  return [...new Set([...old.keys(), ...current.keys()])]
    .sort(compareText)
    .flatMap((name): ReadonlyArray<DependencyChange> => {
      const isIn = (all: ReadonlyArray<Entry>, { version }: Entry) => all.some((each) => each.version === version)
      const [lost, gained] = [old.get(name) ?? [], current.get(name) ?? []]
      const before = lost.filter((each) => !isIn(gained, each))
      const after = gained.filter((each) => !isIn(lost, each))
      const [first] = [...after, ...before]
      if (first === undefined) return []
      const [was, is] = [textOf(before), textOf(after)]
      const { isUse, locked } = form
      if (isUse === true && (was === null || is === null)) return []
      return [{ name, file: file.path, line: first.line, before: was, after: is, major: isMajor(was, is), locked }]
    })
}

/** A dependency may also be mentioned without a version. */
const textOf = (all: ReadonlyArray<Entry>): string | null =>
  all.length === 0
    ? null
    : [...new Set(all.flatMap(({ version }) => (version === "" ? [] : [version])))].sort(compareText).join(", ")

/** The versions on the deleted or the added lines, by name. */
const entriesIn = ({ hunks }: DiffFile, form: EntryForm, which: "added" | "deleted") => {
  const { both, end, group, ignored, name, version } = form
  const found = new Map<string, Array<Entry>>()
  const add = (package_: string, number: string, line: DiffLine) => {
    const known = found.get(package_) ?? []
    known.push({ version: number.replace(/\s+/g, ""), line: (which === "added" ? line.newLine : line.oldLine) ?? 0 })
    found.set(package_, known)
  }
  for (const { lines } of hunks) {
    let package_: string | null = null
    let owner: string | null = null
    let named: DiffLine | null = null
    for (const line of lines) {
      if (line.kind !== "context" && line.kind !== which) continue
      const text = line.text.replace(/\r$/, "")
      if (both !== undefined) {
        const [, named, number] = both.exec(text) ?? []
        if (line.kind === which && named !== undefined && number !== undefined) add(named, number, line)
        continue
      }
      owner = group?.exec(text)?.[1] ?? owner
      const own = name?.exec(text)?.[1]
      if (own !== undefined) {
        package_ = owner === null ? own : `${owner}:${own}`
        named = line
      }
      if (ignored?.test(text) === true) package_ = null
      const number = version?.exec(text)?.[1]
      const isEnd = end?.test(text) === true
      if (number === undefined && !isEnd) continue
      const place = number === undefined ? named : line
      if (place?.kind === which && package_ !== null) add(package_, number ?? "", place)
      package_ = null
      if (isEnd || end === undefined) owner = null
    }
  }
  return found
}
