/**
 * Escapes untrusted text for Markdown: it cannot mention a person, refer to an issue, link, load an image, or contain
 * HTML, a heading or a table.
 *
 * Code between backticks stays code; a word that a forge would act on becomes code.
 */

export const markdownText = (text: string): string =>
  text
    .split(codeInText)
    .map((part, index) => (index % 2 === 1 ? codeSpan(part) : words(part)))
    // Two adjacent spans would be read as one longer fence.
    .reduce((text, part) => (text.endsWith("`") && part.startsWith("`") ? `${text} ${part}` : text + part), "")

export const codeSpan = (text: string): string => {
  const line = text.replace(/[\t\n ]+/g, " ")
  const fence = "`".repeat(longestRun(line) + 1)
  const pad = /^[` ]|[` ]$/.test(line) || line === "" ? " " : ""
  return `${fence}${pad}${line}${pad}${fence}`
}

/** A block of code, fenced by more backticks than it contains. */
export const codeBlock = (lines: ReadonlyArray<string>, language = ""): ReadonlyArray<string> => {
  const fence = "`".repeat(Math.max(3, longestRun(lines.join("\n")) + 1))
  return [fence + language, ...lines, fence]
}

/**
 * The language of a file for the head of a fence. A closed list: forges draw some blocks (`mermaid`, `geojson`) or offer to apply them
 * (`suggestion`), and the author of the change chooses the ending of a file.
 */
export const fenceLanguage = (path: string): string | undefined => {
  const [, ending = ""] = /\.([a-z]+)$/i.exec(path) ?? []
  return fenceNames.get(ending.toLowerCase())
}

const fenceNames: ReadonlyMap<string, string> = new Map([
  ..."bash c cpp cs css dart go graphql groovy html java js json jsx less lua php proto scala scss sh sql svelte swift toml ts tsx vue xml zig"
    .split(" ")
    .map((name) => [name, name] as const),
  ["h", "c"],
  ["cc", "cpp"],
  ["hpp", "cpp"],
  ["py", "python"],
  ["rb", "ruby"],
  ["rs", "rust"],
  ["kt", "kotlin"],
  ["kts", "kotlin"],
  ["ex", "elixir"],
  ["exs", "elixir"],
  ["mjs", "js"],
  ["cjs", "js"],
  ["mts", "ts"],
  ["cts", "ts"],
  ["yml", "yaml"],
  ["yaml", "yaml"]
])

/** A link to a file below `address`; only the text without one, or if the path could lead elsewhere. */
export const fileLink = (text: string, path: string, line: number, address: string | null): string => {
  const parts = path.split("/")
  const isInside = parts.every((part) => !["", ".", ".."].includes(part))
  const below = parts.map((part) => encodeURIComponent(part.toWellFormed()).replaceAll("!", "%21")).join("/")
  const shown = codeSpan(text)
  const isLinked = address !== null && isInside && below.length <= longestAddress
  return isLinked ? `[${shown}](<${address}${below}${line > 0 ? `#L${line}` : ""}>)` : shown
}

const longestAddress = 500

const codeInText = /`([^`\n]+)`/

/** What a forge links or notifies: people, teams, issues, merge requests, addresses, commits. */
const active = /@|:\/\/|www\.|[#!]\d|\bGH-\d|^\p{P}*(?=\S*\d)[0-9a-f]{7,40}\p{P}*$/iu

const words = (text: string): string =>
  text
    .split("\n")
    .map((line) =>
      line
        .split(/[ \t]+/)
        .map(word)
        .join(" ")
        .replace(lineOpening, "$1$2\\$3")
    )
    .join("\n")

const word = (text: string): string => {
  if (!active.test(text)) return escaped(text)
  const [, before = "", core = text, after = ""] = /^([("]*)(.*?)([)",.;:]*)$/.exec(text) ?? []
  return core === "" ? codeSpan(text) : `${escaped(before)}${codeSpan(core)}${escaped(after)}`
}

/** Starts a heading, a list, a rule or an underline at the start of a line. */
const lineOpening = /^( ?)(\d*)([#+\-=.)])/

const escaped = (text: string): string =>
  text
    .replace(/[\\*_[\]|~$]/g, "\\$&")
    .replaceAll("&", "&amp;")
    // As an entity, not with a backslash: next to a code span an escaped backtick is read as a longer fence.
    .replaceAll("`", "&grave;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")

const longestRun = (text: string): number =>
  (text.match(/`+/g) ?? []).reduce((longest, run) => Math.max(longest, run.length), 0)
