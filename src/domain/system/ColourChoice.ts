/** Whether output has colours: what the user chose, and what the environment says. */

export const colourChoices = ["auto", "always", "never"] as const
export type ColourChoice = (typeof colourChoices)[number]

/** The variables that choose; NO_COLOR outranks the others. */
export const colourVariables = ["NO_COLOR", "CLICOLOR_FORCE", "FORCE_COLOR"] as const

type Environment = { readonly [Name in (typeof colourVariables)[number]]?: string | undefined }

/**
 * The variable that decides, and its choice; null if none does. NO_COLOR has any value that is not empty
 * (https://no-color.org), the others any value but 0 and false (https://bixense.com/clicolors).
 */
export const colourOfEnvironment = (
  environment: Environment
): { readonly name: string; readonly choice: ColourChoice } | null => {
  if ((environment.NO_COLOR ?? "") !== "") return { name: "NO_COLOR", choice: "never" }
  const forcing = (["CLICOLOR_FORCE", "FORCE_COLOR"] as const).find((name) => {
    const value = environment[name] ?? ""
    return value !== "" && value !== "0" && value.toLowerCase() !== "false"
  })
  return forcing === undefined ? null : { name: forcing, choice: "always" }
}

/** The last `--color WHEN`, `--color=WHEN` or `--no-color`; undefined without one. */
export const colourOfArguments = (args: ReadonlyArray<string>): ColourChoice | undefined => {
  const end = args.indexOf("--")
  const flags = end === -1 ? args : args.slice(0, end)
  const choices = flags.map((word, at) => {
    if (word === "--no-color") return "never"
    const value = word === "--color" ? flags[at + 1] : word.startsWith("--color=") ? word.slice(8) : undefined
    return colourChoices.find((choice) => choice === value)
  })
  return choices.findLast((choice) => choice !== undefined)
}
