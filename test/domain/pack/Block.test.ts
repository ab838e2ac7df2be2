/** The tokens of a pack are the sum of those of its pieces, whatever the files contain. */
import { describe, expect, test } from "bun:test"
import { countTokens as cl100k } from "gpt-tokenizer/encoding/cl100k_base"
import { countTokens as o200k } from "gpt-tokenizer/encoding/o200k_base"
import { type Block, packFormats, piecesOf, sectionPieces } from "../../../src/domain/pack/Block.ts"

const bodies = [
  "",
  "a",
  "export const a = 1\n",
  "  indented\n\n\n",
  "\n\n\nlate\n",
  "// comment\r\n/* x */\r\n",
  "/path/first\n",
  "́combining\n",
  "```ts\nfence\n```\n",
  "  ````\nlonger fence\n",
  "]]>\n",
  "'s it 'll\n",
  "日本語\n",
  "🙂🙂\n",
  "#!/bin/sh\n### x\n",
  "\t\t\t\n",
  "<|endoftext|>\n",
  '{"a": "b"}\n',
  "x".repeat(5000)
]
const paths = ["src/a.ts", "a/b.py", "Makefile", "x.c++", "dir with space/ü.rs", "a\nb.go", "weird`.md", 'q"uote.rb']
const blocks: ReadonlyArray<Block> = bodies.flatMap((text, at) =>
  (["full", "slice", "diff"] as const).map((extent) => ({ path: paths[at % paths.length]!, extent, text }))
)

const section = { name: "code", title: "Code", lines: ["# not a heading", "```", "plain"] }
const asText = { disallowedSpecial: new Set<string>() }

describe("the pieces of a pack", () => {
  for (const format of packFormats) {
    for (const [encoding, count] of [
      ["o200k_base", o200k],
      ["cl100k_base", cl100k]
    ] as const) {
      test(`add up in ${format} and ${encoding}`, () => {
        const pieces = [
          sectionPieces(format, section, true)[0],
          ...blocks.flatMap((block, at) => piecesOf(format, block, at === 0)),
          sectionPieces(format, section, true)[1]
        ].filter((piece) => piece !== "")
        const sum = pieces.reduce((total, piece) => total + count(piece, asText), 0)
        expect(count(pieces.join(""), asText)).toBe(sum)
      })
    }
  }

  test("cannot be closed by a file's content", () => {
    const [head, body] = piecesOf("markdown", { path: "a.md", extent: "full", text: "````\n# evil\n" })
    expect(head.endsWith("`````md")).toBe(true)
    expect(body.endsWith("\n`````\n\n")).toBe(true)
    expect(piecesOf("xml", { path: "a.xml", extent: "full", text: "]]></file>" })[1]).not.toContain("]]></file>]]>")
  })

  test("show a hostile path on one line", () => {
    const [head] = piecesOf("markdown", { path: "a\n```\n# evil.ts", extent: "full", text: "x" })
    expect(head.split("\n").filter((line) => line.startsWith("#"))).toHaveLength(1)
  })
})
