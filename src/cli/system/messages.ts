/**
 * Messages on standard error: `dd: error: …`, the word in red, `dd: warning: …`, in yellow, and `dd: note: …`.
 *
 * On a terminal lines break between words. Elsewhere each message is one line, because programs read it.
 */
import { Effect } from "effect"
import { timesWords } from "../../domain/change/Degraded.ts"
import { columnsOf } from "../../layers/system/terminal.ts"
import { wrap } from "../text/Page.ts"
import { failedStepInWords } from "../text/stepWords.ts"
import { canShowColour } from "./colour.ts"

/** Standard error; `width` is null if it is not a terminal. */
export interface Screen {
  readonly colour: boolean
  readonly width: number | null
}

export const screenOf = Effect.map(canShowColour(2), (colour): Screen => ({ colour, width: columnsOf(2) }))

const codes = { error: "1;31", warning: "1;33", note: "1;36" }

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

/**
 * Keeps warnings until `flush`, which prints equal ones as one line, with the steps that they come from and a count. One that was
 * printed is not printed again. All are printed at once, so that nothing else is between them.
 */
export const warningsOf = (print: (text: string) => void) => {
  const kept = new Map<string, { readonly steps: Set<string>; count: number }>()
  const printed = new Set<string>()
  return {
    /** `step`: null for a warning of no step. */
    warn: (text: string, step: string | null): void => {
      if (printed.has(text)) return
      const same = kept.get(text) ?? { steps: new Set(), count: 0 }
      if (step !== null) same.steps.add(failedStepInWords(step))
      same.count++
      kept.set(text, same)
    },
    flush: (): void => {
      const all = [...kept]
      kept.clear()
      const lines = all.map(([text, { count, steps }]) => {
        printed.add(text)
        const start = steps.size === 0 ? "" : `${[...steps].join(", ")}: `
        return `${start}${text}${timesWords(count)}`
      })
      if (lines.length > 0) print(lines.join("\n"))
    }
  }
}
