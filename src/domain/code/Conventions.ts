/**
 * The conventions a project states in its configuration, as sentences a reviewer can hold a change against.
 *
 * Only what a file says; nothing is guessed from code. A file that cannot be read as its format says nothing.
 */
import { Result } from "effect"
import { Toml } from "effect/encoding"
import type { Convention } from "./Exploration.ts"
import { parseJsonc } from "./ImportResolution.ts"

type Reader = (text: string) => ReadonlyArray<readonly [name: string, description: string]>

type Table = Readonly<Record<string, unknown>>

const table = (value: unknown): Table =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date) ? { ...value } : {}

const at = (value: unknown, ...keys: ReadonlyArray<string>): unknown =>
  keys.reduce<unknown>((inner, key) => table(inner)[key], value)

const toml = (text: string): Table => Result.getOrElse(Toml.parse(text), () => ({}))

const scalar = (value: unknown): string | null =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? String(value) : null

/** `key value` for each of the keys that are set, in the order given. */
const settings = (from: unknown, keys: ReadonlyArray<string>): string =>
  keys
    .flatMap((key) => {
      const value = scalar(at(from, ...key.split(".")))
      return value === null ? [] : [`${key} ${value}`]
    })
    .join(", ")

const sentence = (name: string, description: string): ReadonlyArray<readonly [string, string]> =>
  description === "" ? [] : [[name, description]]

const stated =
  (name: string, description: string): Reader =>
  () => [[name, description]]

const shownSections = 6

const editorconfig: Reader = (text) => {
  // The first sections say it; a later entry of the same key replaces an earlier one, as editors read it.
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

const ruff = (options: unknown): string => {
  const selected = at(options, "lint", "select") ?? at(options, "select")
  const rules = Array.isArray(selected) ? `select ${selected.filter((rule) => typeof rule === "string").join(" ")}` : ""
  return [settings(options, ["line-length", "target-version", "format.quote-style", "indent-width"]), rules]
    .filter((part) => part !== "")
    .join(", ")
}

const pyproject: Reader = (text) => {
  const root = toml(text)
  const python =
    scalar(at(root, "project", "requires-python")) ?? scalar(at(root, "tool", "poetry", "dependencies", "python"))
  return [
    ...sentence("Python version", python === null ? "" : `requires Python ${python}`),
    ...sentence("ruff", ruff(at(root, "tool", "ruff"))),
    ...sentence("black", settings(at(root, "tool", "black"), ["line-length"])),
    ...sentence("mypy", settings(at(root, "tool", "mypy"), ["strict", "disallow_untyped_defs", "python_version"])),
    ...sentence("pyright", settings(at(root, "tool", "pyright"), ["typeCheckingMode", "pythonVersion"])),
    ...sentence("pytest", at(root, "tool", "pytest") === undefined ? "" : "tests run with pytest")
  ]
}

const tsconfig: Reader = (text) =>
  sentence(
    "TypeScript compiler options",
    settings(at(parseJsonc(text), "compilerOptions"), [
      "strict",
      "noImplicitAny",
      "strictNullChecks",
      "noUncheckedIndexedAccess",
      "exactOptionalPropertyTypes",
      "noUnusedLocals",
      "noUnusedParameters",
      "verbatimModuleSyntax",
      "isolatedModules",
      "target",
      "jsx"
    ])
  )

const biome: Reader = (text) => {
  const root = parseJsonc(text)
  const format = settings(root, [
    "formatter.indentStyle",
    "formatter.indentWidth",
    "formatter.lineWidth",
    "javascript.formatter.quoteStyle",
    "javascript.formatter.semicolons"
  ])
  return [["biome", format === "" ? "formatted and linted with Biome" : `formatted and linted with Biome: ${format}`]]
}

const prettier: Reader = (text) => {
  const options = settings(parseJsonc(text), [
    "semi",
    "singleQuote",
    "printWidth",
    "tabWidth",
    "trailingComma",
    "useTabs"
  ])
  return [["prettier", options === "" ? "formatted with Prettier" : `formatted with Prettier: ${options}`]]
}

const packageJson: Reader = (text) => {
  const root = parseJsonc(text)
  const manager = scalar(at(root, "packageManager"))
  const node = scalar(at(root, "engines", "node"))
  return [
    ...sentence("module system", at(root, "type") === "module" ? "packages are ES modules" : ""),
    ...sentence("package manager", manager ?? ""),
    ...sentence("Node version", node === null ? "" : `runs on Node ${node}`)
  ]
}

const cargo: Reader = (text) => {
  const root = toml(text)
  const version = settings({ ...table(at(root, "workspace", "package")), ...table(at(root, "package")) }, [
    "edition",
    "rust-version"
  ])
  const lints = Object.entries({ ...table(at(root, "workspace", "lints")), ...table(at(root, "lints")) })
    .flatMap(([tool, rules]) => Object.keys(table(rules)).map((rule) => `${tool}::${rule}`))
    .slice(0, 12)
  return [...sentence("Rust edition", version), ...sentence("Rust lints", lints.join(", "))]
}

const goMod: Reader = (text) => {
  const version = /^go\s+(\S+)/m.exec(text)?.[1]
  return sentence("Go version", version === undefined ? "" : `language version ${version}`)
}

const formatter: Reader = (text) => {
  const length = /line_length:\s*(\d+)/.exec(text)?.[1]
  return [
    [
      "mix format",
      length === undefined ? "formatted with mix format" : `formatted with mix format, line_length ${length}`
    ]
  ]
}

const mix: Reader = (text) => {
  const version = /elixir:\s*"([^"]+)"/.exec(text)?.[1]
  return sentence("Elixir version", version === undefined ? "" : `requires Elixir ${version}`)
}

