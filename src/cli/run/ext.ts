/** `dd ext validate`: what each of the user's extensions changes, or what is wrong with it and how to fix it. */

import { Console, Effect, Result, Runtime, Schema } from "effect"
import { Command } from "effect/cli"
import { apiVersion } from "../../domain/run/Extension.ts"
import { printable } from "../../domain/text/Printable.ts"
import { plural } from "../../domain/text/plural.ts"
import { outlineRegistry } from "../../programs/flows.ts"
import {
  type ExtensionBroken,
  type ExtensionFile,
  Extensions,
  extend,
  outlineOf
} from "../../services/run/Extensions.ts"
import { Redactor } from "../../services/secret/Redactor.ts"
import { writeOut } from "../system/writeOut.ts"
import { jsonFlag } from "../text/flags.ts"
import { plainJson } from "../text/plainJson.ts"
import { userExtensions } from "./flow.ts"

/** At least one extension is broken; its fault has been printed. */
export class ExtensionsNotValid extends Schema.TaggedError<ExtensionsNotValid>()("ExtensionsNotValid", {
  broken: Schema.Int,
  of: Schema.Int
}) {
  override readonly [Runtime.errorExitCode] = 1
  override get message() {
    return `${this.broken} of ${plural(this.of, "extension")} ${this.broken === 1 ? "is" : "are"} broken; reviews fail until this is fixed`
  }
}

interface Validated {
  readonly file: string
  readonly valid: boolean
  /** A sentence for each thing it registers. */
  readonly changes: ReadonlyArray<string>
  readonly reason: string | null
  readonly fix: string | null
}

const validate = Command.make("validate", {
  json: jsonFlag
}).pipe(
  Command.withDescription("Load all extensions and list what each changes"),
  Command.withHandler(
    Effect.fnUntraced(function* ({ json }) {
      const { files, place } = yield* Extensions
      const validated = yield* files.pipe(
        Effect.map(validateAll),
        Effect.catch((error) => Effect.succeed([notValid(error)]))
      )
      const report = { schema_version: 1, api: apiVersion, directory: place, extensions: validated }
      const { words } = yield* Redactor
      yield* json ? writeOut(`${words(plainJson(report))}\n`) : Console.log(words(reportText(report)))
      const broken = validated.filter(({ valid }) => !valid).length
      if (broken > 0) return yield* new ExtensionsNotValid({ broken, of: validated.length })
    })
  ),
  Command.provide(userExtensions)
)

export const extCommand = Command.make("ext").pipe(
  Command.withDescription("Check the extensions in ~/.daydream/extensions"),
  Command.withSubcommands([validate])
)

/** Applies each extension to the result of the valid ones before it, as a run would. */
export const validateAll = (files: ReadonlyArray<ExtensionFile>): ReadonlyArray<Validated> => {
  let registry = outlineRegistry
  return files.map((file) =>
    Result.match(extend(registry, file, outlineOf), {
      onFailure: notValid,
      onSuccess: (extended) => {
        registry = extended.registry
        return { file: file.file, valid: true, changes: extended.changes, reason: null, fix: null }
      }
    })
  )
}

const notValid = ({ file, reason, fix }: ExtensionBroken): Validated => ({
  file,
  valid: false,
  changes: [],
  reason,
  fix
})

export const reportText = ({
  api,
  directory,
  extensions
}: {
  readonly api: number
  readonly directory: string
  readonly extensions: ReadonlyArray<Validated>
}): string => {
  if (extensions.length === 0) return printable(`no extensions in ${directory} (API version ${api})`)
  const block = ({ file, valid, changes, reason, fix }: Validated): string => {
    if (!valid) return `${file}: broken\n  ${reason}\n  To fix it: ${fix}`
    const done = changes.length === 0 ? ["registers nothing"] : changes
    return `${file}: valid, API version ${api}\n${done.map((change) => `  ${change}`).join("\n")}`
  }
  return printable(extensions.map(block).join("\n"))
}
