/**
 * Whether dd prints colours on standard output and on standard error. No other file decides.
 *
 * The first that applies: `--color`, NO_COLOR, CLICOLOR_FORCE, whether the stream is a terminal that is not dumb.
 */
import { Context, Effect } from "effect"
import { Flag, GlobalFlag } from "effect/cli"
import {
  type ColourChoice,
  colourChoices,
  colourOfArguments,
  colourOfEnvironment
} from "../../domain/system/ColourChoice.ts"

export interface Colours {
  /** `--color`; undefined: not given. */
  readonly asked: ColourChoice | undefined
  /** The flag, else the environment. */
  readonly chosen: ColourChoice
  /** Whether the stream is a terminal that shows colours. */
  readonly isShownOn: (descriptor: 1 | 2) => boolean
}

export const Colours = Context.Reference<Colours>("dd/cli/Colours", {
  defaultValue: () => ({ asked: undefined, chosen: "auto", isShownOn: () => false })
})

export const coloursOf = (
  args: ReadonlyArray<string>,
  environment: Readonly<Record<string, string | undefined>>,
  isTerminal: (descriptor: 1 | 2) => boolean
): Colours => {
  const asked = colourOfArguments(args)
  return {
    asked,
    chosen: asked ?? colourOfEnvironment(environment)?.choice ?? "auto",
    isShownOn: (descriptor) => environment.TERM !== "dumb" && isTerminal(descriptor)
  }
}

/** `choice`: from the settings, which include the flag and the environment. */
export const isColoured = (colours: Colours, descriptor: 1 | 2, choice: ColourChoice = colours.chosen): boolean =>
  choice === "auto" ? colours.isShownOn(descriptor) : choice === "always"

export const canShowColour = (descriptor: 1 | 2, choice?: ColourChoice) =>
  Effect.map(Colours, (colours) => isColoured(colours, descriptor, choice))

/** For the settings; undefined if the flag is not given. */
export const colourAsked = Effect.map(Colours, ({ asked }) => asked)

/** Every command has these. Their values are read from the arguments, because messages about arguments have colours too. */
export const colourFlags = [
  GlobalFlag.Setting("color")({
    flag: Flag.Literals("color", colourChoices).pipe(
      Flag.withMetavar("WHEN"),
      Flag.withDescription("Print in colour; default: auto, on a terminal"),
      Flag.withDefault("auto" as const)
    )
  }),
  GlobalFlag.Setting("no-color")({
    flag: Flag.Boolean("no-color").pipe(Flag.withoutNegation, Flag.withHidden, Flag.withDefault(false))
  })
] as const
