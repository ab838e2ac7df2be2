import { describe, expect, test } from "bun:test"
import { Effect } from "effect"
import { driftCheck } from "../../../src/services/finding/driftCheck.ts"
import { RuleSet } from "../../../src/services/finding/RuleSet.ts"
import { changeOf, sourcesOf, type Texts } from "../../support/change.ts"
import { shipped } from "../../support/rules.ts"

const reviewOf = (texts: Texts, others: Readonly<Record<string, string>> = {}, rules = shipped("drift/*")) =>
  Effect.runPromise(
    driftCheck(changeOf(texts)).pipe(Effect.provide([sourcesOf(texts, others), RuleSet.layerOf(rules)]))
  )

const said = async (texts: Texts, others: Readonly<Record<string, string>> = {}) =>
  (await reviewOf(texts, others)).records.map(({ evidence, rule }) => `${rule?.slice(6)}: ${evidence}`)

const read = (name: string): string => `key = os.environ["${name}"]\n`
const code: Texts = { "a.py": [read("MAIL_KEY"), read("MAIL_API_KEY")] }

describe("an environment variable renamed in the code", () => {
  const ways: Readonly<Record<string, string>> = {
    ".env.example": "MAIL_KEY=\n",
    Dockerfile: "FROM x\nENV MAIL_KEY=1\n",
    "docker-compose.yml": "services:\n  a:\n    environment:\n      - MAIL_KEY=1\n",
    "deploy/app.yaml": "env:\n  - name: MAIL_KEY\n    value: x\n",
    ".github/workflows/ci.yml": "env:\n  MAIL_KEY: x\n",
    "bin/start.sh": "MAIL_KEY=1 exec app\n",
    "fly.toml": '[env]\nMAIL_KEY = "1"\n',
    "docs/setup.md": "Set `MAIL_KEY`.\n",
    "tests/test_a.py": 'monkeypatch.setenv("MAIL_KEY", "1")\n'
  }
  for (const [path, text] of Object.entries(ways)) {
    test(`is found to be still set in ${path}`, async () => {
      const { records } = await reviewOf(code, { [path]: text })
      expect(records.map(({ evidence }) => evidence.split("; ").at(-1)?.split(":")[0])).toEqual([path])
    })
  }

  test("lists the places, and never what they set", async () => {
    const { records } = await reviewOf(code, {
      ".env": "MAIL_KEY=hunter2-of-mine\n",
      "b.yml": "MAIL_KEY: hunter2-of-mine\n"
    })
    expect(records.map(({ description }) => description)).toEqual([
      "The environment variable `MAIL_KEY` is `MAIL_API_KEY` now, but 2 places still define the old name. See .env:1, b.yml:1."
    ])
    expect(JSON.stringify(records)).not.toContain("hunter2")
  })

  test("weighs little where only documents lag behind", async () => {
    const { records } = await reviewOf(code, { "README.md": "`MAIL_KEY`\n" })
    expect(records.map(({ severity }) => severity)).toEqual(["low"])
  })
})

test("quotes of a settings file its new name alone", async () => {
  const { records } = await reviewOf(
    { ".env": ["MAIL_KEY=hunter2-of-mine\n", "MAIL_API_KEY=hunter2-of-mine\n"] },
    { "a.py": read("MAIL_KEY") }
  )
  expect(records.map(({ file, quote }) => [file, quote])).toEqual([[".env", "MAIL_API_KEY"]])
})

describe("is silent about", () => {
  const silent = (title: string, texts: Texts, others: Readonly<Record<string, string>> = {}) =>
    test(title, async () => expect(await said(texts, others)).toEqual([]))

  silent("a variable that nothing else mentions", code)
  silent("a rename that a document of changes tells", code, {
    "CHANGELOG.md": "`MAIL_KEY`\n",
    "docs/upgrading.md": "`MAIL_KEY`\n"
  })
  silent("vendored and locked files", code, { "vendor/a.yml": "MAIL_KEY: 1\n", "package-lock.json": '"MAIL_KEY": 1\n' })
  silent("a comment", code, { "b.yml": "# MAIL_KEY: 1\n" })
  silent("another word that contains it", code, { "b.yml": "MY_MAIL_KEY: 1\nMAIL_KEY_FILE: 1\n" })
  silent("a place that gives both", code, { "b.yml": "MAIL_KEY: 1\nMAIL_API_KEY: 1\n" })
  silent(
    "an enumeration's constant",
    { "a.ts": ['send("ORDER_MADE")\n', 'send("ORDER_WAS_MADE")\n'] },
    {
      "b.ts": 'on("ORDER_MADE", f)\n'
    }
  )
  silent(
    "a flag that every program has",
    {
      "a.py": ['p.add_argument("--dry-run")\n', 'p.add_argument("--dry-run-only")\n']
    },
    { "x.sh": "tool --dry-run\n" }
  )
  silent(
    "a flag that is passed to another program on the line before",
    {
      "a.py": ['p.add_argument("--batch-size")\n', 'p.add_argument("--max-batch-size")\n']
    },
    { "x.sh": "docker run --batch-size 3\n" }
  )
  silent("a deleted file", { "a.py": [read("MAIL_KEY"), null] }, { "b.yml": "MAIL_KEY: 1\n" })
  silent("rules that are switched off", {})
})

test("looks for nothing and applies nothing when its rules are switched off", async () =>
  expect(await reviewOf(code, { "b.yml": "MAIL_KEY: 1\n" }, [])).toEqual({
    records: [],
    rulesApplied: [],
    omitted: []
  }))

test("leaves a change alone that renames everything, and reports it", async () => {
  const every = (prefix: string) => Array.from({ length: 30 }, (_, at) => read(`${prefix}_${at}`)).join("")
  const { omitted, records } = await reviewOf(
    { "a.py": [every("APP_OLD"), every("APP_NEW")] },
    { "b.yml": "APP_OLD_1: 1\n" }
  )
  expect(records).toEqual([])
  expect(omitted).toEqual(["renames (environment variable): more than 40 names changed"])
})

test("reports the same whatever order the files come in", async () => {
  const a: Texts = {
    "a.py": [read("MAIL_KEY"), read("MAIL_API_KEY")],
    "b.py": [read("MAIL_KEY"), read("MAIL_API_KEY")]
  }
  const b: Texts = {
    "b.py": [read("MAIL_KEY"), read("MAIL_API_KEY")],
    "a.py": [read("MAIL_KEY"), read("MAIL_API_KEY")]
  }
  const others = { "z.yml": "MAIL_KEY: 1\n", "y.yml": "MAIL_KEY: 1\n" }
  expect((await reviewOf(a, others)).records).toEqual((await reviewOf(b, others)).records)
})
