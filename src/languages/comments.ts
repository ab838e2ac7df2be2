/** The syntax of comments and strings, for dd's languages and others. */
import { type Lexicon, lexicons } from "../domain/code/Comment.ts"
import { languageOf } from "./languages.ts"

const others: ReadonlyArray<readonly [lexicon: Lexicon, endings: string]> = [
  [lexicons.hash, "sh bash zsh yml yaml toml pl r jl nix cmake conf mk graphql gql"],
  [lexicons.c, "scala dart m mm groovy proto zig jsonc json5 scss less gradle"],
  [lexicons.css, "css"],
  [lexicons.dash, "sql lua hs elm ada"],
  [lexicons.percent, "tex erl hrl"],
  [lexicons.semicolon, "lisp clj cljs el scm asm s"],
  [lexicons.configuration, "ini cfg properties"],
  [lexicons.markup, "html htm xml md svg heex eex erb"],
  [lexicons.component, "vue svelte astro"]
]

const byEnding = new Map<string, Lexicon>(
  others.flatMap(([lexicon, endings]) => endings.split(" ").map((ending) => [ending, lexicon] as const))
)

export const lexiconOf = (path: string): Lexicon =>
  languageOf(path)?.comments ?? byEnding.get(/\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? "") ?? lexicons.any
