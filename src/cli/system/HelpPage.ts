/** The page of `--help`: flags under their headings, lines that break between words within the width. */
import { Context, Option } from "effect"
import { Command, Completions, type HelpDoc } from "effect/cli"
import type { Ink } from "../text/Ink.ts"
import { columns, wrap } from "../text/Page.ts"

/** The flags of a command by heading; those without one are shown first. A flag that the command does not have is ignored. */
export const FlagGroups = Context.Reference<Readonly<Record<string, Command.Command.Config>>>("dd/cli/FlagGroups", {
  defaultValue: () => ({})
})

/** Commands or flags that do not exist yet, and what each will do. */
export const Planned = Context.Reference<Readonly<Record<string, string>>>("dd/cli/Planned", {
  defaultValue: () => ({})
})

/** Flags and names that are wider have their description on the next line. */
const widestName = 28

export const helpPage = (doc: HelpDoc.HelpDoc, width: number, ink: Ink): string => {
  const groups = groupsOf(doc).filter(({ rows }) => rows.length > 0)
  const names = groups.flatMap(({ rows }) => rows.map(([name]) => columns(name)))
  // All descriptions begin at the same column.
  const column = 4 + Math.max(8, ...names.filter((each) => each <= widestName))
  const lines = ([name, description]: Row): ReadonlyArray<string> => {
    const [first = "", ...others] = wrap(description, width - column)
    const indented = (line: string) => `${" ".repeat(column)}${line}`
    const gap = column - 2 - columns(name)
    return gap < 2
      ? [`  ${ink.name(name)}`, ...[first, ...others].map(indented)]
      : [`  ${ink.name(name)}${" ".repeat(gap)}${first}`.trimEnd(), ...others.map(indented)]
  }
  return [
    paragraphs(doc.description, width),
    [ink.bold("USAGE"), `  ${doc.usage}`].join("\n"),
    ...groups.map(({ heading, rows }) => [ink.bold(heading), ...rows.flatMap(lines)].join("\n")),
    ...examples(doc, ink)
  ].join("\n\n")
}

type Row = readonly [name: string, description: string]

const groupsOf = (doc: HelpDoc.HelpDoc): ReadonlyArray<{ heading: string; rows: ReadonlyArray<Row> }> => [
  { heading: "ARGUMENTS", rows: (doc.args ?? []).map(argumentRow) },
  ...flagsByHeading(doc).map(([heading, flags]) => ({ heading, rows: flags.map(flagRow) })),
  ...(doc.subcommands ?? []).map(({ commands, group }) => ({
    heading: group ?? "SUBCOMMANDS",
    rows: commands.map(({ description, name, shortDescription }): Row => [name, shortDescription ?? description])
  })),
  { heading: "PLANNED, NOT IN THIS VERSION", rows: Object.entries(Context.get(doc.annotations, Planned)) },
  { heading: "GLOBAL FLAGS", rows: (doc.globalFlags ?? []).map(flagRow) }
]

const argumentRow = ({ description, name, variadic }: HelpDoc.ArgDoc): Row => [
  `${name}${variadic ? "..." : ""}`,
  Option.getOrElse(description, () => "")
]

/** The flags of a command by heading, without empty ones. */
export const flagsByHeading = (
  doc: HelpDoc.HelpDoc
): ReadonlyArray<readonly [string, ReadonlyArray<HelpDoc.FlagDoc>]> => {
  const groups = Object.entries(Context.get(doc.annotations, FlagGroups)).map(
    ([heading, flags]) => [heading, new Set(namesOf(flags))] as const
  )
  const headingOf = ({ name }: HelpDoc.FlagDoc) => groups.find(([, names]) => names.has(name))?.[0] ?? "FLAGS"
  const found = Map.groupBy(doc.flags, headingOf)
  return ["FLAGS", ...groups.map(([heading]) => heading)].flatMap((heading) => {
    const flags = found.get(heading)
    return flags === undefined ? [] : [[heading, flags] as const]
  })
}

const namesOf = (flags: Command.Command.Config): ReadonlyArray<string> =>
  Completions.fromCommand(Command.make("group", flags)).flags.map(({ name }) => name)

/** A flag as it is typed, and what it does. */
export const flagRow = ({ aliases, description, name, type }: HelpDoc.FlagDoc): Row => {
  const value = type === "boolean" ? "" : type.startsWith("[") ? type : ` ${type}`
  return [`${[`--${name}`, ...aliases].join(", ")}${value}`, Option.getOrElse(description, () => "")]
}

/** The lines of a paragraph are joined; blank lines stay. */
const paragraphs = (text: string, width: number): string =>
  text
    .split(/\n\s*\n/)
    .map((paragraph) => wrap(paragraph.replaceAll(/\s*\n\s*/g, " ").trim(), width).join("\n"))
    .join("\n\n")

/** Commands are never divided, so that they can be copied. */
const examples = ({ examples: given = [] }: HelpDoc.HelpDoc, ink: Ink): ReadonlyArray<string> => {
  if (given.length === 0) return []
  const shown = given.map(({ command, description }) =>
    description === undefined ? `  ${command}` : `  ${ink.dim(`# ${description}`)}\n  ${command}`
  )
  const between = given.some(({ description }) => description !== undefined) ? "\n\n" : "\n"
  return [`${ink.bold("EXAMPLES")}\n${shown.join(between)}`]
}
