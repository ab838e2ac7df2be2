/** The command reference in docs/commands.md and the manual page, made from the command tree. `bun scripts/release/reference.ts` writes the former. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Layer, Option } from "effect"
import { CliOutput, Command, Completions, type HelpDoc } from "effect/cli"
import { dd } from "../../src/cli/dd.ts"
import { exitCodes } from "../../src/cli/system/exitCode.ts"
import { flagRow, flagsByHeading } from "../../src/cli/system/HelpPage.ts"
import { invocation } from "../../src/cli/system/invocation.ts"
import * as Platform from "../../src/layers/system/Platform.ts"
import { Redactor, redactorOf } from "../../src/services/secret/Redactor.ts"

/** What `dd COMMAND --help` shows. */
const docOf = async (path: ReadonlyArray<string>): Promise<HelpDoc.HelpDoc> => {
  const found: Array<HelpDoc.HelpDoc> = []
  const presenter = CliOutput.layerPresenter({
    present: (event) => Effect.sync(() => (event._tag === "Help" ? found.push(event.helpDoc) : undefined))
  })
  const surroundings = Layer.mergeAll(
    Platform.layer,
    invocation((text) => text),
    presenter,
    Layer.succeed(Redactor, Redactor.of(redactorOf({})))
  )
  await Effect.runPromise(Command.runWith(dd, { version: "" })([...path, "--help"]).pipe(Effect.provide(surroundings)))
  const [doc] = found
  if (doc === undefined) throw new Error(`dd ${path.join(" ")} has no help`)
  return doc
}

type Described = { readonly name: string; readonly doc: HelpDoc.HelpDoc }

/** All commands, each before its subcommands. */
const allCommands = async (): Promise<ReadonlyArray<Described>> => {
  const paths: Array<ReadonlyArray<string>> = []
  const collect = (command: Completions.CommandDescriptor, path: ReadonlyArray<string>): void => {
    paths.push(path)
    for (const subcommand of command.subcommands) collect(subcommand, [...path, subcommand.name])
  }
  collect(Completions.fromCommand(dd), [])
  return Promise.all(paths.map(async (path) => ({ name: ["dd", ...path].join(" "), doc: await docOf(path) })))
}

type Row = readonly [name: string, description: string]
type Section = { readonly heading: string; readonly rows: ReadonlyArray<Row> }

/** Without the indentation of the source, which would break lines. */
const paragraphs = (text: string): string => text.trim().replaceAll(/^[ \t]+/gm, "")

/** Arguments, flags by heading, and subcommands. */
const sectionsOf = (doc: HelpDoc.HelpDoc): ReadonlyArray<Section> =>
  [
    {
      heading: "ARGUMENTS",
      rows: (doc.args ?? []).map(
        (arg): Row => [`${arg.name}${arg.variadic ? "..." : ""}`, Option.getOrElse(arg.description, () => "")]
      )
    },
    ...flagsByHeading(doc).map(([heading, flags]) => ({ heading, rows: flags.map(flagRow) })),
    {
      heading: "SUBCOMMANDS",
      rows: (doc.subcommands ?? []).flatMap(({ commands }) =>
        commands.map(({ description, name, shortDescription }): Row => [name, shortDescription ?? description])
      )
    }
  ].filter(({ rows }) => rows.length > 0)

const sentenceCase = (heading: string): string => heading.charAt(0) + heading.slice(1).toLowerCase()

export const commandReference = async (): Promise<string> => {
  const parts = (await allCommands()).map(({ doc, name }) =>
    [
      `## ${name}`,
      paragraphs(doc.description),
      `\`\`\`text\n${doc.usage}\n\`\`\``,
      ...sectionsOf(doc).map(
        ({ heading, rows }) =>
          `${sentenceCase(heading)}\n\n${rows.map(([row, description]) => `- \`${row}\`${description === "" ? "" : `: ${asText(description)}`}`).join("\n")}`
      ),
      ...examplesOf(doc)
    ].join("\n\n")
  )
  return `${["# Commands", "Made from the command tree by `bun scripts/release/reference.ts`; the same as `dd COMMAND --help`.", globalFlags, ...parts].join("\n\n")}\n`
}

const globalFlags = "Every command has `--help` (`-h`), `--version` (`-V`) and `--color auto|always|never`."

/** Placeholders such as <run> would be HTML. */
const asText = (words: string): string => words.replaceAll("<", "\\<")

const examplesOf = ({ examples = [] }: HelpDoc.HelpDoc): ReadonlyArray<string> => {
  const lines = examples.map(({ command, description }) =>
    description === undefined ? command : `# ${description}\n${command}`
  )
  return lines.length === 0 ? [] : [`\`\`\`sh\n${lines.join("\n")}\n\`\`\``]
}

/** `dd.1` in roff, for `man`. `date` is that of the version. */
export const manualPage = async (version: string, date: string): Promise<string> => {
  const [root, ...commands] = await allCommands()
  const rows = (section: Section): ReadonlyArray<string> =>
    section.rows.flatMap(([row, description]) => [
      ".TP",
      `.B ${roff(row)}`,
      roff(description === "" ? "-" : description)
    ])
  const described = ({ doc, name }: Described): ReadonlyArray<string> => [
    `.SS ${roff(name)}`,
    roff(paragraphs(doc.description)),
    ".PP",
    `.B ${roff(doc.usage)}`,
    ...sectionsOf(doc)
      .filter(({ heading }) => heading !== "SUBCOMMANDS")
      .flatMap(rows)
  ]
  return `${[
    `.TH DAYDREAM 1 "${date}" "dd ${version}" "User Commands"`,
    ".SH NAME",
    `daydream, dd \\- ${roff(root?.doc.description ?? "")}`,
    ".SH SYNOPSIS",
    ".B daydream",
    ".I command",
    "[flags]",
    ".SH DESCRIPTION",
    roff(
      "dd is another name of daydream. Calls of dd with the operands of coreutils' dd (if=, of=, ...) go to that program."
    ),
    ".PP",
    roff("Every command has --help, --version and --color auto|always|never."),
    ".SH COMMANDS",
    ...commands.flatMap(described),
    ".SH EXIT STATUS",
    ...Object.entries(exitCodes).flatMap(([name, code]) => [
      ".TP",
      `.B ${code}`,
      exitWords[name as keyof typeof exitCodes]
    ])
  ].join("\n")}\n`
}

const exitWords: Record<keyof typeof exitCodes, string> = {
  pass: "success; for a review, no finding at or above --fail-on",
  findings: "findings at or above --fail-on",
  usage: "wrong usage or configuration",
  couldNotRun: "could not run: git, network or authentication",
  inconclusive: "inconclusive: a budget, a time limit, a refusal or an unreadable reply",
  interrupted: "interrupted",
  terminated: "terminated"
}

/** Text that is not a request: no escape, and no control character at the beginning of a line. */
const roff = (words: string): string =>
  words
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replaceAll(/^([.'])/gm, "\\&$1")
    .replaceAll(/\n\s*\n/g, "\n.PP\n")

if (import.meta.main) writeFileSync(join(import.meta.dir, "../../docs/commands.md"), await commandReference())
