/** How the machine is kept awake, with programs of the test in place of those of the system. */
import { describe, expect } from "bun:test"
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import * as Layer from "../../../src/layers/night/KeepAwake.ts"
import { KeepAwake } from "../../../src/services/night/KeepAwake.ts"
import { it } from "../../support/effect.ts"
import { fileDirectory } from "../../support/fileDirectory.ts"
import { isRunning } from "../../support/process.ts"

const directory = fileDirectory()

const program = (name: string, text: string): string => {
  const path = join(directory, name)
  writeFileSync(path, text)
  chmodSync(path, 0o755)
  return path
}

/** `find`: what is installed. */
const begin = (platform: NodeJS.Platform, find: (name: string) => string | null, wanted = true) =>
  KeepAwake.use((awake) => awake.begin(wanted)).pipe(Effect.provide(Layer.layer(platform, find)))

const none = () => null

describe("the machine", () => {
  for (const [platform, name] of [
    ["linux", "systemd-inhibit"],
    ["darwin", "caffeinate"]
  ] as const) {
    it.live(`is kept awake on ${platform} by ${name} until the night is over`, () =>
      Effect.gen(function* () {
        const seen = join(directory, `${platform}.pid`)
        const path = program(
          name,
          `#!/bin/sh\necho "$$ $*" > "${seen}.new"; mv "${seen}.new" "${seen}"\nexec tail -f /dev/null\n`
        )
        const asked: Array<string> = []
        const inside = Effect.gen(function* () {
          const awake = yield* begin(platform, (wanted) => {
            asked.push(wanted)
            return path
          })
          while (!existsSync(seen)) yield* Effect.yieldNow
          return { awake, isThere: isRunning(Number.parseInt(readFileSync(seen, "utf8"), 10)) }
        })
        expect(yield* Effect.scoped(inside)).toEqual({ awake: { mode: name, note: null }, isThere: true })
        expect(asked).toEqual([name])
        const [pid, ...args] = readFileSync(seen, "utf8").trim().split(" ")
        expect(args.join(" ")).toContain(String(process.pid))
        while (isRunning(Number(pid))) yield* Effect.yieldNow
      })
    )
  }

  it.live("may sleep if the user wants it, or if nothing can prevent it, and the report says why", () =>
    Effect.gen(function* () {
      expect(yield* begin("linux", none, false)).toEqual({ mode: "disabled", note: null })
      expect(yield* begin("win32", none)).toMatchObject({ mode: "unsupported", note: expect.stringContaining("sleep") })
      expect(yield* begin("linux", none)).toEqual({
        ...{ mode: "missing-systemd-inhibit", note: "systemd-inhibit is not installed: the machine may sleep" }
      })
    })
  )

  it.live("may sleep if the program ends at once, or cannot be started: the night goes on", () =>
    Effect.gen(function* () {
      const failing = program("failing", "#!/bin/sh\nexit 7\n")
      expect(yield* begin("linux", () => failing)).toEqual({
        ...{ mode: "systemd-inhibit-error", note: "systemd-inhibit ended with 7: the machine may sleep" }
      })
      const broken = program("broken", "#!/nonexistent/interpreter\n")
      expect(yield* begin("darwin", () => broken)).toEqual({
        ...{ mode: "caffeinate-error", note: "caffeinate could not be started: the machine may sleep" }
      })
    })
  )
})
