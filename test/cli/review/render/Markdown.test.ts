import { describe, expect } from "bun:test"
import { renderMarkdown } from "../../../../src/cli/review/render/Markdown.ts"
import { Presentable } from "../../../../src/cli/review/render/Presentable.ts"
import { plainRedaction } from "../../../../src/domain/secret/Redaction.ts"
import { codeBlock, codeSpan, fenceLanguage, fileLink, markdownText } from "../../../../src/domain/text/MarkdownText.ts"
import { it } from "../../../support/effect.ts"
import { hostileResult, hostileSources } from "../../../support/hostileReview.ts"
import { hostileText } from "../../../support/hostileText.ts"
import { cleanResult, present, sampleContext, sampleResult } from "../../../support/sampleReview.ts"

/** What is left once code is taken away: fenced blocks, then spans of equally many backticks. */
const withoutCode = (markdown: string): string =>
  markdown
    .replace(/^(`{3,})[a-z]*\n[\s\S]*?\n\1$/gm, "")
    .split("\n")
    // A backslash that is escaped itself escapes nothing.
    .map((line) => line.replace(/(?<!`|(?<!\\)(?:\\\\)*\\)(`+)(?!`)(?:.*?[^`])\1(?!`)/g, ""))
    .join("\n")
const ourTags = /<\/?(?:details|summary|sub)>/g
/** Below the reviewed files, without a way out of them. */
const linkedFile =
  /\[\]\(<https:\/\/github\.com\/acme\/billing\/blob\/0a1b2c3\/[\w.~()'*%-]+(?:\/[\w.~()'*%-]+)*(?:#L\d+)?>\)/g
const documentationLink = /\]\(<https:\/\/docs\.python\.org[^>]*>\)/g

