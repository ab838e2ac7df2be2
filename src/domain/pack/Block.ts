/**
 * The text of a pack as pieces whose token counts add up.
 *
 * A tokenizer that splits words as o200k and cl100k do never joins a letter with a character that is none, nor a line
 * break with a `#`, `<`, `{` or `,` after it. So each block is two pieces: a head that ends in a letter of its language,
 * and a body that begins with another character and ends with a line break. The tokens of a pack are a sum, and those of
 * a text can be kept by its content.
 */
import { fenceLanguage } from "../text/MarkdownText.ts"
import { visiblePath } from "../text/Printable.ts"

export const packFormats = ["markdown", "xml", "json"] as const
export type PackFormat = (typeof packFormats)[number]

/** How much of a file is shown: all, the definitions that matter, the headers of all definitions, or what changed. */
export type Extent = "full" | "slice" | "outline" | "diff"

export interface Block {
  readonly path: string
  readonly extent: Extent
  readonly text: string
}

export type Pieces = readonly [head: string, body: string]

/** `isFirst`: of its section. */
export const piecesOf = (format: PackFormat, { extent, path, text }: Block, isFirst = false): Pieces => {
  const content = text === "" || text.endsWith("\n") ? text : `${text}\n`
  const name = visiblePath(path)
  const language = extent === "diff" ? "diff" : languageOf(path)
  if (format === "json") {
    const fields = `${isFirst ? "" : ","}{"path":${JSON.stringify(name)},"extent":"${extent}","language":"${language}`
    return [fields, `","text":${JSON.stringify(content)}}\n`]
  }
  if (format === "xml") {
    const attributes = `path="${attribute(name)}" extent="${extent}" language="${language}`
    return [`<file ${attributes}`, `"><![CDATA[\n${allowed(content).replaceAll("]]>", "]]]]><![CDATA[>")}]]></file>\n`]
  }
  const fence = "`".repeat(Math.max(3, longestFence(content) + 1))
  const about = extent === "full" || extent === "diff" ? "" : ` (${extent})`
  return [`### ${name}${about}\n\n${fence}${language}`, `\n${content}${fence}\n\n`]
}

/** A part of the pack: a title with lines of text, before its blocks. */
export interface Section {
  readonly name: string
  readonly title: string
  readonly lines: ReadonlyArray<string>
}

/** The text around the blocks of a section; each is one piece. */
export const sectionPieces = (format: PackFormat, { lines, name, title }: Section, isFirst: boolean): Pieces => {
  if (format === "json") {
    const opening = isFirst ? "{\n" : ",\n"
    const fields = `${opening}${JSON.stringify(name)}:{"title":${JSON.stringify(title)},"lines":${JSON.stringify(lines)},"files":[\n`
    return [fields, "]}\n"]
  }
  if (format === "xml") {
    const text = lines.map((line) => `${attribute(line)}\n`).join("")
    return [`${isFirst ? "<pack>\n" : ""}<section name="${name}" title="${attribute(title)}">\n${text}`, "</section>\n"]
  }
  const text = lines.length === 0 ? "" : `${lines.map(escapedLine).join("\n")}\n\n`
  return [`${isFirst ? "# " : "## "}${title}\n\n${text}`, ""]
}

/** The end of the pack; one piece. */
export const closing: Readonly<Record<PackFormat, string>> = { markdown: "", xml: "</pack>\n", json: "}\n" }

/** A line of text is no heading and no fence. */
const escapedLine = (line: string): string => line.replace(/^(\s*)(#|`{3})/, "$1\\$2")

/** The longest run of backquotes at the start of a line: only these could close a fence. */
const longestFence = (text: string): number => {
  if (!text.includes("```")) return 0
  let longest = 0
  for (const [, fence = ""] of text.matchAll(/^[ \t>]*(`{3,})/gm)) longest = Math.max(longest, fence.length)
  return longest
}

/** XML has no other control characters, not even as references. */
const allowed = (text: string): string =>
  text.toWellFormed().replace(/[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, "\ufffd")

const attribute = (text: string): string =>
  allowed(text).replace(/[&<>"]/g, (character) => `&#${character.codePointAt(0)};`)

/** Only letters, so that the head of a block ends in one. */
const languageOf = (path: string): string => {
  const [, ending = ""] = /\.([A-Za-z]{1,12})$/.exec(path) ?? []
  return fenceLanguage(path) ?? (ending === "" ? "text" : ending.toLowerCase())
}
