/** Builds records of broken uses: one for each contract change, with the places that still use it. */

import type { Diff, DiffFile } from "../../domain/change/Diff.ts"
import { placesText } from "../../domain/change/WordPlace.ts"
import type { Breakage } from "../../domain/code/brokenUses.ts"
import { signatureText } from "../../domain/code/brokenUses.ts"
import type { BrokenPlace } from "../../domain/code/ContractScene.ts"
import type { ContractChange } from "../../domain/code/contractChanges.ts"
import type { Columns } from "../../domain/code/Symbol.ts"
import { addedLines } from "../../domain/finding/Claims.ts"
import { lineWithText } from "../../domain/finding/Evidence.ts"
import type { ReviewRecord } from "../../domain/finding/Finding.ts"
import type { ContractRule } from "../../domain/finding/Rule.ts"
import { columnsOf, type PlaceClaim, ruleRecord, type TextAt } from "../../domain/finding/ruleRecord.ts"
import { headLine } from "../../domain/review/headLine.ts"
import { compareText } from "../../domain/text/compareText.ts"
import { plural } from "../../domain/text/plural.ts"

/** One place that a change breaks. */
export interface Broken extends BrokenPlace {
  readonly path: string
}

/** Sorted by place. `texts`: lines of the head side. */
export const contractRecords = (
  rules: ReadonlyArray<ContractRule>,
  broken: ReadonlyArray<Broken>,
  diff: Diff,
  texts: ReadonlyMap<string, ReadonlyArray<string>>
): ReadonlyArray<ReviewRecord> => {
  const groups = new Map<string, Array<Broken>>()
  const subjectOf = (each: Broken) => `${each.file.path}\n${nameOf(each)}`
  const removed = new Set(broken.filter(({ breakage }) => breakage === "removed").map(subjectOf))
  for (const each of broken) {
    const subject = subjectOf(each)
    const isCertain = each.breakage === "name-gone" && removed.has(subject)
    const key = `${isCertain ? "removed" : each.breakage}\n${subject}`
    groups.set(key, [...(groups.get(key) ?? []), each])
  }
  return [...groups]
    .flatMap(([key, group]) => {
      const rule = rules.find(({ breakage }) => key.startsWith(`${breakage}\n`))
      return rule === undefined ? [] : recordOf(rule, group, diff, texts)
    })
    .sort((a, b) => compareText(a.file, b.file) || a.line - b.line || compareText(a.title ?? "", b.title ?? ""))
}

const nameOf = ({ contract, file }: Broken): string =>
  contract === null
    ? (file.oldPath ?? file.path)
    : [contract.container, contract.name].filter((part) => part !== null).join(".")

const recordOf = (
  rule: ContractRule,
  group: ReadonlyArray<Broken>,
  diff: Diff,
  texts: ReadonlyMap<string, ReadonlyArray<string>>
): ReadonlyArray<ReviewRecord> => {
  const places = uniquePlaces(group)
  const textAt: TextAt = (path, line) => texts.get(path)?.[line - 1]
  const [first] = group
  if (first === undefined) return []
  const { file } = first
  const lines = texts.get(file.path)
  const used = usedPlaces(group)
  const stood = sourceOf(first)
  const text = { count: lines?.length ?? null, line: (at: number) => lines?.[at - 1] }
  const source = { ...stood, line: lineWithText(stood.line, text) }
  const at = reportedAt(places, isGone(first) ? null : source, diff)
  const title = titleOf(rule, first, used.length)
  // Evidence needs a place in the change, not only one in an unchanged file.
  const quote = texts.get(at.path)?.[at.line - 1] ?? ""
  const isOnlyPlace = used.length === 1 && placeText(used[0]!) === placeText(at)
  const stoodAt = { path: file.path, line: file.newPath === null ? 0 : Math.max(1, source.line) }
  const origin = { ...stoodAt, ...originOf(first) }
  const broken = useOf(first)
  const uses = used.map((place) => ({ ...place, ...broken }))
  const own = [...uses, origin].find((each) => placeText(each) === placeText(at))
  return [
    ruleRecord(
      rule,
      {
        ...at,
        title,
        description: `${title}. ${detailOf(first)}Used at ${placesText(used)}.`,
        column: own?.column,
        endColumn: own?.endColumn,
        words: own?.words ?? [],
        label: own?.message,
        related: [
          origin,
          ...uses.filter(
            (each) => each.column !== undefined || origin.deleted !== undefined || placeText(each) !== placeText(origin)
          )
        ],
        evidence: [...new Set([{ ...stoodAt, line: Math.max(1, stoodAt.line) }, ...used].map(placeText))],
        quote,
        suggestion: isOnlyPlace ? fixedLine(first, quote) : undefined
      },
      textAt
    )
  ]
}