describe("the Markdown comment", () => {
  it("reads like this", () => {
    expect(renderMarkdown(present(sampleResult), sampleContext)).toMatchSnapshot()
  })

  it("has this text when there is nothing to report", () => {
    expect(renderMarkdown(present(cleanResult), sampleContext)).toMatchSnapshot()
  })

  it("has the lines that a rule suggests below its words", () => {
    const [one] = sampleResult.findings
    const comment = (change: object) =>
      renderMarkdown(present({ ...sampleResult, findings: [{ ...one!, ...change }] }), sampleContext)
    const words = "**Fix:** Use None as the default and make the list inside the function."
    const diff = ["```diff", "- def add_lines(order, items=[]):", "+ def f(a=None):", "```", ""].join("\n")
    expect(comment({ suggestion: "def f(a=None):" })).toContain(`${words}\n\n${diff}`)
    expect(comment({ suggestion: "" })).toContain(`${words}\n\n\`\`\`diff\n- def add_lines(order, items=[]):\n\`\`\``)
    // A model's replacement is not certain, so it is no diff.
    expect(comment({ source: "model", suggestion: "def f(a=None):" })).toContain(
      `${words}\n\n\`\`\`python\ndef f(a=None):\n\`\`\``
    )
    expect(comment({ rule: "model/python", suggestion: "use(None)" })).toContain("**Fix:** use(None)")
  })

  it("links the place of a finding and every other place that it speaks of", () => {
    const [one] = sampleResult.findings
    const comment = renderMarkdown(
      present({
        ...sampleResult,
        findings: [
          {
            ...one!,
            column: 22,
            endColumn: 30,
            label: "created once",
            related: [
              { file: "server/export.go", line: 95, column: 2, endColumn: 6, message: "the copy" },
              { file: "web (x)/a#b?.ts", line: 0, column: null, endColumn: null, message: "the file" }
            ]
          }
        ]
      }),
      sampleContext
    )
    expect(comment).toContain(
      "[`billing/invoice.py:42`](<https://github.com/acme/billing/blob/0a1b2c3/billing/invoice.py#L42>) · "
    )
    expect(comment).toContain("```python\ndef add_lines(order, items=[]):\n```\n")
    expect(comment).toContain(
      [
        "- `items=[]`: created once",
        "- [`server/export.go:95`](<https://github.com/acme/billing/blob/0a1b2c3/server/export.go#L95>) `file.Close()`: the copy",
        "- [`web (x)/a#b?.ts`](<https://github.com/acme/billing/blob/0a1b2c3/web%20(x)/a%23b%3F.ts>) the file"
      ].join("\n")
    )
  })

  it("shows two places of one line once, with their count", () => {
    const place = { file: "a.py", line: 3, endColumn: 9, message: "called with the old parameters" }
    const related = [5, 6].map((column) => ({ ...place, column }))
    const [one] = sampleResult.findings
    const page = renderMarkdown(present({ ...sampleResult, findings: [{ ...one!, related }] }), sampleContext)
    expect(page.match(/.*called with the old parameters.*/g)).toHaveLength(1)
    expect(page).toContain("called with the old parameters (2 times)")
  })

  it("links no path that could lead out of the repository", () => {
    const linked = (path: string, line: number) => fileLink("a", path, line, "https://forge/b/")
    expect(linked("//evil.example/x", 1)).toBe("`a`")
    expect(linked("../../x", 1)).toBe("`a`")
    expect(linked("javascript:alert(1)", 0)).toBe("[`a`](<https://forge/b/javascript%3Aalert(1)>)")
    expect(linked(`${"é".repeat(200)}.ts`, 1)).toBe("`a`")
  })

  it("names places without a link if the forge is unknown, because a relative link leads nowhere in a comment", () => {
    const comment = renderMarkdown(present(sampleResult), { ...sampleContext, files: null })
    expect(comment).toContain("\n`billing/invoice.py:42` · ")
    expect(comment).not.toContain("](<https://github.com/")
  })

  it("names no language that a forge would draw or apply", () => {
    const languages = ["a.py", "a.TSX", "a.mermaid", "a.suggestion", "a.math", "a.geojson", "go", "a.constructor"]
    expect(languages.map(fenceLanguage)).toEqual(["python", "tsx", ...Array(6).fill(undefined)])
  })

  it("has contents with links to the sections of more than 10 findings", () => {
    const many = (count: number) =>
      renderMarkdown(
        present({
          ...sampleResult,
          findings: Array.from({ length: count }, (_, index) => ({
            ...sampleResult.findings[0]!,
            id: index + 1,
            severity: "low" as const
          }))
        }),
        sampleContext
      )
    expect(many(10)).not.toContain("**Contents**")
    const comment = many(25)
    const targets = [...comment.matchAll(/\]\(#(dd-finding-\d+)\)/g)].map(([, target]) => target!)
    expect(targets).toHaveLength(20)
    for (const target of targets) expect(comment).toContain(`<a name="${target}"></a>\n\n### `)
    expect(comment).toContain("<summary>5 more findings</summary>")
  })

  it("folds long explanations and long code", () => {
    const [one] = sampleResult.findings
    const code = Array.from({ length: 30 }, (_, index) => `line${index}()`).join("\n")
    const comment = renderMarkdown(
      present({
        ...sampleResult,
        findings: [
          {
            ...one!,
            rule: "model/python",
            source: "model",
            rationale: `The first.\n\n${"and more ".repeat(100)}`,
            suggestion: code
          }
        ]
      }),
      sampleContext
    )
    expect(comment).toMatch(/The first\.\n\n<details><summary>More about this finding<\/summary>\n\nand more /)
    expect(comment).toContain("<details><summary>Suggested code (30 lines)</summary>\n\n```python\nline0()\n")
  })

  it("shows the part of a minified line at which the finding is", () => {
    const line = `${"a();".repeat(2_000)}target();${"b();".repeat(2_000)}`
    const finding = { ...sampleResult.findings[0]!, file: "a.js", line: 1, endLine: 1, column: 8_001, endColumn: 8_007 }
    const comment = renderMarkdown(
      present({ ...sampleResult, findings: [finding] }, new Map([["a.js", [line]]])),
      sampleContext
    )
    expect(comment).toMatch(/```js\n…(?:a\(\);)*.*target\(\);.*…\n```/)
    expect(comment.length).toBeLessThan(2_000)
  })

  it.prop("contains no mention, link, image or HTML from the repository", hostileText, (pieces) => {
    const text = pieces.join("")
    const review = Presentable.of(hostileResult(text), hostileSources(text), plainRedaction.text)
    const rest = withoutCode(renderMarkdown(review, sampleContext))
      .replace(ourTags, "")
      .replace(documentationLink, "")
      .replace(linkedFile, "")
    expect(rest).not.toMatch(/[<>@]|:\/\/|www\.|[#!]\d/)
    expect(rest).not.toMatch(/(?<!\\)[[\]]/)
  })

  it("folds what is not urgent, but not what was not reviewed", () => {
    const files = [
      { path: "a.py", status: "unread" as const, reason: "too large" },
      { path: "b.png", status: "skipped" as const, reason: "binary" }
    ]
    const comment = renderMarkdown(
      present({ ...cleanResult, status: "partial", coverage: { filesInDiff: 2, filesReviewed: 0, files } }),
      sampleContext
    )
    expect(comment).toContain("**Not reviewed (1 file)**\n\n- too large: `a.py`")
    expect(comment).toContain("<details><summary>1 file skipped</summary>\n\n- binary: `b.png`\n\n</details>")
    expect(comment).toContain("This review is partial: 1 file was not reviewed. It is not a clean result.")
  })

  it("names every finding, and has a section for every high one", () => {
    const [one] = sampleResult.findings
    const findings = Array.from({ length: 173 }, (_, index) => ({
      ...one!,
      id: index + 1,
      file: `file${index}.py`,
      title: `Claim ${index}.`,
      severity: index < 71 ? ("high" as const) : ("low" as const)
    }))
    const page = renderMarkdown(present({ ...sampleResult, findings }), sampleContext)
    for (const { file } of findings) expect(page).toContain(`/${file}#`)
    expect(page.match(/^### \d+\. High/gm)).toHaveLength(71)
    expect(page).not.toMatch(/and \d+ more/)
    expect(page).toContain("<summary>102 more findings</summary>")
  })

  it("names everything that was skipped, suppressed and dropped, and a limited page says where it is named", () => {
    const numbers = Array.from({ length: 173 }, (_, index) => index)
    const large = {
      ...sampleResult,
      coverage: {
        filesInDiff: 173,
        filesReviewed: 0,
        files: numbers.map((index) => ({
          path: `skipped${index}.bin`,
          status: index % 2 === 0 ? ("skipped" as const) : ("unread" as const),
          reason: "binary"
        }))
      },
      suppressed: numbers.map((index) => ({
        ...sampleResult.suppressed[0]!,
        finding: { ...sampleResult.suppressed[0]!.finding, file: `suppressed${index}.py` }
      })),
      dropped: numbers.map((index) => ({ ...sampleResult.dropped[0]!, reason: `dropped ${index}` })),
      degraded: numbers.map((index) => ({ step: "intent", error: "BackendFailed", detail: `degraded ${index}` })),
      notes: numbers.map((index) => `note ${index}`)
    }
    const page = renderMarkdown(present(large), sampleContext)
    for (const index of numbers) {
      expect(page.includes(`skipped${index}.bin`)).toBe(true)
      expect(page.includes(`suppressed${index}.py`)).toBe(true)
      for (const kind of ["dropped", "degraded", "note"]) expect(page.includes(`${kind} ${index}\n`)).toBe(true)
    }
    expect(page.includes("named in the file")).toBe(false)
    expect(/and \d+ more/.test(page)).toBe(false)
    const limited = renderMarkdown(present(large), { ...sampleContext, mostCharacters: 300_000 })
    expect(limited.match(/\d+ more( notes)?, named in the file of `--output markdown=FILE`/g)?.length).toBe(4)
  })

  it("fits into a page that a service limits, however long the report is", () => {
    const long = "words and ".repeat(500)
    const findings = Array.from({ length: 300 }, (_, index) => ({
      ...sampleResult.findings[0]!,
      id: index + 1,
      file: `${"deep/".repeat(60)}${index}.py`,
      description: long,
      title: long
    }))
    const files = Array.from({ length: 300 }, (_, index) => ({
      path: `${"deep/".repeat(60)}${index}.bin`,
      status: index % 2 === 0 ? ("skipped" as const) : ("unread" as const),
      reason: `${index} ${long}`
    }))
    const large = {
      ...sampleResult,
      findings,
      coverage: { filesInDiff: 300, filesReviewed: 0, files },
      suppressed: Array.from({ length: 500 }, () => ({ ...sampleResult.suppressed[0]!, reason: long })),
      dropped: Array.from({ length: 500 }, () => ({ ...sampleResult.dropped[0]!, reason: long })),
      degraded: Array.from({ length: 500 }, () => ({ step: long, error: long, detail: long })),
      notes: Array.from({ length: 50 }, () => long)
    }
    for (const all of [false, true]) {
      const comment = renderMarkdown(present(large), { ...sampleContext, all, mostCharacters: 60_000 })
      expect(comment.length).toBeLessThan(65_536)
      expect(comment).toMatch(/<summary>\d+ more findings<\/summary>/)
    }
  })
})

describe("text from elsewhere as Markdown", () => {
  it("keeps code between backticks, and makes code of what a forge would act on", () => {
    expect(markdownText("call `f()` as @octocat said in #12, see http://x.example/a_b")).toBe(
      "call `f()` as `@octocat` said in `#12`, see `http://x.example/a_b`"
    )
    expect(markdownText("fixed in 0123abc and o/r#3")).toBe("fixed in `0123abc` and `o/r#3`")
  })

  it("begins nothing", () => {
    expect(markdownText("# no heading")).toBe("\\# no heading")
    expect(markdownText("- no item\n1. none either")).toBe("\\- no item\n1\\. none either")
    expect(markdownText("a *b* <i>c</i> [d](e) ~f~ a|b")).toBe(
      "a \\*b\\* &lt;i&gt;c&lt;/i&gt; \\[d\\](e) \\~f\\~ a\\|b"
    )
    expect(markdownText("one ` backtick")).toBe("one &grave; backtick")
  })

  it("fences code with more backticks than it contains", () => {
    expect(codeSpan("a `` b")).toBe("```a `` b```")
    expect(codeSpan("`x")).toBe("`` `x ``")
    expect(codeBlock(["````", "x"])).toEqual(["`````", "````", "x", "`````"])
  })
})
