import { describe, expect } from "bun:test"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { ConfigProvider, Effect } from "effect"
import { mostRuleFiles, ruleFileProblemText } from "../../../src/domain/finding/UserRule.ts"
import * as Re2 from "../../../src/layers/finding/patterns/Re2.ts"
import * as Platform from "../../../src/layers/system/Platform.ts"
import { allUserRules, ruleFiles } from "../../../src/services/run/userRules.ts"
import { sourcesOf, type Texts } from "../../support/change.ts"
import { it } from "../../support/effect.ts"
import { makeDirectory } from "../../support/repository.ts"
import { reviewBy } from "../../support/rules.ts"

const rule = (pattern: string, more = "") =>
  `title = "A claim"\nwhy = "It matters."\nfix = "Mend it."\nline = '${pattern}'\n${more}`

const loading = Effect.fnUntraced(function* (home: Readonly<Record<string, string>>, texts: Texts) {
  const directory = yield* makeDirectory
  mkdirSync(join(directory, "rules"))
  for (const [name, text] of Object.entries(home)) writeFileSync(join(directory, "rules", name), text)
  const { loaded, problems } = yield* allUserRules.pipe(
    Effect.provide([Re2.layer, sourcesOf(texts), Platform.layer]),
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown({ DD_HOME: directory }))
  )
  return {
    ids: loaded.map(({ written }) => written.id),
    problems: problems.map((problem) => ruleFileProblemText(problem).replaceAll(directory, "~")),
    rules: loaded.map((each) => each.rule),
    written: loaded.map((each) => each.written)
  }
})

const folder = ".daydream/rules"

describe("users' rules", () => {
  it.effect("come from the home directory and from the repository's base, each under its own area", () =>
    Effect.gen(function* () {
      const { ids, problems, rules } = yield* loading(
        { "same.toml": rule("a"), "notes.txt": "x", ".hidden.toml": "x" },
        { [`${folder}/same.toml`]: [rule("b"), rule("b")], [`${folder}/deep/no.toml`]: [rule("c"), rule("c")] }
      )
      expect({ ids, problems }).toEqual({ ids: ["repo/same", "user/same"], problems: [] })
      expect(rules.map(({ confidence, file }) => [confidence, file?.split("/").at(-1)])).toEqual([
        ["MEDIUM", "same.toml"],
        ["MEDIUM", "same.toml"]
      ])
    })
  )

  it.effect("are those of the base: what the change adds does not apply, what it removes or edits still does", () =>
    Effect.gen(function* () {
      const { ids, rules } = yield* loading(
        {},
        {
          [`${folder}/added.toml`]: [null, rule("a")],
          [`${folder}/removed.toml`]: [rule("b"), null],
          [`${folder}/edited.toml`]: [rule("old"), rule("new")]
        }
      )
      expect(ids).toEqual(["repo/edited", "repo/removed"])
      const [edited] = rules
      const answers = ["old", "new"].map((text) => edited?._tag === "Line" && edited.check(text, 1, {} as never))
      expect(answers).toEqual([{ line: 1, column: 1, endColumn: 4 }, false])
    })
  )

  it.effect("leave a broken file out and name it, and the others stay", () =>
    Effect.gen(function* () {
      const { ids, problems } = yield* loading(
        { "a.toml": rule("(a"), "b.toml": rule("b") },
        {
          [`${folder}/bad.toml`]: ["x", "x"],
          [`${folder}/binary.toml`]: [{ _tag: "Binary", bytes: 3 }, null],
          [`${folder}/huge.toml`]: [{ _tag: "TooLarge", bytes: 9_000_000 }, null],
          [`${folder}/link.toml`]: [{ _tag: "Link", target: "/etc/passwd" }, null],
          [`${folder}/good.toml`]: [rule("c", 'id = "fine"'), null],
          [`${folder}/twice.toml`]: [rule("d", 'id = "fine"'), null]
        }
      )
      expect(ids).toEqual(["repo/fine", "user/b"])
      expect(problems.map((each) => each.slice(0, 60))).toEqual([
        ".daydream/rules/binary.toml:1: is not a text file; remove it",
        ".daydream/rules/huge.toml:1: a rule file may have 32000 char",
        ".daydream/rules/link.toml:1: is not a text file; remove it o",
        "~/rules/a.toml:4 line: not a regular expression of RE2: miss",
        ".daydream/rules/bad.toml:1: not TOML: Expected '='; patterns",
        ".daydream/rules/twice.toml:1: its id repo/fine is that of .d"
      ])
    })
  )

  it.effect("are so many and no more", () =>
    Effect.gen(function* () {
      const names = Array.from({ length: mostRuleFiles + 3 }, (_, at) => `r${String(at).padStart(3, "0")}.toml`)
      const { ids, problems } = yield* loading(Object.fromEntries(names.map((name) => [name, rule("a")])), {})
      expect(ids.length).toBe(mostRuleFiles)
      expect(problems).toEqual(["~/rules:1: 50 rule files are read, 3 were not; join or remove some"])
      expect(ruleFiles(names.toReversed())).toEqual(names.slice(0, mostRuleFiles))
    })
  )

  it.effect("are as docs/rules.md shows them", () =>
    Effect.gen(function* () {
      const documented = readFileSync(join(import.meta.dir, "../../../docs/rules.md"), "utf8")
      const examples = [...documented.matchAll(/```toml example\n# \.daydream\/rules\/([\w-]+\.toml)\n([\s\S]*?)```/g)]
      const home = Object.fromEntries(examples.map(([, name = "", text = ""]) => [name, text]))
      const { ids, problems, rules, written } = yield* loading(home, {})
      expect({ ids, problems }).toEqual({ ids: ["user/no-eval", "user/no-legacy-client"], problems: [] })
      for (const each of rules) {
        for (const { kind, path, text } of written.find(({ id }) => id === each.id)?.examples ?? []) {
          const said = yield* Effect.promise(() => reviewBy([each], { [path]: [null, text] }))
          expect({ rule: each.id, kind, claims: said.records.length > 0, problems: said.problems }).toEqual({
            rule: each.id,
            kind,
            claims: kind === "bad",
            problems: []
          })
        }
      }
    })
  )
})