/** Is there no definition on the head side to report at? */
const isGone = ({ contract }: Broken): boolean => contract === null || contract._tag === "Gone"

const placeText = ({ line, path }: Place): string => `${path}:${line}`

type Mark = Pick<PlaceClaim, "message" | "words">

/** What is at a broken use. */
const useOf = ({ breakage, contract, file }: Broken): Required<Mark> => {
  // An import of the default export has only the name of the module.
  const stem = file.path.slice(file.path.lastIndexOf("/") + 1).replace(/\..*$/, "")
  const added = contract?._tag === "Required" ? contract.added : []
  const names = added.map((each) => `\`${each}\``).join(" and ")
  const messages: Record<Breakage, string> = {
    removed: "still used here",
    "name-gone": "still used here",
    unexported: "still used here",
    "file-gone": "still imported here",
    call: "called with the old parameters",
    await: "not awaited",
    awaited: "still awaited",
    order: "given in the old order",
    results: "expects the old results",
    lacks: `${names} ${added.length === 1 ? "is" : "are"} not given`
  }
  return { message: messages[breakage], words: [contract?.name ?? "", contract?.container ?? "", stem] }
}

/** What is at the changed definition. */
const originOf = ({ breakage, contract, file }: Broken): Omit<PlaceClaim, "line" | "path"> & { line?: number } => {
  if (contract === null) return { message: file.newPath === null ? "deleted" : "moved here", line: 0 }
  const { name } = contract
  if (contract._tag === "Required") {
    return { message: "required now", words: changedWords(contract) }
  }
  if (contract._tag === "Gone") {
    const { became, hidden, kept, movedTo } = contract
    if (became !== null) return { message: `now \`${became.name}\``, words: [became.name] }
    if (hidden != null) return { message: "less visible now", words: [name] }
    if (kept) return { message: "no longer exported", words: [name] }
    const what = breakage === "unexported" ? "no longer exported" : "removed here"
    const message = movedTo === undefined ? what : `moved to ${movedTo}`
    return { message, ...deletedLine(file, contract.definition?.line, name) }
  }
  const { signature } = contract.after
  const messages: Partial<Record<Breakage, string>> = {
    await: "async now",
    awaited: "no longer async",
    results: "returns other results now"
  }
  return {
    message: messages[breakage] ?? (signature === null ? "changed here" : `now ${signatureText(name, signature)}`),
    words: changedWords(contract)
  }
}

/** The words of a definition that a changed signature is shown at: its name, or what is new in a line without the name. */
const changedWords = (contract: Exclude<ContractChange, { readonly _tag: "Gone" }>): ReadonlyArray<string> => {
  if (contract._tag === "Required") return [...contract.added, contract.name]
  const { after, before, name } = contract
  const [old, current] = [before, after].map(
    ({ signature }) => signature?.parameters.map((each) => JSON.stringify(each)) ?? []
  )
  const isNew = (at: number) =>
    !old!.includes(current![at]!) || (old!.length === current!.length && old![at] !== current![at])
  const parameters = after.signature?.parameters.filter((_, at) => isNew(at)) ?? []
  const [gave, gives] = [before.signature?.results, after.signature?.results]
  const returns = gave === undefined || gives === undefined || gave === gives ? [] : ["return"]
  return [name, ...parameters.map((each) => each.name), ...returns]
}

