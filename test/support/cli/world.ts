/** Everything a CLI backend asks for, around a fake CLI in a directory of its own. */
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { ConfigProvider, type Duration, Effect, Layer } from "effect"
import * as Claude from "../../../src/layers/agent/backend/Claude.ts"
import * as Codex from "../../../src/layers/agent/backend/Codex.ts"
import { type Cli, CliIdle, CliLinger, layer as cliLayer } from "../../../src/layers/agent/backend/cli/CliBackend.ts"
import * as Pi from "../../../src/layers/agent/backend/Pi.ts"
import * as Files from "../../../src/layers/change/sources/Files.ts"
import * as Platform from "../../../src/layers/system/Platform.ts"
import type { Prompt } from "../../../src/prompts/Prompt.ts"
import { PromptBuilder } from "../../../src/services/agent/PromptBuilder.ts"
import { FailPolicy } from "../../../src/services/run/FailPolicy.ts"
import { Redactor } from "../../../src/services/secret/Redactor.ts"
import * as Memory from "../MemoryRecorder.ts"
import { systemPath } from "../process.ts"
import { type Installed, install, noFindings } from "./install.ts"
import type { CliName } from "./protocols.ts"

/** What a model would answer to each task. */
export const replies = {
  ...noFindings,
  Intent: { intent: "Open a file." },
  StackReview: { review: "", issues: [] },
  Arbitrate: { findings: [{ arb_id: 1, keep: true }] }
}

/** Says which task it is, and with a repair what was wrong. */
export const promptBuilder = (over: Partial<Prompt> = {}) =>
  Layer.succeed(
    PromptBuilder,
    PromptBuilder.of({
      followUpFor: () => Effect.succeed(null),
      promptFor: (task, repair) =>
        Effect.succeed({
          task: task._tag,
          system: ["You review code."],
          user: [
            { text: `TASK ${task._tag}, with the tool diff`, plain: `TASK ${task._tag}`, lasting: false },
            ...(repair === null ? [] : [{ text: `It was ${repair.answer}: ${repair.fault}`, lasting: false }])
          ],
          submit: {
            name: "submit",
            description: "Hands in the reply",
            reply: { type: "object", additionalProperties: false, properties: { intent: { type: "string" } } }
          },
          otherSubmits: [],
          nonce: "bcdfghjkmn",
          tools: task._tag === "Fix" ? "write" : "read-only",
          shown: [],
          ...over
        })
    })
  )

export interface World {
  readonly scenario: string
  readonly files?: Readonly<Record<string, string>>
  readonly options?: Partial<Pi.PiOptions>
  readonly environment?: Readonly<Record<string, string>>
  readonly idle?: Duration.Input
  readonly prompt?: Partial<Prompt>
}

const clis: Readonly<Record<CliName, (options: Pi.PiOptions) => Cli>> = {
  claude: Claude.cli,
  codex: Codex.cli,
  pi: Pi.cli
}

/** `place`: a directory that the test removes. */
export const world = (name: CliName, place: string, { environment, files, idle, options, prompt, scenario }: World) => {
  const bin = join(place, "bin")
  mkdirSync(bin, { recursive: true })
  const cli: Installed = install(bin, name, scenario, replies)
  const bytes = new Map(
    Object.entries(files ?? { "src/a.py": "import os\nf = open(p)\n" }).map(([path, text]) => [
      path,
      new TextEncoder().encode(text)
    ])
  )
  const env = { PATH: `${bin}:${systemPath}`, HOME: place, ...environment }
  const given = {
    model: null,
    provider: null,
    effort: null,
    fanout: 3,
    home: join(place, "dd"),
    reviewed: null,
    changed: ["src/a.py"],
    before: [],
    ...options
  }
  const layer = cliLayer(clis[name](given), given).pipe(
    Layer.provide([
      promptBuilder(prompt),
      Files.layer({ files: bytes, root: null }),
      FailPolicy.layer,
      ConfigProvider.layer(ConfigProvider.fromEnv({ env })),
      Layer.succeed(CliIdle, idle ?? "10 minutes"),
      // Only who never ends is not waited for: to end may take a while.
      Layer.succeed(CliLinger, scenario === "linger" ? "200 millis" : "10 minutes"),
      Redactor.layerOf({})
    ]),
    Layer.provideMerge(Memory.layer),
    Layer.provide(Platform.layer)
  )
  return { cli, layer }
}
