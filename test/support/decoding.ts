/** A decoder fed by hand: events of a stream in, model events out. */
import type { ModelEvent } from "../../src/domain/agent/ModelTurn.ts"
import type { Fault, TurnContext, TurnDecoder } from "../../src/layers/agent/model/TurnDecoder.ts"

export const context: TurnContext = { turnId: "00c0ffee", takenIds: new Set() }

/** Data as it is sent: text as it is, anything else as JSON; a pair has a name. */
export type Sent = string | object | readonly [string, string | object]

export const decode = (
  decoder: TurnDecoder,
  sent: ReadonlyArray<Sent>
): { readonly said: ReadonlyArray<ModelEvent>; readonly fault: Fault | null } => {
  for (const one of sent) {
    const [name, data] = Array.isArray(one) ? [String(one[0]), one[1]] : ["message", one]
    decoder.read({ name, data: typeof data === "string" ? data : JSON.stringify(data) })
    if (decoder.fault !== null) break
  }
  if (!decoder.isOver && decoder.fault === null) decoder.close()
  return { said: decoder.takeEvents(), fault: decoder.fault }
}
