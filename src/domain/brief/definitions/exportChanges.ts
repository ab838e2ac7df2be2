/** What a file begins or ceases to offer without defining it: re-exported names, and traits it implements. Pure. */
import { changedLines } from "../../change/HunkIndex.ts"
import { wordPlaces } from "../../code/Symbol.ts"
import type { DefinitionChange } from "../Definitions.ts"
import type { ComparedFile, FileVersion } from "./definitionItems.ts"
import { isUnread, unreadText } from "./readableParts.ts"

interface Offered {
  readonly kind: "export" | "implementation"
  readonly name: string
  readonly text: string
  readonly line: number
}

/** Of a file that is on both sides: a new or deleted file is reported by its definitions. */
export const exportChanges = ({
  base,
  file,
  head,
  syntax: { family }
}: ComparedFile): ReadonlyArray<DefinitionChange> => {
  if (base === null || head === null) return []
  const lines = changedLines(file)
  const changesOf = (change: "added" | "removed", version: FileVersion, other: FileVersion) => {
    const changed = lines[change === "added" ? "added" : "deleted"]
    // What the other side lacks may stand in a part of it that was not understood.
    const isSure = ({ line, name }: Offered) =>
      !isUnread(version, line) &&
      ((other.symbols.unread ?? []).length === 0 ||
        (changed.has(line) && wordPlaces(unreadText(other), name.slice(name.lastIndexOf(" ") + 1)).length === 0))
    const known = new Set([...offeredBy(other, family).map(keyOf), ...exportedBy(other)])
    return offeredBy(version, family).flatMap((each): ReadonlyArray<DefinitionChange> => {
      const { kind, line, name, text } = each
      // What a new type implements is part of it.
      const isOfOtherType = kind === "implementation" && !typesIn(other).has(name.slice(name.lastIndexOf(" ") + 1))
      if (known.has(keyOf(each)) || isOfOtherType || !isSure(each)) return []
      const [before, after] = change === "added" ? [null, text] : [text, null]
      return [{ change, kind, name, file: version.path, line, before, after, public: true }]
    })
  }
  return [...changesOf("added", head, base), ...changesOf("removed", base, head)]
}

const keyOf = ({ kind, name }: Offered): string => `${kind} ${name}`

const exportedBy = ({ symbols }: FileVersion): ReadonlyArray<string> =>
  (symbols.exports ?? []).map(({ name }) => `export ${name}`)

const offeredBy = (version: FileVersion, family: string): ReadonlyArray<Offered> => {
  if (family === "rust") return [...implementationsIn(version), ...publicUses(version)]
  return family === "python" ? packageNames(version) : reexports(version)
}

/** With what is exported and has no definition: an object, a name of a pattern. */
const reexports = ({ symbols: { definitions, exports } }: FileVersion): ReadonlyArray<Offered> => {
  const defined = new Set(definitions.flatMap(({ container, name }) => (container === null ? [name] : [])))
  return (exports ?? []).flatMap(({ from, line, local, name }): ReadonlyArray<Offered> => {
    if (local !== null && defined.has(local)) return []
    return [{ kind: "export", name, text: from === null ? name : `${name} from ${from.module}`, line }]
  })
}

/** What a package of Python imports from its own modules. */
const packageNames = ({ path, symbols: { imports, listed } }: FileVersion): ReadonlyArray<Offered> => {
  const folders = path.split("/")
  if (folders.pop() !== "__init__.py") return []
  return imports.flatMap(({ line, local, module, name }): ReadonlyArray<Offered> => {
    const isOwn = module.startsWith(".") || folders.includes(module.split(".")[0] ?? "")
    const isMeant = listed == null ? !local.startsWith("_") : listed.includes(local)
    return isOwn && isMeant && name !== null
      ? [{ kind: "export", name: local, text: `${local} from ${module}`, line }]
      : []
  })
}

const publicUses = ({ symbols: { imports } }: FileVersion): ReadonlyArray<Offered> =>
  imports.flatMap(({ line, local, module, name, public: isPublic }): ReadonlyArray<Offered> => {
    const path = name === null ? module : `${module}::${name}`
    return isPublic === true && local !== ""
      ? [{ kind: "export", name: local, text: `${local} from ${path}`, line }]
      : []
  })

const typesIn = ({ symbols: { definitions } }: FileVersion): ReadonlySet<string> =>
  new Set(definitions.flatMap(({ kind, name }) => (/^(?:type|class)$/.test(kind) ? [name] : [])))

const implementation =
  /^\s*(?:unsafe\s+)?impl(?:<[^{]{0,200}?>)?\s+(!?[\w:]+(?:<[^{]{0,200}>)?)\s+for\s+([\w:&]+)(?:<[^{]{0,200}>)?\s*(?:where\b[^{]*)?\{/

/** Of types that the file defines on both sides; the other ones are reported by themselves. */
const implementationsIn = (version: FileVersion): ReadonlyArray<Offered> => {
  const types = typesIn(version)
  return version.lines.flatMap((text, at): ReadonlyArray<Offered> => {
    const [, trait, type] = text.length > 400 ? [] : (implementation.exec(text) ?? [])
    if (trait === undefined || type === undefined || !types.has(type)) return []
    const name = `${trait.replace(/\s+/g, "")} for ${type}`
    return [{ kind: "implementation", name, text: name, line: at + 1 }]
  })
}
