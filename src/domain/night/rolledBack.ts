/**
 * What a rollback took back. It stays away until labels that are later than the rollback carry it: earlier ones stay in the archive and no
 * longer count for it, except where the generation that counts has them as its evidence. A generation carries what was taken back before it.
 */
import { DateTime } from "effect"
import { folderWords } from "../finding/LearnedSuppression.ts"
import { isInFolder } from "../text/foldersAbove.ts"
import { oneLine } from "../text/Printable.ts"
import { type Opinion, refKey } from "./evidence/opinions.ts"
import type { Generation, RolledBack } from "./Generation.ts"

type Kind = RolledBack["kind"]
type Place = Omit<RolledBack, "at">

/** For the generation with the content of `old` that is made now, while `from` counts. */
export const rolledBackBetween = (old: Generation, from: Generation, at: number): ReadonlyArray<RolledBack> => {
  const kept = keysOf(old)
  const rows = (of: Generation, rule: string) => JSON.stringify(of.calibration.filter((each) => each.rule === rule))
  const taken = placesOf(from).filter(
    (place) =>
      !kept.has(keyOf(place)) || (place.kind === "calibration" && rows(old, place.rule) !== rows(from, place.rule))
  )
  const all = [
    ...(from.rolledBack ?? []).filter((each) => !kept.has(keyOf(each))),
    ...taken.map((each) => ({ ...each, at }))
  ]
  return [...new Map(all.map((each) => [keyOf(each), each])).values()]
}

/** Does a label count for items of this kind? */
export const countingIn = (generation: Generation): ((kind: Kind, opinion: Opinion<string>) => boolean) => {
  const { conventions, playbooks, rolledBack = [], suppressions } = generation
  const refsOf = (items: ReadonlyArray<{ readonly evidence: Generation["suppressions"][number]["evidence"] }>) =>
    new Set(items.flatMap(({ evidence }) => evidence.map(refKey)))
  const used = {
    suppression: refsOf(suppressions),
    convention: refsOf(conventions),
    playbook: refsOf(playbooks),
    calibration: new Set<string>()
  }
  return (kind, { at, file, ref, rule }) =>
    used[kind].has(refKey(ref)) ||
    !rolledBack.some(
      (each) => each.kind === kind && each.rule === rule && isInFolder(file, each.folder) && at <= each.at
    )
}

/** For the report: what is still away, one line for each rollback. */
export const rolledBackNotes = (generation: Generation): ReadonlyArray<string> => {
  const back = keysOf(generation)
  const away = (generation.rolledBack ?? []).filter((each) => !back.has(keyOf(each)))
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

const keysOf = (generation: Generation): ReadonlySet<string> => new Set(placesOf(generation).map(keyOf))

const placesOf = ({ calibration, conventions, playbooks, suppressions }: Generation): ReadonlyArray<Place> => [
  ...suppressions.map(({ folder, rule }) => ({ kind: "suppression" as const, rule, folder })),
  ...conventions.map(({ folder, rule }) => ({ kind: "convention" as const, rule, folder })),
  ...playbooks.map(({ rule }) => ({ kind: "playbook" as const, rule, folder: "" })),
  ...new Set(calibration.map(({ rule }) => rule))
    .values()
    .map((rule) => ({ kind: "calibration" as const, rule, folder: "" }))
]
