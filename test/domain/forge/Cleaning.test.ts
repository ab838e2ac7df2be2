/** Texts that are posted, as a renderer of Markdown shows them. */
import { describe, expect, test } from "bun:test"
import { Schema } from "effect"
import { cleanMarkdown, cleanTitle, codeSpan } from "../../../src/domain/forge/Cleaning.ts"
import { commentText, summaryText } from "../../../src/domain/forge/commentText.ts"
import { markerIn, markerText } from "../../../src/domain/forge/Marker.ts"
import { placedIn } from "../../../src/domain/forge/Reconciliation.ts"
import { it } from "../../support/effect.ts"
import { diffFile, fingerprint, found, headSha } from "../../support/forges.ts"

const rendered = (text: string): string => Bun.markdown.html(text, { tables: true, autolinks: true })

/** What a forge would take for mentions, and everything but text, code and links that it would show. */
const harmIn = (text: string): ReadonlyArray<string> => {
  const html = rendered(text)
  const outside = html.replace(/<(code|a)\b[^>]*>[\s\S]*?<\/\1>/g, "")
  return [
    ...(outside.match(/(?<![A-Za-z0-9])@[A-Za-z0-9]\w*/g) ?? []),
    ...(html.match(/<!--|<img|<(?:script|div|details|b)\b|class="language-(?:suggestion|mermaid)/g) ?? [])
  ]
}

describe("a text that is posted", () => {
  test("mentions nobody, and keeps code as it is", () => {
    expect(cleanMarkdown("ask @grace and @acme/team, not a@b.com", 1000)).toBe(
      "ask `@grace` and `@acme/team`, not a@b.com"
    )
    expect(cleanMarkdown("`@property` is fine", 1000)).toBe("`@property` is fine")
    expect(cleanMarkdown("```py\n@property\ndef f(): ...\n```", 1000)).toBe("```py\n@property\ndef f(): ...\n```")
    expect(cleanMarkdown("https://a.b/@x and https://@grace, https://a.b/o/r/issues/3", 1000)).toBe(
      "`https://a.b/@x` and https://`@grace`, `https://a.b/o/r/issues/3`"
    )
    expect(cleanMarkdown("see #12 and acme/shop#3, not &#39; or C4", 1000)).toBe(
      "see `#12` and `acme/shop#3`, not `&#39;` or C4"
    )
  })

  test("loads no image and has no HTML", () => {
    expect(cleanMarkdown("![x](https://evil.example/p.png) <img src=x> <!-- hidden -->", 1000)).toBe(
      "!\\[x](https://evil.example/p.png) &lt;img src=x> &lt;!-- hidden -->"
    )
    expect(rendered(cleanMarkdown("a < b && Map<string, T>", 1000))).toBe(
      "<p>a &lt; b &amp;&amp; Map&lt;string, T&gt;</p>\n"
    )
  })

  test("ends the code that it begins, and begins none by accident", () => {
    expect(cleanMarkdown("```js\nlet a", 1000)).toBe("```js\nlet a\n```")
    expect(cleanMarkdown("- a\n  ```\n  @grace", 1000)).toBe("- a\n  \\`\\`\\`\n  `@grace`")
    expect(cleanMarkdown("```suggestion\nrm\n```", 1000)).toBe("```\nrm\n```")
    expect(cleanMarkdown("```mermaid\nx\n```", 1000)).toBe("```\nx\n```")
  })

  test("has no control characters, shows hidden ones, and is bounded", () => {
    expect(cleanMarkdown("a\u001b[31mb\u0007c\u202ed", 1000)).toBe("abc&lt;U+202E>d")
    expect(cleanMarkdown("x".repeat(50), 10)).toBe(`${"x".repeat(9)}…`)
    expect(cleanTitle("one\ntwo", 100)).toBe("one two")
  })

  // Work that grows with the square of the length takes longer than the runner waits.
  test("may be a million characters of hostile text", () => {
    for (const piece of ["a", "a.", "a-", "`a", "`|", "@a", "#", "\\", "https://a", "``|`a|``", "```\n"]) {
      expect(cleanMarkdown(piece.repeat(1_000_000 / piece.length), 1_000_000)).not.toBe("")
    }
  })

  for (const trick of [
    "a ` b @grace",
    "\\`@grace`",
    "\\@grace",
    "`a\n- @grace`",
    "`a\n\n@grace`",
    "|a|b|\n|-|-|\n|`a | @grace`|c|",
    "~~~\n@grace\n~~~ x\n@ada\n~~~",
    "  ```\n```\n@grace\n",
    "> ```\n@grace",
    "<div>`\n@grace\n`",
    "``` `\n@grace",
    "[x](`@grace)",
    "![a]\n\n[a]: https://evil.example/x.png",
    "<details>",
    "\\<b>",
    "\\\\<b>",
    "\\\\`@grace`\\",
    "`` ` @grace `",
    "`@grace``@ada`",
    "&#64;grace",
    "a&#x40;grace",
    "&commat;grace and \\&#64;ada",
    "https://a.b/o/r/issues&#47;3",
    "acme/shop&#35;12"
  ]) {
    test(`is harmless: ${JSON.stringify(trick)}`, () => {
      expect(harmIn(cleanMarkdown(trick, 1000))).toEqual([])
    })
  }

  const pieces = [
    "`",
    "``",
    "```",
    "~~~",
    "\n",
    "\n\n",
    "- ",
    "> ",
    "    ",
    "  ",
    "|",
    "\\",
    "@grace",
    "&#64;",
    "grace",
    "#",
    "<",
    ">",
    "!",
    "[a]",
    "(b)",
    "<!--",
    "-->",
    "<b>",
    "x",
    " ",
    "1. ",
    ":",
    "-",
    "&",
    "suggestion",
    "https://",
    "https://a.b",
    "/",
    "*",
    "_"
  ]
  const Text = Schema.Array(Schema.Literals(pieces as ["`", ...Array<string>]))

  it.prop("is harmless, whatever it is made of", Text, (some) => {
    const text = cleanMarkdown(some.join(""), 1000)
    if (harmIn(text).length > 0) throw new Error(`${JSON.stringify(some.join(""))} -> ${JSON.stringify(text)}`)
    // What follows it is not inside of it.
    expect(harmIn(`${text}\n\n<!-- own -->`)).toEqual(["<!--"])
  })

  it.prop("shows any path as code", Text, (some) => {
    const text = `${codeSpan(some.join("").replaceAll("\n", ""))} end`
    expect(harmIn(text)).toEqual([])
  })
})

const placed = (over: Parameters<typeof found>[1]) => placedIn(found(1, over), new Map([["a.py", diffFile("a.py")]]))

describe("a comment", () => {
  test("has the title, severity, rule, description and the marker", () => {
    expect(commentText(placed({}))).toBe(
      "**Finding 1**\n\nmedium · `py/bare-except`\n\nIt breaks.\n\n<!-- dd:finding dd1:0000000000000001 py/bare-except -->"
    )
  })

  test("has a suggestion only if it replaces exactly the lines of the comment", () => {
    expect(commentText(placed({ suggestion: "a = 1\nb = 2", end_line: 3 }))).toContain(
      "\n\n```suggestion\na = 1\nb = 2\n```\n\n<!--"
    )
    expect(commentText(placed({ suggestion: "", end_line: 3 }))).toContain("\n\n```suggestion\n```\n\n<!--")
    expect(commentText(placed({ suggestion: "x = '```'" }))).toContain("````suggestion\nx = '```'\n````")
    expect(commentText(placed({ suggestion: "a", end_line: 41 }))).not.toContain("suggestion")
    expect(commentText(placed({ suggestion: "a\u202eb" }))).not.toContain("suggestion")
  })

  test("cannot bring a marker of its own", () => {
    const forged = markerText({ kind: "fixed", fingerprint: fingerprint(9), rule: "-" })
    const block = `x\n\n\`\`\`\n${forged}\n\`\`\``
    for (const body of [forged, `\n${forged}`, block, `\`\`\`\n${forged}`]) {
      const text = commentText(placed({ title: forged, body, rule: forged, suggestion: forged }))
      expect(markerIn(text)).toEqual({ kind: "finding", fingerprint: fingerprint(1), rule: "-" })
      expect(rendered(text).match(/<!--/g)).toHaveLength(1)
    }
  })
})

describe("the summary", () => {
  test("counts all findings, lists those without a line, and stays within the limit of the forge", () => {
    const about = { findings: [], isComplete: true, headSha, files: 3, unreviewed: 0, unsure: 0 }
    expect(summaryText(about, [])).toBe("**dd** reviewed `aaaaaaa`: no findings.\n\n<!-- dd:summary -->")
    expect(summaryText({ ...about, isComplete: false }, [])).toStartWith(
      "**dd** reviewed `aaaaaaa`: no findings. The review is partial: not everything was checked.\n"
    )
    expect(summaryText({ ...about, unreviewed: 2, unsure: 1 }, [])).toStartWith(
      "**dd** reviewed `aaaaaaa`: no findings. 2 of 3 files were not reviewed. 1 earlier comment is still open.\n"
    )
    const many = Array.from({ length: 100 }, (_, n) => found(n, { line: null, body: "x".repeat(5000) }))
    const text = summaryText(
      { ...about, findings: [...many, found(101)] },
      many.map((finding) => ({ finding, anchor: null }))
    )
    expect(text).toStartWith(
      "**dd** reviewed `aaaaaaa`: 101 findings (101 medium).\n\nNot on a line of the diff:\n\n#### `a.py` Finding 0\n"
    )
    expect(text).toMatch(/\n\nAnd \d+ more\.\n\n<!-- dd:summary -->$/)
    expect(text.length).toBeLessThan(65_000)
  })
})
