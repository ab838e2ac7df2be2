/**
 * Members whose last read a change deletes although they are still set: an option, a setting, a field.
 *
 * Reads lines, not trees: a place that could be a read counts as one. Pure.
 */
import type { Diff } from "../change/Diff.ts"

export interface DeletedRead {
  readonly name: string
  readonly path: string
  /** Of the base side. */
  readonly line: number
  /** The deleted line. */
  readonly text: string
}

/** The members that deleted lines read and that no added line names, each once. */
export const deletedReads = ({ files }: Diff): ReadonlyArray<DeletedRead> => {
  const found = new Map<string, DeletedRead>()
  const added = new Set<string>()
  const accessors = new Set<string>()
  for (const { hunks, newPath } of files) {
    for (const { lines } of hunks) {
      for (const { kind, oldLine, text } of lines) {
        if (kind === "added") for (const [word] of text.matchAll(/\w+/g)) added.add(word)
        if (kind !== "deleted" || newPath === null || oldLine === null || text.length > 500 || isAside(text)) continue
        for (const [, name = ""] of text.matchAll(accessor)) accessors.add(name)
        for (const [, name = ""] of text.matchAll(memberRead)) {
          if (!found.has(name)) found.set(name, { name, path: newPath, line: oldLine, text })
        }
      }
    }
  }
  // A deleted accessor of that name read the same of another object.
  return [...found.values()].filter(({ name }) => !added.has(name) && !accessors.has(name))
}

/** Imports and comments. */
const isAside = (text: string): boolean =>
  /^\s*(?:(?:import|from|package|use|using)\s|#|\/\/|\/?\*|"""|export \*)/.test(text)

const accessor = /\b(?:get|def|fn|func|function)\s+([A-Za-z_]\w*)\s*\(/g

const memberRead = /(?<=[\w)\]]\??\.)([A-Za-z_]\w{4,})\b(?!\s*(?:\(|=(?!=)|[-+*/|&]=|[\w"'`]))/g

/** How a line names a word: it only mentions it, gives it a value or a type, or may read it. */
export type Naming = "mention" | "set" | "read"

export const namingOf = (text: string, name: string): Naming => {
  if (/^\s*(?:#|\/\/|\/?\*|--|"""|\|)/.test(text)) return "mention"
  let naming: Naming = "mention"
  for (const { index } of text.matchAll(new RegExp(`\\b${name}\\b`, "g"))) {
    const [before, after] = [text.slice(0, index), text.slice(index + name.length)]
    if (/(?:\/\/|#).*$/.test(before) && !/["'`]/.test(before)) continue
    if (/["'`]$/.test(before)) return "read"
    const isAssigned = /^\s*(?:=(?![=>~])|\?\?=)/.test(after)
    // An argument of that name may belong to any function.
    if (isAssigned && (/[(,]\s*$/.test(before) || (/^\s*$/.test(before) && after.startsWith("=")))) continue
    const isKey =
      /(?:^\s*|[{(,]\s*|\b(?:readonly|private|public|protected|static|let|const|var|pub)\s+)$/.test(before) &&
      /^\??\s*:(?!:)/.test(after)
    const isField =
      (/^\s*$/.test(before) && /^\s+[*[\]\w.]+\s*(?:\/\/.*)?$/.test(after)) ||
      (/^\s*(?:(?:private|public|protected|static|final|volatile)\s+)+[\w<>[\], ?]+\s$/.test(before) &&
        /^\s*;/.test(after))
    if (!isAssigned && !isKey && !isField) return "read"
    naming = "set"
  }
  return naming
}
