/** A decoder fed by hand: events in, what it says out. */
import type { ModelEvent } from "../../src/domain/agent/ModelTurn.ts"
import type { Decoder, Fault, Hearing } from "../../src/layers/agent/model/Decoder.ts"

export const hearing: Hearing = { turnId: "00c0ffee", takenIds: new Set() }

/** Data as it is sent: text as it is, anything else as JSON; a pair has a name. */
export type Sent = string | object | readonly [string, string | object]

export const decode = <Turn>(
  decoder: Decoder<Turn>,
  sent: ReadonlyArray<Sent>
): { readonly said: ReadonlyArray<ModelEvent>; readonly fault: Fault | null } => {
  let turn = decoder.begin
  const said: Array<ModelEvent> = []
  for (const one of sent) {
    const [name, data] = Array.isArray(one) ? [String(one[0]), one[1]] : ["message", one]
    const step = decoder.take(turn, { name, data: typeof data === "string" ? data : JSON.stringify(data) })
    turn = step.turn
    said.push(...step.said)
    if (step.fault !== null) return { said, fault: step.fault }
  }
  if (decoder.isOver(turn)) return { said, fault: null }
  const last = decoder.end(turn)
  return { said: [...said, ...last.said], fault: last.fault }
}
