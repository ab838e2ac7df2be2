/**
 * Redacts a text that comes in pieces, wherever it is cut: what comes out, joined, is what redacting the whole gives.
 *
 * Holds back what a later piece could still change: the last whole line and what follows it, an unfinished private
 * key or block, lines that are looked at together with one of these, and never more than `longestHold` characters. In a
 * line longer than that, a value without an end is hidden up to the next space or quote.
 */
import type { Redaction } from "./Redaction.ts"

export interface RedactionStream {
  /** Takes a piece and gives what is settled by it, which may be nothing. */
  readonly push: (piece: string) => string
  /** Gives the rest. */
  readonly end: () => string
}

/** In UTF-16 units. */
export const longestHold = 131_072
/** How far ahead one has to see to judge a place inside of a line. */
const margin = 20_480
/** A cut inside of a line goes to the end of a word, when there is one this near. */
const wordReach = 1024

export const redactionStream = (redaction: Redaction): RedactionStream => {
  let held = ""
  let pieces: Array<string> = []
  let waiting = 0
  /** How much must come before it is worth to look again at what is held: looking each time would take quadratic time. */
  let enough = 0
  let swallowing = false

  /**
   * Gives out what is before the place, or before what is looked at together with anything after it: the rest may
   * still change.
   */
  const settle = (wanted: number): string => {
    const masks = redaction.masks(held)
    // In the middle of a line there is no room for those around it.
    const reach = held[wanted - 1] === "\n" ? rescanned : alone
    let cut = Math.min(wanted, openKey(held, reach), openBlock(held, wanted))
    for (const mask of masks.toReversed()) {
      if (mask.from >= cut) continue
      if (reach.end(held, mask.end) < cut) break
      cut = Math.min(cut, reach.start(held, mask.from))
    }
    // Each piece is well-formed by itself.
    if (/[\ud800-\udbff]/.test(held[cut - 1] ?? "") && /[\udc00-\udfff]/.test(held[cut] ?? "")) cut--
    const settled = redaction.hide(
      held.slice(0, cut),
      masks.filter(({ end }) => end <= cut)
    )
    held = held.slice(cut)
    return settled
  }

  const take = () => {
    held += pieces.join("")
    pieces = []
    waiting = 0
  }

  /** What is held without the rest of a value whose begin is out already, as a marker. */
  const unswallowed = (): string => {
    const end = held.search(ending)
    return end < 0 ? "" : held.slice(end)
  }

  const advance = (): string => {
    let out = ""
    if (swallowing) {
      held = unswallowed()
      swallowing = held === ""
    }
    const last = held.lastIndexOf("\n")
    const before = last < 0 ? -1 : held.lastIndexOf("\n", last - 1)
    if (before >= 0) out += settle(before + 1)
    while (held.length > longestHold) {
      const length = held.length
      out += settle(wordEnd(held, length - margin))
      if (held.length < length) continue
      // One value fills all that may be held.
      out += redaction.text(held)
      held = ""
      swallowing = true
    }
    return out
  }

  return {
    push: (piece) => {
      pieces.push(piece)
      waiting += piece.length
      if (waiting < enough || !(piece.includes("\n") || held.length + waiting > longestHold)) return ""
      take()
      const out = advance()
      enough = out === "" ? held.length >> 2 : 0
      return out
    },
    end: () => {
      take()
      const rest = swallowing ? unswallowed() : held
      held = ""
      return redaction.text(rest)
    }
  }
}

const wordEnd = (text: string, at: number): number => {
  for (let i = at; i > at - wordReach; i--) if (/[\s,;]/.test(text[i - 1]!)) return i
  return at
}

const ending = /[\s"'`,;<>]/

/** How far what is hidden reaches: what touches that is judged together with it. */
interface Reach {
  readonly start: (text: string, at: number) => number
  readonly end: (text: string, at: number) => number
}

const alone: Reach = { start: (_, at) => at, end: (_, at) => at - 1 }

/** The lines around what is hidden are looked at once more, see `redactionOf`. */
const rescanned: Reach = {
  start: (text, at) => lineStart(text, lineStart(text, at) - 1),
  end: (text, at) => lineEnd(text, lineEnd(text, at) + 1) + 1
}

const lineStart = (text: string, at: number): number => (at <= 0 ? 0 : text.lastIndexOf("\n", at - 1) + 1)

const lineEnd = (text: string, at: number): number => {
  const newline = text.indexOf("\n", at)
  return newline < 0 ? text.length : newline
}

/** From where on a private key is to be held that may end in what is still to come. */
const openKey = (text: string, reach: Reach): number => {
  const begin = text.lastIndexOf("-----BEGIN ")
  if (begin < 0 || text.length - begin > margin || text.indexOf("-----END ", begin) >= 0) {
    return Number.POSITIVE_INFINITY
  }
  return reach.start(text, begin)
}

/** Where a line begins that opens a block of lines, when before `cut` there are none but blank ones after it. */
const openBlock = (text: string, cut: number): number => {
  let end = cut
  while (end > 0 && /\s/.test(text[end - 1]!)) end--
  const start = lineStart(text, end)
  return end < cut && blockOpening.test(text.slice(Math.max(start, end - wordReach), end))
    ? start
    : Number.POSITIVE_INFINITY
}

/** As `assignedSecret` reads one. */
const blockOpening = /[|>][+-]?\d?(?:[^\S\n]*#.*)?$/
