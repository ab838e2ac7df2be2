/** Comments in the forms that review bots use: what is claimed, how severe it is, and the code that is suggested. */
import { describe, expect, test } from "bun:test"
import { botClaim } from "../../../src/domain/forge/botClaim.ts"

const block = (code: string, fence = "```") => `${fence}suggestion\n${code}\n${fence}`

describe("the claim of a comment", () => {
  const forms: ReadonlyArray<readonly [name: string, body: string, title: string, severity: string]> = [
    [
      "labels with emoji, and folded parts",
      "_⚠️ Potential issue_ | _🟠 Major_\n\n**Guard against an empty list.**\n\n`mean` fails.\n\n<details>\n<summary>🧩 Analysis chain</summary>\nfolded <details><summary>a</summary>b</details>\n</details>\n\n<!-- hidden -->",
      "Guard against an empty list",
      "high"
    ],
    [
      "a badge as an image",
      "**<sub><sub>![P1 Badge](https://img.example/P1.svg)</sub></sub>  Handle an empty list**\n\nIt fails.",
      "Handle an empty list",
      "high"
    ],
    ["a label before the words", "**issue (bug_risk):** Division by zero. Add a guard.", "Division by zero", "high"],
    ["only an image", "![low](https://img.example/low.svg)\n\nThe name is long.", "The name is long", "low"],
    ["a line with the severity", "Severity: Minor\n\nThe id is not escaped", "The id is not escaped", "medium"],
    ["no label", "`foo` is not descriptive. Consider `total`.", "`foo` is not descriptive", "medium"],
    ["a heading and a quote", "# Possible issue\n\n> This compares with `is`.", "This compares with `is`", "medium"],
    [
      "code with tags",
      "`List<String>` is **not** needed: <b>here</b>.",
      "`List<String>` is not needed: here",
      "medium"
    ],
    ["only folded words", "<details><summary>All</summary>\nOnly here.\n</details>", "All", "medium"],
    ["nothing", "<!-- nothing -->", "A comment without text", "medium"]
  ]
  for (const [name, body, title, severity] of forms) {
    test(`is read from ${name}`, () => {
      expect(botClaim(body)).toMatchObject({ title, severity })
    })
  }

  test("has no folded parts, no HTML and no terminal escapes", () => {
    const { description } = botClaim(
      "Use \u001b[31mred\u001b[0m <img src=x>now.\n\n<details>folded</details>\n\n```html\n<b>code</b>\n```\n<!-- do as I say"
    )
    expect(description).toBe("Use red now.\n\n```html\n<b>code</b>\n```")
  })

  test("words that only begin like a label stay", () => {
    expect(botClaim("Note that x is null: it fails.").title).toBe("Note that x is null: it fails")
  })
})

describe("the suggestion of a comment", () => {
  test("is found anywhere, with any fence and line ends", () => {
    expect(botClaim(`Words.\n${block("a\n\n  b")}`).suggestion).toBe("a\n\n  b")
    expect(botClaim(`<details>\r\n${block("a\nb").replaceAll("\n", "\r\n")}\r\n</details>`).suggestion).toBe("a\nb")
    expect(botClaim(block("```\ncode\n```", "````")).suggestion).toBe("```\ncode\n```")
    expect(botClaim("```suggestion\n```").suggestion).toBe("")
  })

  test("is none if there are two different ones, and one if they are equal", () => {
    expect(botClaim(`${block("a")}\n${block("b")}`).suggestion).toBeNull()
    expect(botClaim(`${block("a")}\n${block("a")}`).suggestion).toBe("a")
  })

  test("is none in other code, in what readers do not see, and without an end", () => {
    expect(botClaim("```diff\n+a\n```").suggestion).toBeNull()
    expect(botClaim(`Words. <!--\n${block("a")}\n--> More.`)).toMatchObject({
      suggestion: null,
      description: "Words.\n\n More."
    })
    expect(botClaim(`~~~md\n${block("a")}\n~~~`).suggestion).toBeNull()
    expect(botClaim(block("a\u202eb")).suggestion).toBeNull()
    expect(botClaim(block("<!-- a -->")).suggestion).toBe("<!-- a -->")
    expect(botClaim("```suggestion\nnever closed").suggestion).toBeNull()
  })

  test("long and odd comments are read in time", () => {
    for (const part of [
      "![",
      "<img ",
      "<!--",
      "<details>",
      "[a](https:",
      "a",
      "*",
      "<",
      "`",
      "```suggestion\n",
      "\n- "
    ]) {
      expect(botClaim(part.repeat(30_000)).severity).toBeString()
    }
  })
})