/** The deleted line of a definition, or the first one with its name; without one, the file as a whole. */
const deletedLine = (file: DiffFile, definedAt: number | undefined, name: string) => {
  const deleted = file.hunks.flatMap(({ lines }) => lines.filter(({ kind }) => kind === "deleted"))
  const isNamed = new RegExp(`(?<![\\w$])${RegExp.escape(name)}(?![\\w$])`)
  const found = deleted.find(({ oldLine }) => oldLine === definedAt) ?? deleted.find(({ text }) => isNamed.test(text))
  return found === undefined ? { line: 0 } : { deleted: found.text, line: found.oldLine ?? 0, words: [name] }
}

/** The line that uses the new name, or does not await; undefined if the edit is not certain. */
const fixedLine = ({ breakage, contract }: Broken, line: string): string | undefined => {
  const only = (pattern: RegExp, replacement: string) =>
    line.match(pattern)?.length === 1 ? line.replace(pattern, replacement) : undefined
  if (contract?._tag === "Gone" && breakage === "removed") {
    const { became, definition } = contract
    if (became?.signature == null || definition?.signature == null) return undefined
    // With other parameters, the call needs another edit.
    if (signatureText("", became.signature) !== signatureText("", definition.signature)) return undefined
    return only(new RegExp(`(?<![\\w$])${RegExp.escape(contract.name)}(?![\\w$])`, "g"), became.name)
  }
  if (contract?._tag !== "Signature" || breakage !== "awaited") return undefined
  return only(new RegExp(`\\bawait\\s+(?=(?:[\\w$]+\\.)*${RegExp.escape(contract.after.name)}\\()`, "g"), "")
}

interface Place {
  readonly path: string
  readonly line: number
}

type UsedPlace = Place & Partial<Columns>

const uniquePlaces = (group: ReadonlyArray<Place>): ReadonlyArray<Place> => {
  const places = new Map(group.map(({ path, line }) => [`${path}:${line}`, { path, line }]))
  return [...places.values()].sort((a, b) => compareText(a.path, b.path) || a.line - b.line)
}

/** With the uses of what a place imports; several in one line, if their columns are known. */
const usedPlaces = (group: ReadonlyArray<Broken>): ReadonlyArray<UsedPlace> => {
  const all = group.flatMap(({ breakage, columns, line, path, uses = [] }) =>
    [{ columns, line }, ...(breakage === "removed" ? uses : [])].map((use) => ({
      path,
      line: use.line,
      ...use.columns
    }))
  )
  return uniquePlaces(all).flatMap((place): ReadonlyArray<UsedPlace> => {
    const exact = all.filter((each) => each.column !== undefined && placeText(each) === placeText(place))
    const byColumn = new Map(exact.map((each) => [each.column ?? 0, each]))
    return exact.length === 0 ? [place] : [...byColumn.values()].sort((a, b) => (a.column ?? 0) - (b.column ?? 0))
  })
}

/** Of a changed definition: the first added line of its signature with something to mark, or else its first line. */
const sourceOf = ({ file, contract }: Broken): Place => {
  if (contract === null || file.newPath === null) return { path: file.path, line: 1 }
  if (contract._tag !== "Gone") {
    const { line, endLine, signature } = contract.after
    const last = contract._tag === "Required" ? endLine : line + (signature?.parameters.length ?? 0) + 2
    const words = changedWords(contract)
    const added = addedLines(file).find(
      (each) =>
        each.line >= line &&
        each.line <= Math.min(last, endLine) &&
        columnsOf({ words }, each.text).column !== undefined
    )
    return { path: file.newPath, line: added?.line ?? line }
  }
  const line = contract.hidden?.line ?? contract.became?.line ?? headLine(file, contract.definition?.line ?? 1)
  return { path: file.newPath, line }
}

/** A use in the change if there is one, else the changed definition if it still exists, else a use elsewhere. */
const reportedAt = (places: ReadonlyArray<Place>, source: Place | null, diff: Diff): Place => {
  const files = new Map(diff.files.map((file) => [file.path, file]))
  const isAdded = ({ path, line }: Place) => {
    const file = files.get(path)
    return file !== undefined && addedLines(file).some((each) => each.line === line)
  }
  const touched = places.find(isAdded) ?? places.find(({ path }) => files.has(path))
  if (touched !== undefined || source === null) return touched ?? places[0]!
  const file = files.get(source.path)
  const isThere = file?.newPath === source.path && file.hunks.length !== 0 && source.line > 0
  return isThere ? source : places[0]!
}

