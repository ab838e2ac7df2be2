/**
 * A process that a test starts several times or kills: `key HOME` prints the key of the seals, which it makes if there is none;
 * `put HOME ROOT FILE NOW MOST` puts the profiles of a file into a dream store and prints a line for each.
 */
import { Effect, Layer, Schema } from "effect"
import { TestClock } from "effect/testing"
import { SessionProfile } from "../../src/domain/dream/SessionProfile.ts"
import { madeDreamKey } from "../../src/layers/dream/seal.ts"
import * as Directory from "../../src/layers/dream/store/Directory.ts"
import * as Platform from "../../src/layers/system/Platform.ts"
import { DreamStore } from "../../src/services/dream/DreamStore.ts"

const [task, home = "", root = "", file = "", now = "", most = ""] = process.argv.slice(2)
if (task === "key") process.stdout.write(madeDreamKey(home))
else {
  const profiles = Schema.decodeUnknownSync(Schema.Array(SessionProfile))(await Bun.file(file).json())
  const putAll = DreamStore.use((store) =>
    Effect.forEach(profiles, (profile) =>
      Effect.andThen(
        store.put({ key: "shop", root }, profile),
        Effect.sync(() => process.stdout.write(`${profile.session}\n`))
      )
    )
  )
  await Effect.runPromise(
    Effect.andThen(TestClock.setTime(Number(now)), putAll).pipe(
      Effect.provide(
        Directory.layer(home, Number(most)).pipe(Layer.provide(Platform.layer), Layer.provideMerge(TestClock.layer()))
      ),
      Effect.scoped,
      Effect.asVoid
    )
  )
}
