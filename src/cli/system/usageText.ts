/** The messages of wrong usage: what is wrong, what was probably meant, and where the help is. */
import { Context, Option } from "effect"
import type { CliError, HelpDoc } from "effect/cli"
import { didYouMean, nearest } from "../../domain/text/Suggestion.ts"
import { Planned } from "./HelpPage.ts"

/** `doc`: the help of the command `name` whose usage is wrong. */
export const usageText = (error: CliError.NonShowHelpErrors, doc: HelpDoc.HelpDoc, name: string): string => {
  const help = `see ${name} --help`
  const planned = Object.keys(Context.get(doc.annotations, Planned))
  const unknown = (what: string, typed: string, known: ReadonlyArray<string>) => {
    if (planned.includes(typed)) return `"${typed}" is planned, but not in this version; ${help}`
    const meant = nearest(typed, [...known, ...planned])
    const later = meant !== null && planned.includes(meant) ? ", which is planned, but not in this version" : ""
    return `unknown ${what} "${typed}"${didYouMean(meant)}${later}; ${help}`
  }
  switch (error._tag) {
    case "UnrecognizedOption": {
      const flags = [...doc.flags, ...(doc.globalFlags ?? [])]
      const letters = flags.flatMap(({ aliases }) => aliases)
      if (/^-\w$/.test(error.option)) return `unknown flag "${error.option}"; known: ${letters.join(", ")}; ${help}`
      return unknown(
        "flag",
        error.option,
        flags.map((flag) => `--${flag.name}`)
      )
    }
    case "UnknownSubcommand": {
      const commands = (doc.subcommands ?? []).flatMap((group) => group.commands)
      return unknown(
        "command",
        error.subcommand,
        commands.map((command) => command.name)
      )
    }
    case "UnexpectedArgument":
      return `${name} takes no argument ${error.arguments.map((each) => JSON.stringify(each)).join(", ")}; ${help}`
    case "MissingOption":
      return `--${error.option} is missing; ${help}`
    case "MissingArgument":
      return `${missingText(error.argument, doc, name)}; ${help}`
    case "InvalidValue": {
      const flag = error.kind === "flag" ? `--${error.option}` : error.option.toUpperCase()
      return `${flag}${error.value === "" ? ": the value is missing" : ` is ${JSON.stringify(error.value)}`}; it takes ${expectedText(error)}; ${help}`
    }
    default:
      return `${error.message}; ${help}`
  }
}

/** What the argument is, and how a call with it looks. */
const missingText = (argument: string, { args, examples }: HelpDoc.HelpDoc, name: string): string => {
  const { description } = args?.find((each) => each.name === argument) ?? {}
  const [words = ""] = (description === undefined ? "" : Option.getOrElse(description, () => "")).split("; ")
  const isKnown = words.toLowerCase().replace(/^(?:an?|the) /, "") === argument.toLowerCase()
  const what = words === "" || isKnown ? "" : ` (${words.charAt(0).toLowerCase()}${words.slice(1)})`
  const example = examples?.find(({ command }) => command.startsWith(`${name} `))
  return `${argument.toUpperCase()} is missing${what}${example === undefined ? "" : `; for example: ${example.command}`}`
}

/** The parser lists choices as `"text" | "json"`. */
const expectedText = ({ expected, value }: CliError.InvalidValue): string => {
  const choices = [...expected.matchAll(/"([^"]*)"/g)].map(([, choice = ""]) => choice)
  if (choices.length < 2)
    return expected
      .replace(/^Expected:? ?/, "")
      .replace(/^a string representing a finite /, "a ")
      .replace(/^an integer$/, "a whole number")
  return `one of ${choices.join(", ")}${value === "" ? "" : didYouMean(nearest(value, choices))}`
}
