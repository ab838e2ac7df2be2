/** A value that looks generated is hidden and reported under the name of a secret, in any format and language. */
import { describe, expect, test } from "bun:test"
import { isGenerated } from "../../../src/domain/secret/looksLive.ts"
import { quickRedaction } from "../../../src/domain/secret/quickRedaction.ts"
import { plainRedaction } from "../../../src/domain/secret/Redaction.ts"
import { findSecrets } from "../../../src/domain/secret/Secret.ts"
import { madeLines } from "../../support/tokenShapes.ts"

describe("generated values", () => {
  // A few random letters look like words by chance.
  test("are hidden and reported in every form", async () => {
    let made = 0
    let visible = 0
    let missed = 0
    for (const seed of [21, 22]) {
      for (const each of await madeLines(seed)) {
        const seen = each.made.filter(({ text, value }) => plainRedaction.text(text).includes(value))
        const unreported = each.made.filter(({ text, value }) => !isReported(text, value))
        expect([each.line, seen.length < 4, unreported.length < 5]).toEqual([each.line, true, true])
        for (const { text, value } of each.made)
          if (!plainRedaction.text(text).includes(value)) expect(quickRedaction([text], [])).toBeNull()
        made += each.made.length
        visible += seen.length
        missed += unreported.length
      }
    }
    expect(made).toBeGreaterThan(2_000)
    expect(visible / made).toBeLessThan(0.01)
    expect(missed / made).toBeLessThan(0.02)
  })

  const isReported = (text: string, value: string): boolean =>
    findSecrets(text).some(({ end, start }) => text.slice(start, end).includes(value))

  test("are no words, names of code, versions or dates", () => {
    for (const value of [
      "getPasswordFromUser passwordResetTokenGenerator user_password_confirmation OAUTH_CLIENT_SECRET next-page-token",
      "correcthorse changeit Donaudampfschiffahrt summer2024 2024-09-25 v1.12.3 Enter8CharsOrMore accessTokenStorageKey"
    ].flatMap((words) => words.split(" ")))
      expect([value, isGenerated(value)]).toEqual([value, false])
  })
})
