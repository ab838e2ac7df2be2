/** Forms of flags that the commands on records share. */
import { Option } from "effect"
import { Flag } from "effect/cli"

/** False unless given. */
export const switchFlag = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withoutNegation, Flag.withDescription(description), Flag.withDefault(false))

export const jsonFlag = Flag.Boolean("json").pipe(Flag.withDescription("Print JSON"), Flag.withDefault(false))

/** None for standard output. */
export const outputFlag = Flag.String("output").pipe(
  Flag.withMetavar("FILE"),
  Flag.withDescription("Write to this file instead of standard output (-)"),
  Flag.optional,
  Flag.map(Option.filter((path) => path !== "-"))
)

/** None unless given. */
export const textFlag = (name: string, metavar: string, description: string) =>
  Flag.String(name).pipe(Flag.withMetavar(metavar), Flag.withDescription(description), Flag.optional)

/** A number from `least` on. */
export const numberFlag = (name: string, metavar: string, description: string, least: number, otherwise: number) =>
  Flag.Int(name).pipe(
    Flag.withMetavar(metavar),
    Flag.withDescription(description),
    Flag.filter(
      (given) => given >= least,
      (given) => `a number from ${least} on, not ${given}`
    ),
    Flag.withDefault(otherwise)
  )
