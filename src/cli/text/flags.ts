/** Forms of flags that several commands have. */
import { Option } from "effect"
import { Flag } from "effect/cli"

/** False unless given. */
export const switchFlag = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withoutNegation, Flag.withDescription(description), Flag.withDefault(false))

/** None unless given. */
export const textFlag = (name: string, metavar: string, description: string) =>
  Flag.String(name).pipe(Flag.withMetavar(metavar), Flag.withDescription(description), Flag.optional)

/** None unless given. */
export const directoryFlag = (name: string, description: string) =>
  Flag.String(name).pipe(
    Flag.withMetavar("DIR"),
    Flag.withDescription(description),
    Flag.filter(
      (given) => given !== "",
      () => "a directory, and it is empty"
    ),
    Flag.optional
  )

/** Empty unless given. */
export const repeatedFlag = (name: string, metavar: string, description: string) =>
  Flag.String(name).pipe(Flag.withMetavar(metavar), Flag.withDescription(description), Flag.atLeast(0))

/** None unless given. */
export const countFlag = (name: string, description: string) =>
  Flag.Int(name).pipe(Flag.withMetavar("N"), Flag.withDescription(description), Flag.optional)

const boundedFlag = (name: string, metavar: string, description: string, least: number) =>
  Flag.Int(name).pipe(
    Flag.withMetavar(metavar),
    Flag.withDescription(description),
    Flag.filter(
      (given) => given >= least,
      (given) => `a number from ${least} on, not ${given}`
    )
  )

/** A number of at least `least`. */
export const numberFlag = (name: string, metavar: string, description: string, least: number, otherwise: number) =>
  Flag.withDefault(boundedFlag(name, metavar, description, least), otherwise)

/** A number of at least `least`; none unless given. */
export const optionalNumberFlag = (name: string, metavar: string, description: string, least: number) =>
  Flag.optional(boundedFlag(name, metavar, description, least))

/** None unless given. */
export const choiceFlag = <const Choices extends ReadonlyArray<string>>(
  name: string,
  metavar: string,
  choices: Choices,
  description: string
) => Flag.Literals(name, choices).pipe(Flag.withMetavar(metavar), Flag.withDescription(description), Flag.optional)

/** The first format unless given. */
export const formatFlag = <const First extends string, const Others extends ReadonlyArray<string>>(
  formats: readonly [First, ...Others]
) =>
  Flag.Literals("format", formats).pipe(
    Flag.withMetavar("FORMAT"),
    Flag.withDescription("Print the result in this format"),
    Flag.withDefault(formats[0])
  )

export const jsonFlag = Flag.Boolean("json").pipe(Flag.withDescription("Print JSON"), Flag.withDefault(false))

/** None for standard output. */
export const outputFlag = Flag.String("output").pipe(
  Flag.withMetavar("FILE"),
  Flag.withDescription("Write to this file instead of standard output (-)"),
  Flag.optional,
  Flag.map(Option.filter((path) => path !== "-"))
)
