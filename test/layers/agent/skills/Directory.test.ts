import { describe, expect } from "bun:test"
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { Effect, Layer } from "effect"
import * as Directory from "../../../../src/layers/agent/skills/Directory.ts"
import * as Platform from "../../../../src/layers/system/Platform.ts"
import { Skills } from "../../../../src/services/agent/Skills.ts"
import { it } from "../../../support/effect.ts"
import { makeDirectory as home } from "../../../support/repository.ts"

const write = (root: string, files: Readonly<Record<string, string>>) => {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
}

const found = (options: Omit<Directory.Options, "chosen">) =>
  Skills.use((skills) => skills.found).pipe(
    Effect.provide(Directory.layer({ ...options, chosen: null }).pipe(Layer.provide(Platform.layer))),
    Effect.map(({ problems, skills }) => ({ problems, skills: skills.map(({ name, text }) => `${name}: ${text}`) }))
  )

describe("skills of the user", () => {
  it.live("come from the user's own folder first, then from plugins", () =>
    Effect.gen(function* () {
      const root = yield* home
      const installed = (name: string, scope: string) => ({ scope, installPath: join(root, "cache", name) })
      write(root, {
        "dd/skills/go/SKILL.md": "---\nname: go\n---\nmine",
        "dd/skills/notes.txt": "no skill",
        "dd/skills/empty/README.md": "no skill either",
        "cache/beagle/skills/review-go/SKILL.md": "beagle's",
        "cache/team/skills/review-python/SKILL.md": "of one project",
        "claude/plugins/installed_plugins.json": JSON.stringify({
          version: 2,
          plugins: { "beagle@market": [installed("beagle", "user")], "team@market": [installed("team", "project")] }
        })
      })
      expect(yield* found({ home: join(root, "dd"), claude: join(root, "claude"), reviewed: null })).toEqual({
        problems: [],
        skills: ["go: mine", "review-go: beagle's"]
      })
    })
  )

  it.live("are none where there are no such folders", () =>
    Effect.gen(function* () {
      const root = yield* home
      const none = { problems: [], skills: [] }
      expect(yield* found({ home: join(root, "a"), claude: join(root, "b"), reviewed: root })).toEqual(none)
      expect(yield* found({ home: null, claude: null, reviewed: null })).toEqual(none)
    })
  )

  it.live("never come from the repository under review, not by a link either", () =>
    Effect.gen(function* () {
      const root = yield* home
      write(root, { "repo/skills/go/SKILL.md": "planted", "dd/skills/python/SKILL.md": "mine" })
      symlinkSync(join(root, "repo/skills/go"), join(root, "dd/skills/go"))
      const linked = yield* found({ home: join(root, "dd"), claude: null, reviewed: join(root, "repo") })
      expect(linked.skills).toEqual(["python: mine"])
      expect(linked.problems[0]).toEndWith("it is in the repository under review")
      const inside = yield* found({ home: join(root, "repo"), claude: null, reviewed: join(root, "repo") })
      expect(inside.skills).toEqual([])
    })
  )

  it.live("are read as far as they can be, and the rest is named", () =>
    Effect.gen(function* () {
      const root = yield* home
      write(root, {
        "dd/skills/big/SKILL.md": "x".repeat(200_001),
        "dd/skills/go/SKILL.md": "mine",
        "claude/plugins/installed_plugins.json": "{ not json"
      })
      mkdirSync(join(root, "dd/skills/odd/SKILL.md"), { recursive: true })
      const { problems, skills } = yield* found({
        home: join(root, "dd"),
        claude: join(root, "claude"),
        reviewed: null
      })
      expect(skills).toEqual(["go: mine"])
      expect(problems).toHaveLength(3)
    })
  )
})
