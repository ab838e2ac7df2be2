/** The bytes of a response as the events of its stream. */
import * as Sse from "effect/encoding/Sse"
import { endMark, type Fault, jsonOf, type WireEvent } from "../TurnDecoder.ts"

/** A larger answer is refused: dd requests at most 16,000 tokens. In characters, including the framing. */
const longestAnswer = 16 * 1024 * 1024
/** The same in events, because even small ones take work. */
const mostEvents = 500_000

/** How the events of a response are separated; `whole`: the response is one event. */
export type Framing = "events" | "lines" | "whole"

export interface Frames {
  readonly events: ReadonlyArray<WireEvent>
  readonly fault: Fault | null
}

/** Accepts bytes in pieces of any size. */
export const framesOf = (framing: Framing) => {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true })
  const found: Array<WireEvent> = []
  const parser = Sse.makeParser((event) => {
    if (event._tag === "Event") found.push({ name: event.event, data: event.data })
  })
  let length = 0
  let count = 0
  let line = ""
  let isTooMuch = false

  const feed = (text: string): Frames => {
    length += text.length
    if (length > longestAnswer) isTooMuch = true
    if (!isTooMuch && framing === "events") isTooMuch = parser.feed(text) !== undefined
    else if (!isTooMuch) {
      line += text
      if (framing === "lines" && text.includes("\n")) {
        const lines = line.split("\n")
        line = lines.pop() ?? ""
        for (const data of lines) if (data.trim() !== "") found.push({ name: "message", data })
      }
    }
    count += found.length
    if (count > mostEvents) isTooMuch = true
    return { events: found.splice(0), fault: isTooMuch ? { kind: "too-much", status: null, detail: "" } : null }
  }

  return {
    take: (bytes: Uint8Array | undefined): Frames =>
      feed(bytes === undefined ? "" : decoder.decode(bytes, { stream: true })),
    /** The last event may lack its blank line, and the last line its end. An incomplete event is dropped. */
    end: (): Frames => {
      const { events, fault } = feed(`${decoder.decode()}\n\n`)
      const last = framing === "whole" && line.trim() !== "" ? [{ name: "message", data: line }] : events
      return { events: last.filter(({ data }) => data === endMark || jsonOf(data) !== undefined), fault }
    }
  }
}
