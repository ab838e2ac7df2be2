/**
 * Names that a change adds to the program or removes from it, although no compiler checks them: environment variables,
 * flags, routes, settings, columns. Pure.
 *
 * Calls are compared as a whole file, everything else line by line. A name that the change both deletes and adds is only
 * moved. Whether it is elsewhere in the repository is for the caller to find out. Values are left out, because in a
 * settings file they may be secrets.
 */
import type { DiffFile, DiffLine } from "../../change/Diff.ts"
import { longestLine } from "../../code/SharedName.ts"
import type { ValueChange } from "../Definitions.ts"
import type { CalledName } from "./calledNames.ts"

export type SharedKind = Extract<ValueChange["kind"], "environment" | "flag" | "route" | "setting" | "column">

/** The names of one kind on a line. */
export interface NameReader {
  readonly kind: SharedKind
  /** A line without it has no such name. */
  readonly hint: RegExp
  readonly names: (path: string, text: string) => ReadonlyArray<string>
}

export interface NameChange extends ValueChange {
  readonly kind: SharedKind
}

/** The names that the calls of a file have on both sides. */
export interface CalledSides {
  readonly file: DiffFile
  readonly base: ReadonlyArray<CalledName>
  readonly head: ReadonlyArray<CalledName>
  /** Did the parser understand the line, and everything on the other side that has the name? */
  readonly isRead: (which: "base" | "head", place: Pick<CalledName, "line" | "name">) => boolean
}

export const nameChanges = (
  files: ReadonlyArray<DiffFile>,
  readers: ReadonlyArray<NameReader>,
  called: ReadonlyArray<CalledSides>
): ReadonlyArray<NameChange> => {
  const [added, removed] = [new Map<string, NameChange>(), new Map<string, NameChange>()]
  const changed: Array<NameChange> = []
  const [typesBefore, typesAfter] = [new Map<string, string>(), new Map<string, string>()]
  const note = (into: typeof added, change: NameChange) => {
    const key = `${change.kind} ${change.name}`
    if (!into.has(key)) into.set(key, change)
  }
  const noteNew = (change: "added" | "removed", path: string, names: CalledSides["head"], old: CalledSides["head"]) => {
    const known = new Set(old.map(keyOf))
    for (const named of names) {
      const { kind, line, name } = named
      if (known.has(keyOf(named))) continue
      note(change === "added" ? added : removed, { change, kind, name, file: path, line, before: null, after: null })
    }
  }
  for (const { base, file, head } of called) {
    noteNew("added", file.path, head, base)
    noteNew("removed", file.path, base, head)
    changed.push(...changedFlags(file.path, base, head))
  }
  const sidesOf = new Map(called.map((sides) => [sides.file, sides]))
  for (const file of files) {
    for (const line of file.hunks.flatMap(({ lines }) => lines)) {
      const { kind: side, text } = line
      if (side === "context" || text.length > longestLine) continue
      const change = side === "added" ? "added" : "removed"
      const into = side === "added" ? added : removed
      const at = { file: file.path, line: numberOf(line), before: null, after: null }
      for (const { hint, kind, names } of readers) {
        for (const name of hint.test(text) ? names(file.path, text) : []) {
          const isRead = sidesOf.get(file)?.isRead(side === "added" ? "head" : "base", { line: at.line, name })
          if (isRead !== false) note(into, { change, kind, name, ...at })
        }
      }
      for (const column of columnsOn(file.path, text)) {
        const { name, statement, type } = column
        // A deleted statement of a migration takes back its effect.
        const isGone = (statement === "drops") === (side === "added")
        if (statement !== "changes")
          note(isGone ? removed : added, { change: isGone ? "removed" : "added", kind: "column", name, ...at })
        else if (side === "added") changed.push({ change: "changed", kind: "column", name, ...at })
        if (type !== null) (side === "added" ? typesAfter : typesBefore).set(name, type)
      }
    }
  }
  for (const [key, each] of added) {
    const [before, after] = [typesBefore.get(each.name), typesAfter.get(each.name)]
    const isRetyped = each.kind === "column" && removed.has(key) && before !== undefined && after !== undefined
    if (isRetyped && before !== after) changed.push({ ...each, change: "changed", before, after })
  }
  return [
    ...changed,
    ...[...added].flatMap(([key, each]) => (removed.has(key) ? [] : [each])),
    ...[...removed].flatMap(([key, each]) => (added.has(key) ? [] : [each]))
  ]
}

/** The same as a default that is not written, in most libraries. */
const emptyDefault = /^\w+=(?:False|false|None|nil|null|undefined|\[\]|"")$/

const keyOf = ({ kind, name }: CalledName): string => `${kind} ${name}`

