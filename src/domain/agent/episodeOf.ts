/** Summarises a run from its refs. */
import type { AgentRef, Episode, StopReason } from "./AgentRef.ts"

const longestWords = 400

export const episodeOf = (chain: ReadonlyArray<AgentRef>, stopReason: StopReason): Episode => {
  const asked: Array<string> = []
  const times = new Map<string, number>()
  let answer = ""
  for (const ref of chain) {
    if (ref._tag === "Input") asked.push(...ref.words.map(({ text }) => text))
    if (ref._tag === "Call") times.set(ref.name, (times.get(ref.name) ?? 0) + 1)
    if (ref._tag === "Output") answer = ref.name === "text" ? String(ref.content) : `${ref.name} was submitted`
  }
  return {
    asked: shortened(asked.join("\n")),
    did: [...times].map(([name, count]) => ({ name, times: count })),
    came: shortened(answer === "" ? stopReason : `${stopReason}: ${answer}`)
  }
}

/** The text that replaces a dropped run in the messages. */
export const episodeText = ({ asked, came, did }: Episode): string => {
  const done = did.map(({ name, times }) => (times === 1 ? name : `${name} (${times} times)`)).join(", ")
  return `Asked: ${asked}\nDone: ${done === "" ? "nothing" : done}\nOutcome: ${came}`
}

const shortened = (text: string): string => {
  const line = text.trim()
  return line.length <= longestWords ? line : `${line.slice(0, longestWords)} ...`
}
