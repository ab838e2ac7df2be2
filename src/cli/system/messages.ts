/**
 * Errors and warnings on standard error: `dd: error: …`, the word in red, and `dd: warning: …`, in yellow.
 *
 * On a terminal lines break between words. Elsewhere each message is one line, because programs read it.
 */
import { Effect } from "effect"
import { columnsOf } from "../../layers/system/terminal.ts"
import { wrap } from "../text/Page.ts"
import { canShowColour } from "./colour.ts"

/** Standard error; `width` is null if it is not a terminal. */
export interface Screen {
  readonly colour: boolean
  readonly width: number | null
}

export const screenOf = Effect.map(canShowColour(2), (colour): Screen => ({ colour, width: columnsOf(2) }))

const codes = { error: "1;31", warning: "1;33" }

/** Each line of `text` is a message. */
export const messageText = (kind: keyof typeof codes, text: string, { colour, width }: Screen): string => {
  const plain = `dd: ${kind}: `
  const label = colour ? `dd: \x1b[${codes[kind]}m${kind}:\x1b[0m ` : plain
  return text
    .split("\n")
    .flatMap((line) => {
      const lines = width === null ? [line] : wrap(line, Math.max(20, width - plain.length))
      return lines.map((each, at) => `${at === 0 ? label : " ".repeat(plain.length)}${each}\n`)
    })
    .join("")
}

/** Prints each warning once, and at the end how often it came if it came again. */
export const warningsOf = (print: (text: string) => void) => {
  const times = new Map<string, number>()
  return {
    warn: (text: string): void => {
      const before = times.get(text) ?? 0
      times.set(text, before + 1)
      if (before === 0) print(text)
    },
    end: (): void => {
      for (const [text, count] of times) if (count > 1) print(`${text} (${count} times)`)
      times.clear()
    }
  }
}
