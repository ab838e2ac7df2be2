/**
 * What a rollback changed. What it took back stays away until labels that are later than the rollback carry it: earlier ones stay in the
 * archive and no longer count for it, except where the generation that counts has them as its evidence. What it brought back, or changed,
 * stays as it is until there is one later label of it; the calibration of a rule, in either case. A generation carries what was changed
 * before it.
 */
import { DateTime } from "effect"
import { folderWords } from "../finding/LearnedSuppression.ts"
import { isInFolder } from "../text/foldersAbove.ts"
import { oneLine } from "../text/Printable.ts"
import { type Opinion, refKey } from "./evidence/opinions.ts"
import type { Generation, RolledBack } from "./Generation.ts"

type Kind = RolledBack["kind"]
type Place = Pick<RolledBack, "folder" | "kind" | "rule">

/** For the generation with the content of `old` that is made now, while `from` counts. */
export const rolledBackBetween = (old: Generation, from: Generation, at: number): ReadonlyArray<RolledBack> => {
  const [then, now] = [contentOf(old), contentOf(from)]
  const changed = [...new Set([...then.keys(), ...now.keys()])].filter((key) => then.get(key) !== now.get(key))
  const entries = new Map((from.rolledBack ?? []).map((each) => [keyOf(each), each]))
  for (const key of changed) {
    entries.set(key, { ...placeOf(key), at, ...(then.has(key) && { isKept: true as const }) })
  }
  return [...entries.values()]
}

/** Does an item stay as a rollback left it? `labels`: what later nights learn from. */
export const heldIn = (
  { rolledBack = [] }: Generation,
  labels: ReadonlyArray<Opinion<string>>
): ((kind: Kind, rule: string, folder: string) => boolean) => {
  const held = rolledBack.filter(
    (each) =>
      (each.isKept === true || each.kind === "calibration") &&
      !labels.some(({ at, file, rule }) => rule === each.rule && isInFolder(file, each.folder) && at > each.at)
  )
  const keys = new Set(held.map(keyOf))
  return (kind, rule, folder) => keys.has(keyOf({ kind, rule, folder }))
}

/** Does a label count for items of this kind? */
export const countingIn = (
  generation: Generation
): ((kind: Exclude<Kind, "calibration">, opinion: Opinion<string>) => boolean) => {
  const { conventions, playbooks, rolledBack = [], suppressions } = generation
  const refsOf = (items: ReadonlyArray<{ readonly evidence: Generation["suppressions"][number]["evidence"] }>) =>
    new Set(items.flatMap(({ evidence }) => evidence.map(refKey)))
  const used = { suppression: refsOf(suppressions), convention: refsOf(conventions), playbook: refsOf(playbooks) }
  const away = rolledBack.filter(({ isKept }) => isKept !== true)
  return (kind, { at, file, ref, rule }) =>
    used[kind].has(refKey(ref)) ||
    !away.some((each) => each.kind === kind && each.rule === rule && isInFolder(file, each.folder) && at <= each.at)
}

/** For the report: what is still away, one line for each rollback. */
export const rolledBackNotes = (generation: Generation): ReadonlyArray<string> => {
  const back = contentOf(generation)
  const away = (generation.rolledBack ?? []).filter((each) => each.isKept !== true && !back.has(keyOf(each)))
  return [...Map.groupBy(away, ({ at }) => at)].map(([at, taken]) => {
    const day = DateTime.formatIso(DateTime.makeUnsafe(at)).slice(0, 10)
    const shown = taken.slice(0, mostNamed).map(wordsOf)
    const more = taken.length > mostNamed ? [`and ${taken.length - mostNamed} more`] : []
    return `A rollback on ${day} took back ${[...shown, ...more].join(", ")}: labels given before it do not count for that.`
  })
}

const mostNamed = 5

const wordsOf = ({ folder, kind, rule }: RolledBack): string =>
  kind === "playbook" || kind === "calibration"
    ? `the ${kind} of ${oneLine(rule)}`
    : `the ${kind} of ${oneLine(rule)} in ${oneLine(folderWords(folder))}`

const keyOf = ({ folder, kind, rule }: Place): string => JSON.stringify([kind, rule, folder])

const placeOf = (key: string): Place => {
  const [kind, rule, folder] = JSON.parse(key) as [Kind, string, string]
  return { kind, rule, folder }
}

/** By its place, what a generation has there. */
const contentOf = (generation: Generation): ReadonlyMap<string, string> => {
  const { calibration, conventions, playbooks, suppressions } = generation
  const items = [
    ...suppressions.map((item) => ({ kind: "suppression" as const, folder: item.folder, rule: item.rule, item })),
    ...conventions.map((item) => ({ kind: "convention" as const, folder: item.folder, rule: item.rule, item })),
    ...playbooks.map((item) => ({ kind: "playbook" as const, folder: "", rule: item.rule, item })),
    ...calibration.map((item) => ({ kind: "calibration" as const, folder: "", rule: item.rule, item }))
  ]
  // A rule may have the calibration of several models.
  return new Map([...Map.groupBy(items, keyOf)].map(([key, own]) => [key, JSON.stringify(own.map(({ item }) => item))]))
}
