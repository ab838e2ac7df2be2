import wasm from "tree-sitter-ruby/tree-sitter-ruby.wasm" with { type: "file" }
import { lexicons } from "../../domain/code/Comment.ts"
import { firstOf, folderOf } from "../../domain/code/Repository.ts"
import { foldersAbove } from "../../domain/text/foldersAbove.ts"
import { joinPath } from "../../domain/text/joinPath.ts"
import type { Language } from "../Language.ts"
import { stated } from "../settings.ts"
import { rubyImports, rubyOccurrence, rubySymbols } from "./symbols.ts"

const resolve: Language["resolve"] = (from, { module }, repository) => {
  const withEnding = (at: string) => (at.endsWith(".rb") ? at : `${at}.rb`)
  if (module.startsWith(".")) {
    const at = joinPath(folderOf(from), module)
    return at === null ? [] : firstOf([withEnding(at)], repository)
  }
  return firstOf(
    foldersAbove(from).flatMap((folder) => [
      `${folder}lib/${withEnding(module)}`,
      `${folder}app/${withEnding(module)}`
    ]),
    repository
  )
}

export const ruby: Language = {
  family: "ruby",
  wasm,
  endings: ["rb"],
  grammarOf: null,
  comments: lexicons.hash,
  stack: {
    name: "ruby",
    endings: ["rb", "rake", "gemspec"],
    names: ["Gemfile", "Rakefile"],
    owned: ["Gemfile.lock"]
  },
  conventions: [{ file: /^\.rubocop\.yml$/, read: stated("rubocop", "linted with RuboCop") }],
  tests: {
    namesFor: (stem) => [`${stem}_spec.rb`, `${stem}_test.rb`, `test_${stem}.rb`],
    styles: [
      { header: /^\s*(?:it|specify|test) (?<quote>["'])(?<name>.{1,200}?)\k<quote>.*\bdo\s*$/ },
      { header: /^\s*def (?<name>test_\w+)/ }
    ]
  },
  sharesNames: "all",
  importWord: ({ stem }) => stem,
  statements: { start: /^\s*require(?:_relative)?\b/, isOpen: () => false },
  dataFile: null,
  resolve,
  missing: null,
  loaded: null,
  contracts: null,
  symbols: rubySymbols,
  imports: rubyImports,
  modules: null,
  occurrence: rubyOccurrence,
  cases: null,
  hierarchy: null
}
