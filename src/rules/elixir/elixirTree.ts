/** Questions that the Elixir checks ask about a syntax tree. */
import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import { ancestors, childOf, isField, operatorOf, parts, textOf } from "../../languages/tree.ts"
import { rememberedFor } from "../shared/rememberedFor.ts"

/** What a call calls, as written: `Enum.map`, `if`, `def`. */
export const nameOf = rememberedFor((call: SyntaxNode) => textOf(call, "target"))

export const writtenArguments = (call: SyntaxNode): ReadonlyArray<SyntaxNode> => {
  const list = childOf(call, "arguments")
  return list === null ? [] : parts(list)
}

/** A call's arguments as written, with what was piped into it in front. */
export const argumentsOf = (call: SyntaxNode): ReadonlyArray<SyntaxNode> => {
  const written = writtenArguments(call)
  const pipe = call.parent
  const isPiped = pipe?.type === "binary_operator" && operatorOf(pipe) === "|>" && isField(pipe, "right", call)
  const piped = isPiped ? pipe.childForFieldName("left") : null
  return piped === null ? written : [piped, ...written]
}

const callers = (node: SyntaxNode): ReadonlyArray<SyntaxNode> => [...ancestors(node, ["call"])]

/** The definition a node is in; null at the module's own level, where code runs while compiling. */
export const definitionOf = (node: SyntaxNode): SyntaxNode | null =>
  callers(node).find((call) => ["def", "defp"].includes(nameOf(call))) ?? null

export const inMacro = (node: SyntaxNode): boolean =>
  callers(node).some((call) => ["defmacro", "defmacrop", "quote"].includes(nameOf(call)))

export const isTask = (path: string): boolean => /(^|\/)(mix\/|priv\/|config\/|mix\.exs$)|seeds/.test(path)
const controls = ["def", "defp", "if", "unless", "case", "cond", "try", "with", "for", "receive", "test"]

export const clauses = ["else_block", "rescue_block", "after_block", "catch_block"]

/** The expressions that follow this one in its block; null when the node is no statement of code that runs. */
export const following = (node: SyntaxNode): ReadonlyArray<SyntaxNode> | null => {
  const block = node.parent
  if (block === null) return null
  const owner = block.type === "do_block" ? block.parent : null
  if (block.type !== "body" && (owner === null || !controls.includes(nameOf(owner)))) return null
  return parts(block).filter((one) => one.startIndex > node.endIndex && !clauses.includes(one.type))
}

/** Is this expression's value thrown away, because another one follows it? */
export const isDiscarded = (node: SyntaxNode): boolean => (following(node)?.length ?? 0) > 0

/** The whole pipeline a call ends; the call itself when it is in none. */
export const pipelineOf = (call: SyntaxNode): SyntaxNode => {
  const pipe = call.parent
  const ends = pipe?.type === "binary_operator" && operatorOf(pipe) === "|>" && isField(pipe, "right", call)
  return ends ? pipe : call
}
