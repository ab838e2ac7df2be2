/**
 * A model behind every protocol, for programs that are looked at from outside:
 * `bun test/support/modelServer.ts [--script FILE] [--log FILE] [--port N]`.
 *
 * Prints its port on a line and serves until it is ended: the Messages API under `/v1/messages`, the Responses API under
 * `/v1/responses`, Chat Completions under `/v1/chat/completions`, Ollama's own under `/api/chat`. FILE exports a default
 * `(asked: Asked, nth: number) => ScriptedTurn`; without one the model agrees to everything: it hands in the smallest
 * answer that fits. Each request is appended to the log as a line of JSON.
 */
import { appendFileSync } from "node:fs"
import { resolve } from "node:path"
import { parseArgs } from "node:util"
import { type Asked, askedOf, smallestOf } from "./Asked.ts"
import { messagesDialect } from "./anthropicServer.ts"
import { ollamaDialect } from "./ollamaServer.ts"
import { chatDialect, responsesDialect } from "./openaiServer.ts"
import type { GivenTurn } from "./requestRules/GivenTurn.ts"
import { type Dialect, replyOf, type ScriptedTurn } from "./scriptedTurn.ts"
import { type Heard, startServer, type WireServer } from "./wireServer.ts"

export type Script = (asked: Asked, nth: number) => ScriptedTurn

const dialects: Readonly<Record<Asked["protocol"], Dialect>> = {
  messages: messagesDialect,
  responses: responsesDialect,
  chat: chatDialect(),
  ollama: ollamaDialect
}

/** A model that says the smallest thing that fits, by the tool it is to hand in its answer with where there is one. */
export const agreeable: Script = (asked) => {
  const submit = asked.tools.find(({ name }) => name === submitOf(asked))
  if (submit !== undefined && asked.choice !== "none") {
    if (submit.name === "submit_verification") return { calls: [{ name: submit.name, input: agreement(asked.told) }] }
    return { thinking: "Nothing stands out.", calls: [{ name: submit.name, input: smallestOf(submit.input) }] }
  }
  return { text: asked.answer === null ? "Nothing stands out." : JSON.stringify(smallestOf(asked.answer)) }
}

/** A verdict that each claim holds, by the numbers in the prompt. */
export const agreement = (told: string) => ({
  verdicts: [...told.matchAll(/^Number (\d+):$/gm)].map(([, id]) => ({
    issue_id: Number(id),
    evidence: "The code does what the claim says.",
    unverified_assumptions: [],
    verdict: "consistent"
  }))
})

/** Hands in these answers by the names of their tools, and else the smallest thing that fits. */
export const handing =
  (answers: Readonly<Record<string, object>>): Script =>
  (asked, nth) => {
    const name = submitOf(asked)
    const input = answers[name]
    return input === undefined ? agreeable(asked, nth) : { calls: [{ name, input }] }
  }

/** The tool by which a model is to hand in its answer, of those for all tasks; empty where there is none. */
export const submitOf = ({ choice, told, tools }: Asked): string => {
  const named = [...told.matchAll(/the tool `(submit_\w+)`/g)].at(-1)?.[1]
  const submit =
    tools.find(({ name }) => name === choice) ??
    tools.find(({ name }) => name === named) ??
    tools.find(({ name }) => name.startsWith("submit"))
  return submit?.name ?? ""
}

/** The answer to a question about a model before it is asked anything. */
export type Presence = (heard: Heard) => { readonly status: number; readonly body: unknown }

/** Resolves when the answer begins: what counts the tokens of the turn, and when the rest of it is sent. */
export type Metered = (asked: Asked) => Promise<{
  readonly count: (turn: ScriptedTurn) => ScriptedTurn
  readonly rest: Promise<void>
}>

const unmetered: Metered = async () => ({ count: (turn) => turn, rest: Promise.resolve() })

const isPresence = ({ method, path }: Heard): boolean => method === "GET" || path === "/api/show"

/**
 * Serves all protocols; `before` sees each request to the model, `presence` answers whether the model is there.
 *
 * A request that breaks a rule of its provider is refused as the provider does, and is not shown to the script.
 */
export const startModel = (
  script: Script,
  before: (heard: Heard) => void = () => {},
  port = 0,
  presence: Presence = () => ({ status: 200, body: {} }),
  metered: Metered = unmetered
): Promise<WireServer> => {
  const given: Array<GivenTurn> = []
  return startServer(async (heard, nth) => {
    if (isPresence(heard)) {
      const { body, status } = presence(heard)
      return { status, headers: { "content-type": "application/json" }, pieces: [JSON.stringify(body)] }
    }
    before(heard)
    const asked = askedOf(heard)
    const dialect = dialects[asked.protocol]
    const [fault] = dialect.faults(heard, given)
    if (fault !== undefined) return replyOf(dialect, { trouble: { status: 400, message: fault } }, heard, nth)
    const { thinking = dialect.thinks(heard) === "always" ? "Hm." : undefined, ...said } = script(asked, nth)
    const turn = thinking === undefined || dialect.thinks(heard) === "never" ? said : { ...said, thinking }
    given.push(dialect.given(turn, heard, nth))
    const { count, rest } = await metered(asked)
    return { ...replyOf(dialect, count(turn), heard, nth), rest }
  }, port)
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { script: { type: "string" }, log: { type: "string" }, port: { type: "string" } }
  })
  const script: Script =
    values.script === undefined ? agreeable : ((await import(resolve(values.script))) as { default: Script }).default
  const { log } = values
  const keep = ({ method, path, headers, body }: Heard): void => {
    if (log !== undefined) appendFileSync(log, `${JSON.stringify({ method, path, headers, body })}\n`)
  }
  const server = await startModel(script, keep, Number(values.port ?? 0))
  console.log(server.port)
}
