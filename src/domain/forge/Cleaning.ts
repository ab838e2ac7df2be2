/**
 * Markdown of models and repositories that is safe to publish: it notifies nobody, loads nothing, hides nothing, and
 * cannot leave its place in a comment.
 *
 * Code is only what every reader of Markdown takes for code: a fence at the start of a line, and a span on one line. All
 * other backticks are escaped, so that a mention in what is code here is not text there.
 */
import { oneLine, printable } from "../text/Printable.ts"

/** At most `most` characters, and a few more for escapes. */
export const cleanMarkdown = (text: string, most: number): string => {
  const lines: Array<string> = []
  let fence: string | null = null
  for (const line of cutText(printable(text), most).split("\n")) {
    if (fence !== null) {
      lines.push(line)
      if (closes(line, fence)) fence = null
      continue
    }
    const [, opening, info = ""] = fencePattern.exec(line) ?? []
    fence = opening ?? null
    lines.push(opening === undefined ? cleanInline(line) : opening + languageOf(info))
  }
  if (fence !== null) lines.push(fence)
  return lines.join("\n").trim()
}

/** The same on one line. */
export const cleanTitle = (text: string, most: number): string => cleanInline(cutText(oneLine(text), most))

/** A code span, whatever backticks are in the text. */
export const codeSpan = (text: string): string => {
  const line = oneLine(text)
  const ticks = fenceAround(line, 1)
  const space = /^`|`$|^ .* $/.test(line) ? " " : ""
  return ticks + space + line + space + ticks
}

/** Backticks that are not in the text. */
export const fenceAround = (text: string, least: number): string => {
  const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
  return "`".repeat(Math.max(least, longest + 1))
}

const cutText = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most - 1).toWellFormed()}…`

const fencePattern = /^(`{3,}(?=[^`]*$)|~{3,})(.*)$/

const closes = (line: string, fence: string): boolean => {
  const run = line.trim()
  return /^ {0,3}\S/.test(line) && run.length >= fence.length && run === fence.charAt(0).repeat(run.length)
}

/** The language of a block of code. Forges render some of them instead of showing their text. */
const languageOf = (info: string): string => {
  const language = info.trim()
  const isPlain = /^[\w+#.-]{1,20}$/.test(language) && !rendered.test(language)
  return isPlain ? language : ""
}

const rendered = /^(?:suggestion|mermaid|math|geojson|topojson|stl)/i

const cleanInline = (line: string): string =>
  line.replace(tokens, (token, ticks: string | undefined, code: string | undefined, offset: number) => {
    if (ticks !== undefined && code !== undefined) {
      // Cells of a table end at a pipe, also in code.
      return code.includes("|") ? escaped(ticks) + cleanInline(code) + escaped(ticks) : token
    }
    const [before, after] = [line.charAt(offset - 1), line.charAt(offset + token.length)]
    const gap = (neighbour: string) => (/[`\\]/.test(neighbour) ? " " : "")
    const asCode = () => `${gap(before)}\`${token.replace(/^\\/, "")}\`${gap(after)}`
    if (token.startsWith("http")) return noLink.test(token) ? asCode() : token
    if (/^\\[^@]/.test(token)) return token
    if (token === "<") return "&lt;"
    if (token === "!") return "!\\"
    if (/^[`~]/.test(token)) return escaped(token)
    // Not in the middle of a word.
    const isPart = /[\p{L}\p{N}]/u.test(before) && !token.startsWith("&") && token.lastIndexOf("@") < 1
    return isPart ? token : asCode()
  })

/** Escapes, code, addresses, HTML, images, mentions, references to issues, and characters by name or number: `&#64;` is `@`. */
const tokens =
  /\\[\\`!<~]|(?<!`)(`+)(?!`)([^\n]*?[^`\n])\1(?!`)|`+|~{3,}|(?<![A-Za-z0-9])https?:\/\/[A-Za-z0-9][^\s<>()`]*|<|!(?=\[)|\\?@[A-Za-z0-9][\w/@\\-]*|(?<![\w.-])(?:[\w.-]{1,100}(?:\/[\w.-]{1,100})?)?#\d+|GH-\d+|&#?\w+;/g

/** Readers disagree where an address with `@` ends. At an issue, the forge would show a reference to this comment. */
const noLink = /@|&#?\w+;|\/(?:issues|pull|discussions)\/\d/

const escaped = (run: string): string => run.replace(/./g, "\\$&")
