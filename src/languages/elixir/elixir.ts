import wasm from "tree-sitter-elixir/tree-sitter-elixir.wasm" with { type: "file" }
import { lexicons } from "../../domain/code/Comment.ts"
import type { Language } from "../Language.ts"
import { hasOpenBracket } from "../lines.ts"
import { indexed } from "../outline.ts"
import { type Reader, sentence, stated } from "../settings.ts"
import { elixirImports, elixirOutline } from "./outline.ts"

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

const capitalized = (stem: string): string =>
  stem
    .split("_")
    .map((part) => part.slice(0, 1).toUpperCase() + part.slice(1))
    .join("")

const underscored = (name: string): string =>
  name
    .replace(/([A-Z]+)([A-Z][a-z])/g, "$1_$2")
    .replace(/([a-z\d])([A-Z])/g, "$1_$2")
    .toLowerCase()

/** `ShopWeb.CartController` is in `lib/shop_web/`, at its own path or, in Phoenix, one folder deeper. */
const resolve: Language["resolve"] = (_from, { module }, { byName }) => {
  const segments = module.split(".").map(underscored)
  // A module in the file of another one has no file of its own; the name of the top module alone is ambiguous.
  for (let count = segments.length; count > 0 && (count > 1 || segments.length === 1); count--) {
    const path = segments.slice(0, count).join("/")
    const [top, last] = [segments[0]!, segments[count - 1]!]
    const named = [...(byName.get(`${last}.ex`) ?? []), ...(byName.get(`${last}.exs`) ?? [])]
    const exact = named.find((file) => file.endsWith(`/${path}.ex`) || file.endsWith(`/${path}.exs`))
    if (exact !== undefined) return [exact]
    const near = named.filter((file) => count > 1 && file.includes(`/${top}/`))
    if (near.length === 1) return near
  }
  return []
}

export const elixir: Language = {
  ...indexed(elixirOutline, elixirImports),
  family: "elixir",
  wasm,
  comments: lexicons.hash,
  stack: { name: "elixir", owned: ["mix.lock"] },
  conventions: [
    { file: /^\.formatter\.exs$/, read: formatter },
    { file: /^\.credo\.exs$/, read: stated("credo", "linted with Credo") },
    { file: /^mix\.exs$/, read: mix }
  ],
  tests: {
    namesFor: (stem, ending) => (ending === "ex" || ending === "exs" ? [`${stem}_test.exs`] : []),
    styles: [{ header: /^\s*test (?<quote>")(?<name>.{1,200}?)\k<quote>.*\bdo\s*$/ }]
  },
  sharesNames: "all",
  importWord: ({ stem }) => capitalized(stem),
  statements: { start: /^\s*(?:alias|import|use|require)\s/, isOpen: hasOpenBracket },
  resolve
}
