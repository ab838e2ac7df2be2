/** `read_file`: numbered lines of a file of either side, a page at a time. */
import { Effect, Schema } from "effect"
import { plural } from "../../../domain/text/plural.ts"
import { readActionOf, refused } from "../runtime/Action.ts"
import { Ordinal, optional, side } from "../runtime/actionInput.ts"
import { answerBytes, cutLine, fittingCount } from "../runtime/answerText.ts"
import { type ShownFiles, whyNoLines } from "../runtime/ShownFiles.ts"

const Input = Schema.Struct({
  path: Schema.String.annotate({ description: "The file, from the repository's root." }),
  from: optional(Ordinal, "First line. Default 1."),
  to: optional(Ordinal, "Last line. Default: as many as fit."),
  side
})

const mostLines = 1_000

export const readFile = (files: ShownFiles) =>
  readActionOf({
    name: "read_file",
    description: `Lines of a file, each as "NUMBER<tab>TEXT", at most ${mostLines} or ${answerBytes / 1000} kB at once; if more follow, the last line gives the next value of from. Secrets are replaced by [REDACTED_...]. A very long line is cut; ask for it alone (from = to) to see more.`,
    input: Input,
    act: Effect.fn("Action.readFile")(function* (input: typeof Input.Type) {
      const which = input.side ?? "head"
      const path = yield* files.find(which, input.path)
      const name = `${files.path(path)} (${which})`
      const file = yield* files.file(which, path)
      if (file._tag !== "Lines") return yield* refused(files.words(`${name} ${whyNoLines(file)}`))
      const { lines, numbers } = file
      const numberAt = (at: number) => numbers?.[at] ?? at + 1
      const last = lines.length === 0 ? 0 : numberAt(lines.length - 1)
      const from = input.from ?? 1
      if (lines.length === 0) return `${name} ${numbers === null ? "is empty" : "has no line in the patch"}`
      if (from > last) return yield* refused(`${name} ends with line ${last}: there is no line ${from}`)
      const to = Math.min(input.to ?? last, last)
      if (to < from) return yield* refused(`to (${to}) comes before from (${from})`)
      const first = firstAt(lines.length, numberAt, from)
      const end = Math.min(firstAt(lines.length, numberAt, to + 1), first + mostLines)
      const isAlone = end - first === 1
      const page = lines
        .slice(first, end)
        .map((line, at) => `${numberAt(first + at)}\t${isAlone ? cutLine(line, answerBytes) : cutLine(line)}`)
      const shown = page.slice(0, fittingCount(page))
      const next = first + shown.length
      const rest = [
        ...(numbers === null ? [] : ["[only a patch is known: of this file, the lines it shows]"]),
        ...(next < lines.length
          ? [`[${plural(lines.length - next, "more line")}: ask again from ${numberAt(next)}]`]
          : [])
      ]
      return [`${name}, ${plural(lines.length, "line")}`, ...shown, ...rest].join("\n")
    })
  })

/** The first index whose number is at least this; numbers ascend. */
const firstAt = (length: number, numberAt: (at: number) => number, number: number): number => {
  let [low, high] = [0, length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (numberAt(middle) < number) low = middle + 1
    else high = middle
  }
  return low
}