const guidance: Reader = stated(
  "contribution guide",
  "states how changes are made here; a reviewer should hold the change against it"
)
const agents: Reader = stated("agent instructions", "states rules for whoever changes this code")

const readers: ReadonlyArray<readonly [name: RegExp, read: Reader]> = [
  [/^\.editorconfig$/, editorconfig],
  [/^pyproject\.toml$/, pyproject],
  [/^\.?ruff\.toml$/, (text) => sentence("ruff", ruff(toml(text)))],
  [/^biome\.jsonc?$/, biome],
  [/^\.prettierrc(?:\.json)?$/, prettier],
  [/^prettier\.config\.[cm]?[jt]s$/, stated("prettier", "formatted with Prettier")],
  [/^(?:eslint\.config\.[cm]?[jt]s|\.eslintrc(?:\.\w+)?)$/, stated("eslint", "linted with ESLint")],
  [/^tsconfig\.json$/, tsconfig],
  [/^package\.json$/, packageJson],
  [
    /^\.?rustfmt\.toml$/,
    (text) => sentence("rustfmt", settings(toml(text), ["max_width", "edition", "tab_spaces", "hard_tabs"]))
  ],
  [/^\.?clippy\.toml$/, stated("clippy", "linted with Clippy under its own settings")],
  [/^Cargo\.toml$/, cargo],
  [/^go\.mod$/, goMod],
  [/^\.golangci\.ya?ml$/, stated("golangci-lint", "linted with golangci-lint")],
  [/^\.formatter\.exs$/, formatter],
  [/^\.credo\.exs$/, stated("credo", "linted with Credo")],
  [/^mix\.exs$/, mix],
  [/^\.rubocop\.yml$/, stated("rubocop", "linted with RuboCop")],
  [/^\.swiftlint\.yml$/, stated("swiftlint", "linted with SwiftLint")],
  [/^\.?checkstyle\.xml$/, stated("checkstyle", "linted with Checkstyle")],
  [/^CONTRIBUTING(?:\.md|\.rst)?$/i, guidance],
  [/^(?:AGENTS|CLAUDE|GEMINI|REVIEW)\.md$/, agents]
]

const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1)

export const isConventionFile = (path: string): boolean => readers.some(([name]) => name.test(nameOf(path)))

/** What one configuration file states. */
export const conventionsOf = (path: string, text: string): ReadonlyArray<Convention> => {
  const reader = readers.find(([name]) => name.test(nameOf(path)))
  if (reader === undefined || text.trim() === "") return []
  return reader[1](text).map(([name, description]) => ({ name, description, source: path }))
}