/** Of several flags with one name in a file, each may have another default: they are not compared. */
const changedFlags = (
  path: string,
  base: CalledSides["base"],
  head: CalledSides["head"]
): ReadonlyArray<NameChange> => {
  const [old, current] = [Map.groupBy(base, keyOf), Map.groupBy(head, keyOf)]
  return [...current].flatMap(([key, [flag, ...others]]): ReadonlyArray<NameChange> => {
    const [was, ...rest] = old.get(key) ?? []
    if (flag === undefined || was === undefined || others.length + rest.length > 0 || was.value === flag.value)
      return []
    const isWritten = was.value !== null && flag.value !== null
    if (!isWritten && emptyDefault.test(was.value ?? flag.value ?? "")) return []
    const [before, after] = [was.value ?? "no written default", flag.value ?? "no written default"]
    return [{ change: "changed", kind: flag.kind, name: flag.name, file: path, line: flag.line, before, after }]
  })
}

const numberOf = ({ newLine, oldLine }: DiffLine): number => newLine ?? oldLine ?? 0

interface Column {
  readonly name: string
  readonly statement: "adds" | "drops" | "changes"
  /** What a whole schema has after the name. */
  readonly type: string | null
}

const N = "[\"'`:\\[]*([A-Za-z_]\\w*)[\"'`\\]]*"
const sqlTypes =
  "(?:big|small|tiny|medium)?(?:int|serial)(?:eger)?|var(?:char|binary)|character|text|bool(?:ean)?|timestamp(?:tz)?|datetime|date|time|uuid|jsonb?|numeric|decimal|float|double|real|bytea|blob|char"
/** Statements of SQL and of the libraries that write it. */
const addedColumns = [
  new RegExp(`\\bADD\\s+(?:COLUMN\\s+)?(?:IF\\s+NOT\\s+EXISTS\\s+)?${N}\\s+(?:${sqlTypes})\\b`, "i"),
  new RegExp(`\\badd_column[\\s(]+${N},\\s*(?:sa\\.|db\\.)?Column\\(\\s*${N}`),
  new RegExp(`\\badd_column[\\s(]+${N},\\s*${N}`),
  new RegExp(`\\baddColumn\\(\\s*${N},\\s*${N}`),
  /^\s*add :(\w+), :/
]
const droppedColumns = [
  new RegExp(`\\bDROP\\s+COLUMN\\s+(?:IF\\s+EXISTS\\s+)?${N}`, "i"),
  new RegExp(`\\b(?:remove|drop)_column[\\s(]+${N},\\s*${N}`),
  new RegExp(`\\b(?:remove|drop)Column\\(\\s*${N},\\s*${N}`),
  /^\s*remove :(\w+)/
]
const changedColumns = [
  new RegExp(`\\bALTER\\s+COLUMN\\s+${N}\\s+(?:SET|DROP|TYPE)\\b`, "i"),
  new RegExp(`\\b(?:MODIFY|CHANGE)\\s+COLUMN\\s+${N}`, "i"),
  new RegExp(`\\b(?:change_column|alter_column|changeColumn)(?:_null|_default)?[\\s(]+${N},\\s*${N}`),
  /^\s*modify :(\w+), :/
]
/** Lines of a file that has the whole schema: a name and its type. */
const schemaColumns: ReadonlyArray<readonly [file: RegExp, line: RegExp]> = [
  [/\.sql$/, new RegExp(`^\\s+${N}\\s+((?:${sqlTypes})\\b.*)`, "i")],
  [/(?:^|\/)schema\.rb$/, /^\s+t\.\w+ "(\w+)"(.*)/],
  [/\.prisma$/, /^\s+(\w+)\s+([A-Z]\w*(?:\[\]|\?)?)(?:\s|$)/]
]

const columnsOn = (path: string, text: string): ReadonlyArray<Column> => {
  if (!/column|add|remove|drop|modify|^\s/i.test(text)) return []
  const last = (pattern: RegExp) =>
    pattern
      .exec(text)
      ?.slice(1)
      .findLast((name) => name !== undefined)
  for (const [patterns, statement] of [
    [addedColumns, "adds"],
    [droppedColumns, "drops"],
    [changedColumns, "changes"]
  ] as const) {
    for (const pattern of patterns) {
      const name = last(pattern)
      if (name !== undefined) return [{ name, statement, type: null }]
    }
  }
  for (const [file, line] of schemaColumns) {
    const [, name, type = ""] = file.test(path) ? (line.exec(text) ?? []) : []
    if (name !== undefined) return [{ name, statement: "adds", type: type.trim().replace(/,$/, "") }]
  }
  return []
}
