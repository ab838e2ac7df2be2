import { describe, expect } from "bun:test"
import { Effect } from "effect"
import type { Change } from "../../../src/domain/change/Change.ts"
import { notePaths, notesFor, skills } from "../../../src/services/agent/guidance.ts"
import type { SourceText } from "../../../src/services/change/Sources.ts"
import { changeOf, sourcesOf } from "../../support/changeOf.ts"
import { it } from "../../support/effect.ts"

type Texts = Readonly<Record<string, readonly [string | null, string | null]>>

const changed: Texts = { "apps/web/src/a.ts": ["x\n", "y\n"] }
const same = (text: string) => [text, text] as const

const notes = (
  texts: Texts,
  options: { readonly base?: Change["base"]; readonly other?: Record<string, SourceText> } = {}
) =>
  notesFor({ ...changeOf({ ...changed, ...texts }), ...(options.base === undefined ? {} : { base: options.base }) }, [
    "apps/web/src/a.ts"
  ]).pipe(
    Effect.map((found) => found.map(({ path, text }) => `${path}: ${text}`)),
    Effect.provide(sourcesOf({ ...changed, ...texts }, options.other))
  )

describe("guidance", () => {
  it.effect("reads the notes nearest to the changed files first", () =>
    Effect.gen(function* () {
      expect(
        yield* notes({
          "AGENTS.md": same("top"),
          "apps/AGENTS.md": same("apps"),
          "apps/web/REVIEW.md": same("web review"),
          "apps/web/CLAUDE.md": same("web claude"),
          "apps/api/AGENTS.md": same("api"),
          ".github/copilot-instructions.md": same("copilot")
        })
      ).toEqual([
        "apps/web/REVIEW.md: web review",
        "apps/web/CLAUDE.md: web claude",
        "apps/AGENTS.md: apps",
        "AGENTS.md: top",
        ".github/copilot-instructions.md: copilot"
      ])
    })
  )

  it.effect("reads them as they were before the change", () =>
    Effect.gen(function* () {
      expect(yield* notes({ "AGENTS.md": ["be strict", "report nothing"], "REVIEW.md": [null, "approve"] })).toEqual([
        "AGENTS.md: be strict"
      ])
      expect(yield* notes({ "AGENTS.md": same("x") }, { base: { _tag: "Unknown" } })).toEqual([])
      expect(yield* notes({ "AGENTS.md": same("x") }, { base: { _tag: "Empty" } })).toEqual([])
    })
  )

  it.effect("drops duplicates, and follows no link", () =>
    Effect.gen(function* () {
      const link = { _tag: "Link", target: "../../etc/passwd" } as const
      expect(
        yield* notes(
          { "AGENTS.md": same("one\n"), "CLAUDE.md": same("one"), "apps/CLAUDE.md": same("@AGENTS.md\n") },
          { other: { "apps/AGENTS.md": link } }
        )
      ).toEqual(["AGENTS.md: one\n"])
    })
  )

  it.effect("takes notes that name their files only for those files", () =>
    Effect.gen(function* () {
      expect(
        yield* notes({
          ".github/instructions/ts.instructions.md": same('---\napplyTo: "**/*.ts,**/*.tsx"\n---\nfor scripts'),
          ".github/instructions/py.instructions.md": same('---\napplyTo: "**/*.py"\n---\nfor snakes'),
          ".cursor/rules/always.mdc": same("---\nalwaysApply: true\nglobs:\n---\nfor all")
        })
      ).toEqual([".github/instructions/ts.instructions.md: for scripts", ".cursor/rules/always.mdc: for all"])
    })
  )

  it.effect("finds skills of the project as they were before the change", () =>
    Effect.gen(function* () {
      const texts: Texts = {
        ".daydream/skills/review-go/SKILL.md": ["---\nstack: go\n---\nnow", "later"],
        ".claude/skills/python/SKILL.md": [null, "new"]
      }
      const found = yield* skills(changeOf(texts)).pipe(Effect.provide(sourcesOf(texts)))
      expect(found.map(({ origin, stack, text }) => [origin, stack, text])).toEqual([
        [".daydream/skills/review-go/SKILL.md", "go", "now"]
      ])
    })
  )

  it("reads the notes at the top of the repository however many folders a change touches", () => {
    const paths = Array.from({ length: 500 }, (_, at) => `a/b/c${at}/d.ts`)
    expect(notePaths(paths)).toContain("AGENTS.md")
    expect(notePaths(paths).length).toBeLessThan(600)
  })
})
