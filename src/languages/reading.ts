/**
 * The code of a file as the parser reads it: the whole text, the scripts in markup, the tags of a template, or the code cells of a
 * notebook.
 *
 * Lines keep their numbers, and columns too, except in notebooks. Of a conflict between two branches, the first side is read.
 */
import { codeOnly, type Lexicon } from "../domain/code/Comment.ts"
import type { CodeOfFile } from "../domain/code/Syntax.ts"
import { lexiconOf } from "./comments.ts"
import { kindOf } from "./fileKinds.ts"
import { languages } from "./languages.ts"
import { notebookCode } from "./notebook.ts"

/** Null for a file without code, a text if its code cannot be read. */
export type Reading = CodeOfFile | string | null

export const onlyFirstSide = "of each conflict, only the first side was parsed"

/** Null lines: the text is not known, and only the name decides. */
export const readingOf = (path: string, lines: ReadonlyArray<string> | null): Reading => {
  const kind = kindOf(path, lines)
  if (kind === null) return null
  const { embedding, grammar } = kind
  if (lines === null) return grammar === null ? null : { grammar, lines, note: "" }
  const own = withoutOtherSides(lines, lexiconOf(path))
  const note = own === lines ? "" : onlyFirstSide
  if (grammar !== null) {
    return { grammar: languages[grammar].grammarOf?.(path, own.join("\n")) ?? grammar, lines: own, note }
  }
  if (embedding === null) return null
  if (embedding === "cells") {
    const code = notebookCode(own)
    if (note === "") return code
    return typeof code === "string" ? "its conflicts leave no notebook" : { ...code, note: `${code.note}; ${note}` }
  }
  const text = own.join("\n")
  const page = embedding === "scripts outside of examples" ? text.replace(examples, blank) : text
  const tags = embedding === "tags" ? rubyIn(text) : null
  const code = tags ?? scriptsIn(page, embedding === "frontmatter and scripts")
  if (code === null) return null
  const read = `only its ${tags === null ? "scripts" : "tags"} were checked`
  return { ...code, note: note === "" ? read : `${read}; ${note}` }
}

/** The lines with blank ones in place of the markers of conflicts and of all sides but the first. In a text, they are no markers. */
const withoutOtherSides = (lines: ReadonlyArray<string>, lexicon: Lexicon): ReadonlyArray<string> => {
  let [start, middle] = [-1, -1]
  let read: Array<string> | null = null
  const isMarker = (line: string | undefined) => line?.startsWith("<<<<<<<") === true
  if (!lines.some(isMarker)) return lines
  for (const [at, line] of codeOnly(lines, lexicon, (line) => isMarker(lines[line - 1])).entries()) {
    if (/^<{7}(?: |$)/.test(line)) [start, middle] = [at, -1]
    else if (start >= 0 && middle < 0 && /^(?:\|{7}(?: |$)|={7}$)/.test(line)) middle = at
    else if (start >= 0 && middle >= 0 && /^>{7}(?: |$)/.test(line)) {
      read ??= [...lines]
      read[start] = ""
      read.fill("", middle, at + 1)
      start = -1
    }
  }
  return read ?? lines
}

/** The Ruby in the tags of a template. */
const rubyIn = (text: string): Pick<CodeOfFile, "grammar" | "lines"> | null => {
  const parts = Array.from(text.matchAll(/(<%(?![%#])[-=]?)(.*?)-?%>/gs), ({ 1: open = "", 2: code = "", index }) => {
    const start = index + open.length
    return [start, start + code.length] as const
  })
  return parts.length === 0 ? null : { grammar: "ruby", lines: joined(text, parts) }
}

/** Fenced, indented and inline code of Markdown. */
const examples = /^ {0,3}(`{3,}|~{3,})[\s\S]*?(?:^ {0,3}\1|$(?![\s\S]))|^(?: {4}|\t).*|(?<!`)(`+)(?!`)[^`\n]+\2/gm

const scriptTypes = /^(?:|module|(?:text|application)\/(?:javascript|ecmascript|typescript|babel|jsx))$/i

/** The scripts of markup with blanks in place of everything else; null if there are none. */
const scriptsIn = (text: string, hasFrontmatter: boolean): Pick<CodeOfFile, "grammar" | "lines"> | null => {
  const front = hasFrontmatter ? /^\s*---[ \t]*\n[\s\S]*?\n---[ \t]*(?=\n|$)/.exec(text)?.[0] : undefined
  const parts: Array<readonly [start: number, end: number]> = []
  const kinds = new Set(hasFrontmatter ? ["ts"] : [])
  if (front !== undefined) parts.push([front.indexOf("---") + 3, front.lastIndexOf("---")])
  const opening = /<!--|<script(?=[\s>])/gi
  const attributes = /(?:[^>"']|"[^"]*"|'[^']*')*>/y
  opening.lastIndex = front?.length ?? 0
  for (let tag = opening.exec(text); tag !== null; tag = opening.exec(text)) {
    attributes.lastIndex = opening.lastIndex
    const given = tag[0] === "<!--" ? null : (attributes.exec(text)?.[0] ?? "")
    const end = given === null ? text.indexOf("-->", opening.lastIndex) : endOfScript(text, attributes.lastIndex)
    // Browsers do not run a script without an end.
    if (end < 0 || given === "") break
    if (given !== null && scriptTypes.test(attribute(given, "type"))) {
      parts.push([attributes.lastIndex, end])
      kinds.add(attribute(given, "lang") || attribute(given, "type").replace(/^.*\//, ""))
    }
    opening.lastIndex = end
  }
  if (parts.length === 0) return null
  const has = (form: RegExp) => [...kinds].some((kind) => form.test(kind))
  const grammar = has(/^(?:tsx|jsx|babel)$/i) ? "tsx" : has(/^(?:ts|typescript)$/i) ? "typescript" : "javascript"
  return { grammar, lines: joined(text, parts) }
}

/** The parts of a text, with blanks in place of everything else. */
const joined = (text: string, parts: ReadonlyArray<readonly [start: number, end: number]>): ReadonlyArray<string> => {
  let at = 0
  let code = ""
  for (const [start, end] of parts) {
    const between = blank(text.slice(at, start))
    // A part does not continue a statement of the one before it.
    code += (at === 0 ? between : `${between.slice(0, -1)};`) + text.slice(start, end)
    at = end
  }
  return `${code}${blank(text.slice(at))}`.split("\n")
}

const endOfScript = (text: string, from: number): number => {
  const closing = /<\/script[\s>]/gi
  closing.lastIndex = from
  return closing.exec(text)?.index ?? -1
}

const attribute = (attributes: string, name: string): string =>
  new RegExp(`(?:^|\\s)${name}\\s*=\\s*["']?([^"'\\s>]*)`, "i").exec(attributes)?.[1] ?? ""

const blank = (text: string): string => text.replace(/[^\n]/g, " ")
