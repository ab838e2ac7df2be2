/** Elixir: servers, tasks and messages between processes. */
import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import { enclosing, firstLineOf, rootOf } from "../../languages/tree.ts"
import type { NodeChecks } from "../page/Checks.ts"
import { definitionOf, inMacro, isDiscarded, nameOf, pipelineOf, writtenArguments } from "./elixirTree.ts"

const definedName = (definition: SyntaxNode): string => /^defp?\s+(\w+[?!]?)/.exec(definition.text)?.[1] ?? ""

const callbacks = ["init", "handle_call", "handle_cast", "handle_info", "handle_continue"]

/** The server callback that runs this node directly; null if there is a function literal in between. */
const callbackOf = (node: SyntaxNode): string | null => {
  if (enclosing(node, ["anonymous_function"]) !== null || !/use GenServer\b/.test(rootOf(node).text)) return null
  const definition = definitionOf(node)
  const name = definition === null ? "" : definedName(definition)
  return callbacks.includes(name) ? name : null
}

/** A handler for `{ref, answer}`, which OTP sends. */
const takesReplies = /\bhandle_(info|event)\([^\n]*\{\s*(_?\w*ref|_)\s*,|is_reference\(/

export const processChecks: NodeChecks = {
  "server-calls-itself": (claim) => {
    const server = nameOf(claim) === "GenServer.call" ? writtenArguments(claim)[0]?.text : undefined
    if (server === "self()") return true
    return server === "__MODULE__" && callbackOf(claim) !== null && /name: __MODULE__/.test(rootOf(claim).text)
  },
  "server-sleeps": (claim) => /^(Process|:timer)\.sleep$/.test(nameOf(claim)) && callbackOf(claim) !== null,
  "self-in-spawned-function": (claim) => {
    const receiver = nameOf(claim) === "send" ? writtenArguments(claim)[0] : undefined
    if (receiver?.type !== "call" || nameOf(receiver) !== "self") return false
    const literal = enclosing(claim, ["anonymous_function"])
    const call = literal === null ? null : enclosing(literal, ["call"])
    if (literal === null || call === null || /\breceive\b|GenServer\.enter_loop/.test(literal.text)) return false
    return /^(spawn|spawn_link|spawn_monitor|Task\.(async|start|start_link)|Task\.Supervisor\.(async|async_nolink|start_child))$/.test(
      nameOf(call)
    )
  },
  "task-never-awaited": (claim) => {
    if (!/^Task\.(Supervisor\.)?async$/.test(nameOf(claim)) || inMacro(claim)) return false
    // handle_info may handle the answer as a separate message.
    return isDiscarded(pipelineOf(claim)) && !takesReplies.test(rootOf(claim).text) && firstLineOf(claim)
  }
}
