/** What `dd pack` prints of a pack. */
import type { Change } from "../../domain/change/Change.ts"
import type { ContextPack } from "../../domain/pack/ContextPack.ts"
import type { Omission } from "../../domain/pack/Omission.ts"
import { compareText } from "../../domain/text/compareText.ts"

const numbers = new Intl.NumberFormat("en-US")
const shown = (count: number): string => numbers.format(count)
const counted = (count: number, one: string, many = `${one}s`): string => `${shown(count)} ${count === 1 ? one : many}`

const mostNamed = 8

export const summaryOf = (pack: ContextPack, change: Change, directory: string | null): ReadonlyArray<string> => {
  const { baseline, budget, final } = pack.tokens
  const whole = pack.related.filter(({ extent }) => extent === "full").length
  const parts = pack.related.length - whole
  return [
    `Context pack of ${change.description}`,
    `Changed: ${counted(pack.changed.length, "file")} and the diff, ${counted(baseline, "token")}${omittedWords(pack.omitted)}`,
    ...pack.reductions.map(
      ({ from, path, saved, to }) => `  ${path}: ${to} instead of ${from}, ${counted(saved, "token")} less`
    ),
    ...(pack.status === "ok"
      ? [
          `Related: ${counted(whole, "file")} whole${parts === 0 ? "" : ` and ${shown(parts)} in part`}, ${counted(final - baseline, "token")}${omittedWords(pack.relatedOmitted)}`,
          ...(pack.related.length === 0
            ? []
            : [
                `Closest: ${pack.related
                  .slice(0, mostNamed)
                  .map(({ path }) => path)
                  .join(", ")}`
              ])
        ]
      : [
          overBudget(pack),
          ...pack.sizes.slice(0, mostNamed).map(({ path, tokens }) => `  ${path}: ${counted(tokens, "token")}`)
        ]),
    ...pack.warnings.map((warning) => `Not seen: ${warning}`),
    `Tokens: ${shown(final)} of ${shown(budget)} (${pack.tokens.encoding})`,
    ...(directory === null ? [] : [`Written to ${directory}`]),
    `sha256 ${pack.sha256}`
  ]
}

/** What a reader of the pack alone would not know. */
export const notesOf = (pack: ContextPack): ReadonlyArray<string> => [
  ...pack.reductions.map(({ from, path, to }) => `${path}: ${to} instead of ${from}, to fit the budget`),
  ...pack.warnings,
  ...(pack.status === "ok"
    ? []
    : [
        `${overBudget(pack)} ${pack.sizes
          .slice(0, mostNamed)
          .map(({ path, tokens }) => `${path} (${counted(tokens, "token")})`)
          .join(", ")}`
      ])
]

/** What the user can do about it. */
export const overBudget = ({ tokens }: ContextPack): string =>
  `core-over-budget: the changed files need ${shown(tokens.baseline)} tokens, ${shown(tokens.baseline - tokens.budget)} over the budget of ${shown(tokens.budget)}; raise --budget, or leave files out with --exclude:`

/** `; left out: 12 over-budget, 3 filtered:docs`. */
const omittedWords = (omitted: ReadonlyArray<Omission>): string => {
  if (omitted.length === 0) return ""
  const counts = [...Map.groupBy(omitted, ({ reason }) => reason)]
    .sort(([a, first], [b, second]) => second.length - first.length || compareText(a, b))
    .map(([reason, some]) => `${shown(some.length)} ${reason}`)
  return `; left out: ${counts.join(", ")}`
}
