import { expect, test } from "bun:test"
import { Effect, Layer } from "effect"
import * as TreeSitter from "../../../src/layers/code/syntax/TreeSitter.ts"
import { RepositoryReviewer } from "../../../src/services/finding/RepositoryReviewer.ts"
import { RuleSet } from "../../../src/services/finding/RuleSet.ts"
import { changeOf, sourcesOf, type Texts } from "../../support/change.ts"
import { shipped } from "../../support/rules.ts"
import { structural } from "../../support/structural.ts"

const reviewOf = (rule: string, texts: Texts, others: Readonly<Record<string, string>>) =>
  RepositoryReviewer.use((reviewer) => reviewer.review(changeOf(texts))).pipe(
    Effect.provide(
      structural.pipe(Layer.provide([sourcesOf(texts, others), RuleSet.layerOf(shipped(rule)), TreeSitter.layer]))
    ),
    Effect.runPromise
  )

test("shows the line that read a parameter before the change, and a caller that is not a test", async () => {
  const send = (body: string) => `import queue\n\n\ndef send(text, retries):\n    ${body}\n`
  const user = "from mail import send\n\nsend('a', 3)\n"
  const { records } = await reviewOf(
    "lost/parameter-use",
    { "mail.py": [send("return deliver(text, retries)"), send("return queue.put(text)")] },
    { "shop.py": user, "test_mail.py": user }
  )
  expect(records).toMatchObject([
    {
      file: "mail.py",
      line: 4,
      column: 16,
      endColumn: 23,
      description:
        "`send` no longer reads its parameter `retries`. Before the change, line 5 read it. What a caller passes has no effect.",
      related: [
        {
          file: "mail.py",
          line: 5,
          column: 26,
          endColumn: 33,
          deleted: "    return deliver(text, retries)",
          message: "was read here before the change"
        },
        { file: "shop.py", line: 3, column: 1, endColumn: 5, message: "called here" }
      ]
    }
  ])
})

test("shows a caller in a test if there is no other", async () => {
  const send = (body: string) => `def send(text, retries):\n    ${body}\n`
  const { records } = await reviewOf(
    "lost/parameter-use",
    { "mail.py": [send("return deliver(text, retries)"), send("return text")] },
    { "test_mail.py": "from mail import send\n\nsend('a', 3)\n" }
  )
  expect(records[0]?.related?.[1]).toMatchObject({ file: "test_mail.py", line: 3, message: "called here" })
})

test("shows the line that awaited a call before the change", async () => {
  const save = (call: string) => `export async function save(db) {\n  await db.open()\n  ${call}db.write(1)\n}\n`
  const { records } = await reviewOf("lost/await", { "a.ts": [save("await "), save("")] }, {})
  expect(records).toMatchObject([
    {
      line: 3,
      related: [
        { file: "a.ts", line: 3, deleted: "  await db.write(1)", message: "was awaited here before the change" }
      ]
    }
  ])
})
