/** Functions on syntax trees for the Elixir checks. */
import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import { ancestors, childOf, isField, operatorOf, parts, textOf } from "../../languages/tree.ts"
import { rememberedFor } from "../shared/rememberedFor.ts"

/** The name of what is called, as written: `Enum.map`, `if`, `def`. */
export const nameOf = rememberedFor((call: SyntaxNode) => textOf(call, "target"))

export const writtenArguments = (call: SyntaxNode): ReadonlyArray<SyntaxNode> => {
  const list = childOf(call, "arguments")
  return list === null ? [] : parts(list)
}

/** The arguments of a call, with the piped value first. */
export const argumentsOf = (call: SyntaxNode): ReadonlyArray<SyntaxNode> => {
  const written = writtenArguments(call)
  const pipe = call.parent
  const isPiped = pipe?.type === "binary_operator" && operatorOf(pipe) === "|>" && isField(pipe, "right", call)
  const piped = isPiped ? pipe.childForFieldName("left") : null
  return piped === null ? written : [piped, ...written]
}

const callers = (node: SyntaxNode): ReadonlyArray<SyntaxNode> => [...ancestors(node, ["call"])]

/** The definition around a node; null at the level of the module, where code runs at compile time. */
export const definitionOf = (node: SyntaxNode): SyntaxNode | null =>
  callers(node).find((call) => ["def", "defp"].includes(nameOf(call))) ?? null

export const inMacro = (node: SyntaxNode): boolean =>
  callers(node).some((call) => ["defmacro", "defmacrop", "quote"].includes(nameOf(call)))

export const isTask = (path: string): boolean => /(^|\/)(mix\/|priv\/|config\/|mix\.exs$)|seeds/.test(path)
const controls = ["def", "defp", "if", "unless", "case", "cond", "try", "with", "for", "receive", "test"]

export const clauses = ["else_block", "rescue_block", "after_block", "catch_block"]

/** The expressions after this one in its block; null if the node is not a statement of running code. */
export const following = (node: SyntaxNode): ReadonlyArray<SyntaxNode> | null => {
  const block = node.parent
  if (block === null) return null
  const owner = block.type === "do_block" ? block.parent : null
  if (block.type !== "body" && (owner === null || !controls.includes(nameOf(owner)))) return null
  return parts(block).filter((one) => one.startIndex > node.endIndex && !clauses.includes(one.type))
}

/** Is the value of this expression discarded, because another one follows? */
export const isDiscarded = (node: SyntaxNode): boolean => (following(node)?.length ?? 0) > 0

/** The pipeline that a call ends; the call itself if there is none. */
export const pipelineOf = (call: SyntaxNode): SyntaxNode => {
  const pipe = call.parent
  const ends = pipe?.type === "binary_operator" && operatorOf(pipe) === "|>" && isField(pipe, "right", call)
  return ends ? pipe : call
}
