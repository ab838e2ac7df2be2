/** `dd self-update`: replaces this program by the newest release. Nothing else in dd looks for one. */
import { Config, Console, Effect, Option } from "effect"
import { Command } from "effect/cli"
import { version } from "../../../package.json" with { type: "json" }
import { selfUpdateFrom } from "../../layers/UpdateLive.ts"
import { SelfUpdate, UpdateRefused } from "../../services/update/SelfUpdate.ts"
import { build } from "../system/build.ts"
import { ownProgram } from "../system/handOver.ts"
import { switchFlag } from "../text/flags.ts"

const update = Effect.fnUntraced(function* (isCheck: boolean, target: string) {
  const selfUpdate = yield* SelfUpdate
  const installed = { program: ownProgram(), version, target }
  if (!isCheck) yield* selfUpdate.allowed(installed)
  const release = yield* selfUpdate.newer(installed)
  if (release === null) return yield* Console.log(`dd ${version} is the newest version`)
  if (isCheck) return yield* Console.log(`dd ${release.version} is available; this is ${version}`)
  yield* Console.error(`Downloading ${release.archive}`)
  yield* selfUpdate.install(installed, release)
  yield* Console.log(`replaced dd ${version} by ${release.version}: ${installed.program}`)
})

export const selfUpdateCommand = Command.make(
  "self-update",
  { check: switchFlag("check", "Only say whether there is a newer version") },
  Effect.fnUntraced(function* ({ check }) {
    const given = yield* Config.option(Config.String("DD_RELEASE_URL"))
    const url = Option.getOrNull(given) ?? build?.releases ?? null
    if (build === null)
      return yield* new UpdateRefused({ reason: "dd runs from its sources; update them with git pull" })
    if (url === null) {
      return yield* new UpdateRefused({ reason: "this version has no address for its releases; set DD_RELEASE_URL" })
    }
    yield* Effect.provide(update(check, build.target), selfUpdateFrom(url))
  })
).pipe(
  Command.withDescription("Install the newest version"),
  Command.withExamples([{ command: "dd self-update --check" }])
)
