/** The request of a turn, and the tokens that it may take. Pure. */
import type { ModelMessage, ModelRequest, ModelUsage } from "../../../domain/agent/ModelTurn.ts"
import type { WorkingMemory } from "../../../domain/agent/WorkingMemory.ts"
import { type ModelRoom, requestTokens } from "../../../domain/pack/ModelRoom.ts"
import { tokensAtMost } from "../../../domain/text/tokensAtMost.ts"
import { fenceOf } from "../../../prompts/Fence.ts"
import type { Prepared } from "./AgentContext.ts"
import { toolsOf } from "./CallExecutor.ts"

/** In the last step only an answer is accepted. */
export const requestOf = (prepared: Prepared, isLast: boolean, { messages }: WorkingMemory): ModelRequest => {
  const { answer, effort, leastTokens, maxTokens, model, nonce, outputs, system } = prepared
  const tools = toolsOf(prepared)
  const submit = outputs.find(({ isTerminal }) => isTerminal)
  const choice = !isLast || tools.length === 0 ? "auto" : submit === undefined ? "none" : { tool: submit.name }
  const shown = nonce === null ? messages : fencedResults(messages, nonce)
  return {
    model,
    system,
    tools,
    messages: shown,
    choice,
    answer,
    maxTokens,
    effort,
    ...(leastTokens === undefined ? {} : { leastTokens })
  }
}

/** What a tool returns was written by others; errors are dd's own words, and say what to do. */
const fencedResults = (messages: ReadonlyArray<ModelMessage>, nonce: string): ReadonlyArray<ModelMessage> => {
  const names = new Map<string, string>()
  return messages.map((message) => {
    if (message.role === "model") {
      for (const part of message.parts) if (part._tag === "Call") names.set(part.id, part.name)
      return message
    }
    // Every request has the messages of the one before, with the same results.
    const known = fenced.get(message)
    if (known?.nonce === nonce) return known.message
    const fence = fenceOf(nonce)
    const parts = message.parts.map((part) =>
      part._tag === "Result" && !part.isError
        ? { ...part, output: fence.around(`result of ${names.get(part.callId) ?? "a call"}`, part.output) }
        : part
    )
    fenced.set(message, { nonce, message: { ...message, parts } })
    return { ...message, parts }
  })
}

const fenced = new WeakMap<ModelMessage, { readonly nonce: string; readonly message: ModelMessage }>()

export const isTerminal = ({ outputs }: Prepared, called: string): boolean =>
  outputs.some(({ isTerminal, name }) => isTerminal && name === called)

/** Whether the action or output of this name has no side effects. An unknown name has none. */
export const changesNothingIn = ({ actions, outputs }: Prepared) => {
  const harmful = new Set([...actions, ...outputs].filter((each) => each.changesThings).map(({ name }) => name))
  return (name: string): boolean => !harmful.has(name)
}

/** The share of a request that is kept free for errors of the token estimate. */
const margin = 0.05

/** The tokens that the messages of a turn may have. */
export const messageTokens = (prepared: Prepared, room: ModelRoom): number =>
  requestTokens(room, prepared.maxTokens) * (1 - margin) - fixedTokens(prepared)

/** The tokens of a run: those that its turns took, and those that another may take. */
export class RunTokens {
  #spent = 0
  readonly #limit: number
  readonly #memory: WorkingMemory

  constructor(limit: number, memory: WorkingMemory) {
    this.#limit = limit
    this.#memory = memory
  }

  spend(usage: ModelUsage | null): void {
    this.#spent += usage === null ? 0 : usage.promptTokens + usage.completionTokens
  }

  /** Whether so many turns like this fit, each with its messages and the longest possible answer. */
  isEnoughFor(prepared: Prepared, turns = 1): boolean {
    const perTurn = this.#memory.tokens + fixedTokens(prepared) + prepared.maxTokens
    return this.#spent + turns * perTurn <= this.#limit
  }
}

const fixedTokens = (prepared: Prepared): number =>
  prepared.system.reduce((sum, text) => sum + tokensAtMost(text), 0) +
  toolsOf(prepared).reduce((sum, tool) => sum + tokensOfTool(tool.input) + tokensAtMost(tool.description), 0)

const toolTokens = new WeakMap<object, number>()
const tokensOfTool = (input: ModelRequest["tools"][number]["input"]): number => {
  const known = toolTokens.get(input) ?? tokensAtMost(JSON.stringify(input))
  toolTokens.set(input, known)
  return known
}
