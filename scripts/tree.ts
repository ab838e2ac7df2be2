/** Prints the syntax tree of a file as rules see it: `bun scripts/tree.ts FILE`. Fields come before their nodes. */
import { readFileSync } from "node:fs"
import { Effect } from "effect"
import type { SyntaxNode } from "../src/domain/code/Syntax.ts"
import { grammarOf } from "../src/languages/languages.ts"
import * as TreeSitter from "../src/layers/code/syntax/TreeSitter.ts"
import { SyntaxParser } from "../src/services/code/SyntaxParser.ts"

/** Besides what rules use, the runtime's nodes know the fields of their children. */
type Node = SyntaxNode & { readonly fieldNameForNamedChild: (index: number) => string | null }

const linesOf = (node: SyntaxNode, field: string | null, depth: number): ReadonlyArray<string> => {
  const leaf = node.namedChildren.length === 0 ? ` ${JSON.stringify(node.text.slice(0, 60))}` : ""
  const children = node.namedChildren.flatMap((child, at) =>
    linesOf(child, (node as Node).fieldNameForNamedChild(at), depth + 1)
  )
  return [`${"  ".repeat(depth)}${field === null ? "" : `${field}: `}${node.type}${leaf}`, ...children]
}

const [file] = process.argv.slice(2)
const grammar = file === undefined ? null : grammarOf(file)
if (file === undefined || grammar === null) {
  console.error("usage: bun scripts/tree.ts FILE, of a language that dd parses")
  process.exit(2)
}
const { root } = await SyntaxParser.pipe(
  Effect.flatMap((parser) => parser.parse(grammar, readFileSync(file, "utf8"))),
  Effect.scoped,
  Effect.provide(TreeSitter.layer),
  Effect.runPromise
)
console.log(linesOf(root, null, 0).join("\n"))
process.exit(0)
