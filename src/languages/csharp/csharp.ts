import wasm from "tree-sitter-c-sharp/tree-sitter-c_sharp.wasm" with { type: "file" }
import { lexicons } from "../../domain/code/Comment.ts"
import { foldersAbove } from "../../domain/text/foldersAbove.ts"
import type { Language } from "../Language.ts"
import { csharpImports, csharpOccurrence, csharpSymbols } from "./symbols.ts"

/** A namespace is a folder by the usual layout: `Acme.Shop.Carts` in `src/Acme.Shop/Carts/`; or it is a class's file. */
const resolve: Language["resolve"] = (from, { module }, repository) => {
  const name = bare(module)
  if (!/^\w+(?:\.\w+)*$/.test(name)) return []
  const stem = name.slice(name.lastIndexOf(".") + 1)
  const asFile = (repository.byName.get(`${stem}.cs`) ?? []).filter((file) => dotted(file).endsWith(`.${name}.cs`))
  if (asFile.length === 1) return asFile
  const folders = [...repository.byFolder].filter(([folder]) => dotted(folder).endsWith(`.${name}.`))
  const nearest = Math.min(...folders.map(([folder]) => distance(from, folder)))
  return folders
    .filter(([folder]) => distance(from, folder) === nearest)
    .flatMap(([, files]) => files.filter((file) => file.endsWith(".cs")))
}

const bare = (module: string): string => module.replace(/^global::/, "").replace(/<[\s\S]*$/, "")
const dotted = (path: string): string => `.${path.replaceAll("/", ".")}`

/** How many folders up from `from` the two meet. */
const distance = (from: string, folder: string): number =>
  foldersAbove(from).findIndex((above) => folder.startsWith(above))

export const csharp: Language = {
  family: "csharp",
  wasm,
  endings: ["cs"],
  grammarOf: null,
  comments: lexicons.c,
  stack: null,
  conventions: [],
  tests: { namesFor: () => [], styles: [] },
  sharesNames: "all",
  importWord: null,
  statements: null,
  dataFile: null,
  resolve,
  missing: null,
  loaded: null,
  contracts: null,
  symbols: csharpSymbols,
  imports: csharpImports,
  modules: null,
  occurrence: csharpOccurrence,
  cases: null,
  hierarchy: null
}
