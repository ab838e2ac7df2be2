/** The definitions of a name and their uses as lines of text. */
import { placeOf } from "../review/render/Explanation.ts"
import type { RenderContext } from "../review/render/RenderContext.ts"
import { inkFor } from "../text/Ink.ts"
import { columns, wrap } from "../text/Page.ts"
import { listed, someOf } from "../text/Tally.ts"
import type { SymbolDefinition, SymbolsJson, Uses } from "./SymbolsJson.ts"

export type Page = Pick<RenderContext, "colour" | "here" | "width"> & {
  /** The most places of one group. */
  readonly most: number
}

interface Row {
  readonly place: string
  readonly words: string
  readonly certain: boolean
}

export const symbolsText = (symbols: SymbolsJson, page: Page): ReadonlyArray<string> => {
  const { dim } = inkFor(page.colour)
  const { definitions, name, near, omitted } = symbols
  const count = definitions.reduce((total, { overloads }) => total + 1 + overloads.length, 0)
  const detailed = definitions.flatMap((each) => (each.uses === null ? [] : [{ ...each, uses: each.uses }]))
  const others = definitions.filter(({ uses }) => uses === null)
  const hasPossible = detailed.some(({ uses }) => groupsOf(uses, page).some(isPossible))
  const blocks = [
    definitions.length === 0 ? [`No definition of ${name}`] : [],
    near.length === 0
      ? []
      : [
          "Similar definitions:",
          ...near.map(({ kind, line, name, path }) => `  ${kind} ${name}  ${placeOf({ file: path, line }, page)}`)
        ],
    count > 1 ? [`${count} definitions of ${name}`] : [],
    ...detailed.map((each) => [...titlesOf(each, page), ...usesText(each.uses, page)]),
    others.length === 0
      ? []
      : [
          ...wrap(
            `Definitions without their uses; to select them, use --in PATH or a longer name such as ${longerName(others)}`,
            page.width
          ),
          ...others.flatMap((each) => titlesOf(each, page)).map((title) => `  ${title}`)
        ],
    hasPossible ? [dim("possible: only the name matches, in a file that may use the definition")] : [],
    omitted.length === 0
      ? []
      : ["Not searched:", ...omitted.flatMap((each) => wrap(each, page.width - 2).map((text) => `  ${text}`))]
  ]
  return blocks.filter((block) => block.length > 0).flatMap((block, at) => (at === 0 ? block : ["", ...block]))
}

const titlesOf = ({ kind, name, overloads, path, ...first }: SymbolDefinition, page: Page): ReadonlyArray<string> =>
  [first, ...overloads].map(({ line, signature }) => {
    const words = inkFor(page.colour).bold(`${kind} ${signature ?? name}`)
    return `${words}  ${placeOf({ file: path, line }, page)}`
  })

/** A name that has fewer definitions: with its class, or with its file. */
const longerName = ([first]: ReadonlyArray<SymbolDefinition>): string => {
  if (first === undefined || first.name.includes(".")) return first?.name ?? ""
  const file = first.path.slice(first.path.lastIndexOf("/") + 1).replace(/\.\w+$/, "")
  return `${file}.${first.name}`
}

interface Group {
  readonly title: string
  readonly rows: ReadonlyArray<Row>
}

const isPossible = ({ rows }: Group): boolean => rows.some(({ certain }) => !certain)

/** Certain places first. */
const groupsOf = (uses: Uses, page: Page): ReadonlyArray<Group> => {
  const at = (file: string, line: number) => placeOf({ file, line }, page)
  const groups = [
    group("References", uses.references, ({ certain, kind, line, path }) => ({
      place: at(path, line),
      words: kind,
      certain
    })),
    group("Importers", uses.importers, ({ path }) => ({ place: at(path, 0), words: "", certain: true })),
    group("Callers", uses.callers, ({ calls: [first = 0, ...more], certain, name, path }) => ({
      place: at(path, first),
      words: `${name ?? "top of the file"}${more.length === 0 ? "" : `, also ${linesText(more)}`}`,
      certain
    })),
    group("Callees", uses.callees, ({ calls, certain, line, name, path }) => ({
      place: at(path, line),
      words: `${name}, called on ${linesText(calls)}`,
      certain
    })),
    group("Tests", uses.tests, ({ path, reason }) => ({
      place: at(path, 0),
      words: testReasons[reason],
      certain: true
    }))
  ]
  return groups
}

const testReasons = { use: "uses it", import: "imports its file", name: "is named after its file" }

const group = <A>(title: string, entries: ReadonlyArray<A>, row: (entry: A) => Row): Group => ({
  title,
  rows: entries.map(row).sort((a, b) => Number(b.certain) - Number(a.certain))
})

const linesText = (lines: ReadonlyArray<number>): string =>
  lines.length > 4
    ? `lines ${someOf(lines.map(String), 3)}`
    : `${lines.length === 1 ? "line" : "lines"} ${listed(lines.map(String))}`

const usesText = (uses: Uses, page: Page): ReadonlyArray<string> =>
  groupsOf(uses, page).flatMap(({ rows, title }) => {
    const possible = rows.filter(({ certain }) => !certain).length
    const shown = rows.slice(0, page.most)
    const widest = Math.max(0, ...shown.map(({ place }) => columns(place)))
    const count = rows.length === 0 ? "none" : `${rows.length}${possible === 0 ? "" : `, ${possible} possible`}`
    return [
      `  ${title}: ${count}`,
      ...shown.map(({ certain, place, words }) => {
        const space = " ".repeat(widest - columns(place))
        return `    ${place}${space}  ${certain ? words : `possible ${words}`}`.trimEnd()
      }),
      ...(shown.length === rows.length ? [] : [`    and ${rows.length - shown.length} more`])
    ]
  })