const titleOf = (rule: ContractRule, broken: Broken, count: number): string => {
  const name = `\`${nameOf(broken)}\``
  const places = count === 1 ? "one place" : `${count} places`
  const say = (one: string, many: string) => (count === 1 ? one : many)
  // The files of a package need not import each other.
  const takes = /\.(?:go|java)$/.test(broken.file.path) ? say("uses", "use") : say("imports", "import")
  switch (rule.breakage) {
    case "removed":
      return removedTitle(broken, name, places, say("uses", "use"))
    case "name-gone":
      return `${name} is removed and no other member has its name, but ${places} still ${say("uses", "use")} it`
    case "unexported": {
      const hidden = broken.contract?._tag === "Gone" ? broken.contract.hidden : undefined
      return hidden === undefined
        ? `${name} is no longer exported, but ${places} still ${say("imports", "import")} it`
        : `${name} is less visible now, but ${places} that ${say("has", "have")} no access to it still ${say("uses", "use")} it`
    }
    case "file-gone":
      return broken.file.newPath === null
        ? `${name} is deleted, but ${places} still ${takes} it`
        : `${name} is moved, but ${places} still ${takes} it from there`
    case "call":
      return `${name} has different parameters now, but ${places} still ${say("calls", "call")} it with the old ones`
    case "await":
      return `${name} is async now, but ${places} ${say("does", "do")} not await it`
    case "awaited":
      return `${name} is no longer async, but ${places} still ${say("awaits", "await")} it`
    case "order":
      return `${name} has its parameters in a different order now, but ${places} still ${say("uses", "use")} the old one`
    case "lacks": {
      const added = broken.contract?._tag === "Required" ? broken.contract.added : []
      const names = added.map((each) => `\`${each}\``).join(" and ")
      return `${name} requires ${names} now, but ${places} ${say("does", "do")} not give ${added.length === 1 ? "it" : "them"}`
    }
    case "results":
      return `${name} returns different results now, but ${places} still ${say("expects", "expect")} the old ones`
  }
}

const removedTitle = ({ contract }: Broken, name: string, places: string, use: string): string => {
  if (contract?._tag !== "Gone") return `${name} is removed, but ${places} still ${use} it`
  if (contract.became !== null) {
    return `${name} is now \`${contract.became.name}\`, but ${places} still ${use} the old name`
  }
  return contract.movedTo === undefined
    ? `${name} is removed, but ${places} still ${use} it`
    : `${name} is moved, but ${places} still ${use} it from its old place`
}

const detailOf = ({ contract, file }: Broken): string => {
  if (contract === null) return file.newPath === null ? "" : `It is now ${file.newPath}. `
  if (contract._tag === "Required") return ""
  if (contract._tag === "Gone" && contract.movedTo !== undefined) return `It is now in ${contract.movedTo}. `
  const [before, after] =
    contract._tag === "Gone" ? [contract.definition, contract.became] : [contract.before, contract.after]
  if (before?.signature == null || after?.signature == null) return ""
  // The title has its name already.
  const isOnlyRenamed = signatureText("", before.signature) === signatureText("", after.signature)
  if (contract._tag === "Gone" && isOnlyRenamed) return ""
  const [was, is] = [signatureText(before.name, before.signature), signatureText(after.name, after.signature)]
  const [gave, gives] = [before.signature.results, after.signature.results]
  if (gave !== undefined && gives !== undefined && gave !== gives) {
    const [returned, returns] = [valuesText(gave), valuesText(gives)]
    return was === is
      ? `It returned ${returned} and returns ${returns} now. `
      : `It was ${was} and returned ${returned}; it is ${is} and returns ${returns}. `
  }
  return was === is ? "" : `It was ${was} and is ${is}. `
}

const valuesText = (count: number): string => (count === 0 ? "no value" : plural(count, "value"))
