/** C and C++: two grammars whose files include each other. */

import cWasm from "tree-sitter-c/tree-sitter-c.wasm" with { type: "file" }
import cppWasm from "tree-sitter-cpp/tree-sitter-cpp.wasm" with { type: "file" }
import { lexicons } from "../../domain/code/Comment.ts"
import { endingIn } from "../../domain/code/Repository.ts"
import { foldersAbove } from "../../domain/text/foldersAbove.ts"
import { joinPath } from "../../domain/text/joinPath.ts"
import type { Language } from "../Language.ts"
import { indexed } from "../outline.ts"
import { headerGrammar } from "./header.ts"
import { cImports, cOutline } from "./outline.ts"

/** Searches `#include "a/b.h"` next to the file first; then, like `<a/b.h>`, in the folders with headers. */
const resolve: Language["resolve"] = (from, { module }, repository) => {
  const isAngled = module.startsWith("<")
  const path = isAngled ? module.slice(1, -1).trim() : module
  const above = foldersAbove(from)
  const places = above.flatMap((folder) => [`${folder}include/`, `${folder}src/`, folder])
  const candidates = [...(isAngled ? [] : above.slice(0, 1)), ...places].flatMap(
    (folder) => joinPath(folder, path) ?? []
  )
  const found = candidates.find((candidate) => repository.paths.has(candidate))
  if (found !== undefined) return [found]
  // A name without a folder may belong to the system.
  const others = isAngled && !path.includes("/") ? [] : endingIn(path.replace(/^(?:\.\.?\/)+/, ""), from, repository)
  return others.slice(0, 1)
}

export const c: Language = {
  ...indexed(cOutline, cImports),
  family: "c",
  wasm: cWasm,
  grammarOf: headerGrammar,
  comments: lexicons.c,
  sharesNames: "none",
  resolve
}

export const cpp: Language = {
  ...c,
  wasm: cppWasm,
  grammarOf: null
}
