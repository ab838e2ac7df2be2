/** `dd version`, the same as `dd --version`. */
import { Console } from "effect"
import { Command } from "effect/cli"
import { jsonFlag } from "../text/flags.ts"
import { versionText } from "./versionText.ts"

export const versionCommand = Command.make("version", { json: jsonFlag }, ({ json }) =>
  Console.log(versionText(json))
).pipe(Command.withDescription("Show the version"))
