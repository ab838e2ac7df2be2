import { describe, expect, test } from "bun:test"
import { symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { scratch, systemPath } from "../../support/process.ts"

const layers = join(import.meta.dir, "../../../src/layers/system")

/** Writes pieces to standard output through a layer, and says on standard error how that went, and what it is. */
const writer = (layer: string) => `
import { Effect, Stdio, Stream } from "effect"
import { layer } from ${JSON.stringify(layer)}
import { systemErrorCode } from ${JSON.stringify(join(layers, "../../services/system/systemErrorText.ts"))}
const pieces = ["one\\n", new TextEncoder().encode("zw\\u00f6lf\\n"), "", "x".repeat(400_000) + "\\n", "last\\n"]
const program = Effect.gen(function* () {
  const stdio = yield* Stdio.Stdio
  const terminals = [yield* stdio.stdinIsTerminal, yield* stdio.stdoutIsTerminal, yield* stdio.stderrIsTerminal]
  const ended = yield* Effect.result(
    Effect.forEach(pieces, (piece) => Stream.run(Stream.make(piece), stdio.stdout({ endOnDone: false })))
  )
  const words = ended._tag === "Success" ? "written" : systemErrorCode(ended.failure)
  yield* Stream.run(Stream.make(words + " " + terminals.join()), stdio.stderr({ endOnDone: false }))
})
Effect.runPromise(Effect.provide(program, layer)).then(() => process.exit(0), (error) => { console.error(error); process.exit(1) })
`

const platform = "@effect/platform-node-shared/NodeStdio"
const whole = `one\nzwölf\n${"x".repeat(400_000)}\nlast\n`

/** What a shell does with the program's output, in a directory of its own: its output, errors and files. */
const ran = async (layer: string, shell: string) => {
  using place = scratch()
  const script = join(place.path, "writer.ts")
  writeFileSync(script, writer(layer))
  // It asks for this repository's packages by name.
  symlinkSync(join(import.meta.dir, "../../../node_modules"), join(place.path, "node_modules"))
  const child = Bun.spawn(["bash", "-c", shell, process.execPath, script], {
    cwd: place.path,
    env: { PATH: systemPath },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe"
  })
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  const file = await Bun.file(join(place.path, "out"))
    .text()
    .catch(() => null)
  return { out, err, file, status: await child.exited }
}

const cases: Readonly<Record<string, readonly [shell: string, out: string, err: string, file: string | null]>> = {
  "a pipe": [`"$0" "$1" | cat`, whole, "written false,false,false", null],
  "a pipe that is read late": [`"$0" "$1" | (sleep 0.3; cat)`, whole, "written false,false,false", null],
  "a pipe whose reader has gone": [`"$0" "$1" | true`, "", "EPIPE false,false,false", null],
  "a pipe whose reader goes in the middle": [`"$0" "$1" | head -c 4`, "one\n", "EPIPE false,false,false", null],
  "a file": [`"$0" "$1" > out`, "", "written false,false,false", whole],
  "the end of a file": [
    `echo before > out; "$0" "$1" >> out; echo after >> out`,
    "",
    "written false,false,false",
    `before\n${whole}after\n`
  ],
  "the middle of a file": [
    `(echo before; "$0" "$1"; echo after) > out`,
    "",
    "written false,false,false",
    `before\n${whole}after\n`
  ],
  "a device that is full": [`"$0" "$1" > /dev/full`, "", "ENOSPC false,false,false", null],
  nowhere: [`"$0" "$1" > /dev/null`, "", "written false,false,false", null],
  "a file, as errors go there too": [`"$0" "$1" > out 2>&1`, "", "", `${whole}written false,false,false`]
}

describe("standard output", () => {
  test.each(Object.entries(cases))(
    "to %s is written completely and in order, or the system's reason is told",
    async (_, [shell, out, err, file]) => {
      expect(await ran(join(layers, "QuickStdio.ts"), shell)).toMatchObject({ out, err, file })
    }
  )

  test.each(Object.entries(cases))("to %s goes as the platform has it go", async (_, [shell]) => {
    const { status: __, ...platforms } = await ran(platform, shell)
    expect(await ran(join(layers, "QuickStdio.ts"), shell)).toMatchObject(platforms)
  })

  // Util-linux's program is the only way to a terminal that a test has.
  test.skipIf(Bun.which("script", { PATH: systemPath }) === null)("is a terminal where it is one", async () => {
    const { out } = await ran(
      join(layers, "QuickStdio.ts"),
      `script -qec "\\"$0\\" \\"$1\\" 2> errors" log > /dev/null < /dev/null; cat errors`
    )
    expect(out).toEndWith(",true,false")
  })
})
