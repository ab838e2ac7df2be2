import wasm from "@tree-sitter-grammars/tree-sitter-kotlin/tree-sitter-kotlin.wasm" with { type: "file" }
import { lexicons } from "../../domain/code/Comment.ts"
import { endingIn, type PathIndex } from "../../domain/code/Repository.ts"
import { javaTests } from "../java/tests.ts"
import type { Language } from "../Language.ts"
import { kotlinImports, kotlinOccurrence, kotlinSymbols } from "./symbols.ts"

/** The file named like the class, or all files of the package for what lies in any of them. */
const resolve: Language["resolve"] = (from, { module }, repository) => {
  const segments = module.replace(/\.\*$/, "").split(".")
  const isAll = module.endsWith(".*")
  for (let count = segments.length; !isAll && count > Math.max(1, segments.length - 2); count--) {
    const path = segments.slice(0, count).join("/")
    const [found] = [`${path}.kt`, `${path}.java`].flatMap((each) => endingIn(each, from, repository))
    if (found !== undefined) return [found]
  }
  const folder = (isAll ? segments : segments.slice(0, -1)).join("/")
  return folder === "" ? [] : filesIn(`/${folder}/`, /\.kts?$|\.java$/, repository)
}

/** Files of the folders whose path ends so; source sets of one package lie side by side. */
const filesIn = (ending: string, wanted: RegExp, { byFolder }: PathIndex): ReadonlyArray<string> =>
  [...byFolder].flatMap(([folder, files]) =>
    `/${folder}`.endsWith(ending) ? files.filter((file) => wanted.test(file)) : []
  )

export const kotlin: Language = {
  family: "kotlin",
  wasm,
  endings: ["kt", "kts"],
  grammarOf: null,
  comments: lexicons.c,
  stack: { name: "java", endings: ["kt"], owned: [] },
  conventions: [],
  tests: javaTests,
  sharesNames: "folder",
  importWord: null,
  statements: null,
  dataFile: null,
  resolve,
  missing: null,
  loaded: null,
  contracts: null,
  symbols: kotlinSymbols,
  imports: kotlinImports,
  modules: null,
  occurrence: kotlinOccurrence,
  cases: null,
  hierarchy: null
}
