/**
 * The conventions in a project's configuration files, as sentences for reviewers.
 *
 * Nothing is guessed from code. A file that cannot be parsed has no conventions.
 */
import type { Convention } from "../domain/code/Exploration.ts"
import type { ConventionFile } from "./Language.ts"
import { languages } from "./languages.ts"
import { type Reader, sentence, stated } from "./settings.ts"

const shownSections = 6

const editorconfig: Reader = (text) => {
  // Only the first sections apply; as in editors, a later entry of a key replaces an earlier one.
  const sections = new Map<string, Map<string, string>>()
  let section = ""
  for (const line of text.split(/\r?\n/)) {
    const header = /^\s*\[(.+)\]\s*$/.exec(line)
    if (header !== null) section = header[1]!
    const entry = /^\s*(indent_style|indent_size|end_of_line|max_line_length|charset)\s*=\s*(\S+)/.exec(line)
    if (entry === null || section === "") continue
    const entries = sections.get(section)
    if (entries !== undefined) entries.set(entry[1]!, entry[2]!)
    else if (sections.size < shownSections) sections.set(section, new Map([[entry[1]!, entry[2]!]]))
  }
  return sentence(
    "editor settings",
    [...sections]
      .map(([glob, entries]) => `[${glob}] ${[...entries].map(([key, value]) => `${key} ${value}`).join(", ")}`)
      .join("; ")
  )
}

const guidance: Reader = stated(
  "contribution guide",
  "states how changes are made here; a reviewer should hold the change against it"
)

const files: ReadonlyArray<ConventionFile> = [
  { file: /^\.editorconfig$/, read: editorconfig },
  { file: /^CONTRIBUTING(?:\.md|\.rst)?$/i, read: guidance },
  {
    file: /^(?:AGENTS|CLAUDE|GEMINI|REVIEW)\.md$/,
    read: stated("agent instructions", "states rules for contributors")
  },
  ...new Set(Object.values(languages).flatMap(({ conventions }) => conventions))
]

const conventionFileOf = (path: string): ConventionFile | undefined => {
  const name = path.slice(path.lastIndexOf("/") + 1)
  return files.find(({ file }) => file.test(name))
}

export const isConventionFile = (path: string): boolean => conventionFileOf(path) !== undefined

/** Those of formatters and linters, and files that are only named. */
const ofStyle: ReadonlySet<string> = new Set([
  "agent instructions",
  "biome",
  "black",
  "checkstyle",
  "clippy",
  "contribution guide",
  "credo",
  "editor settings",
  "eslint",
  "golangci-lint",
  "mix format",
  "package manager",
  "prettier",
  "rubocop",
  "ruff",
  "rustfmt",
  "swiftlint"
])

/** Whether a finding may depend on it: a language version, a type checker, a module system. */
export const isForReviewers = ({ name }: Convention): boolean => !ofStyle.has(name)

/** The conventions in one configuration file. */
export const conventionsOf = (path: string, text: string): ReadonlyArray<Convention> =>
  text.trim() === ""
    ? []
    : (conventionFileOf(path)?.read(text) ?? []).map(([name, description]) => ({ name, description, source: path }))
