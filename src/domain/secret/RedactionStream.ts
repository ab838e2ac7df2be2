/**
 * Redacts a text that arrives in pieces: the joined output equals the redaction of the whole text.
 *
 * Holds back text that a later piece could change: the last complete line and the text after it, an incomplete private key,
 * here-document or block, lines that are searched together with one of these, and at most `longestHold` characters. In a longer line, a
 * value without an end is hidden up to the next space or quote.
 */
import { openCall, openCode, openInput } from "./commandSecret.ts"
import { openDeclaration } from "./optionDefault.ts"
import type { Redaction } from "./Redaction.ts"

export interface RedactionStream {
  /** Adds a piece and returns the text that cannot change any more, which may be empty. */
  readonly push: (piece: string) => string
  /** Returns the rest. */
  readonly end: () => string
}

/** In UTF-16 units. */
export const longestHold = 131_072
/** The number of following characters that may affect a position in a line. */
const margin = 20_480
/** A cut in a line is moved to the end of a word within this distance. */
const wordReach = 1024

export const redactionStream = (redaction: Redaction): RedactionStream => {
  let held = ""
  let pieces: Array<string> = []
  let waiting = 0
  /** The size at which the held text is searched again: to search it for each piece would take quadratic time. */
  let enough = 0
  let swallowing = false

  /**
   * Returns the text before the position, or before text that is searched together with what follows: the rest may still
   * change.
   */
  const settle = (wanted: number): string => {
    const masks = redaction.masks(held)
    // In the middle of a line, the lines around it are not available.
    const reach = held[wanted - 1] === "\n" ? rescanned : alone
    const opened = Math.min(
      openKey(held, reach),
      openBlock(held, wanted),
      openOption(held, wanted, reach),
      openLines(held, wanted, reach)
    )
    let cut = Math.min(wanted, opened)
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

  /** The held text, without the rest of a value whose start was already replaced by a marker. */
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
      // A single value fills the whole buffer.
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

/** The range of a mask: adjacent text is judged together with it. */
interface Reach {
  readonly start: (text: string, at: number) => number
  readonly end: (text: string, at: number) => number
}

const alone: Reach = { start: (_, at) => at, end: (_, at) => at - 1 }

/** The lines around a mask are searched again, see `redactionOf`. */
const rescanned: Reach = {
  start: (text, at) => lineStart(text, lineStart(text, at) - 1),
  end: (text, at) => lineEnd(text, lineEnd(text, at) + 1) + 1
}

const lineStart = (text: string, at: number): number => (at <= 0 ? 0 : text.lastIndexOf("\n", at - 1) + 1)

const lineEnd = (text: string, at: number): number => {
  const newline = text.indexOf("\n", at)
  return newline < 0 ? text.length : newline
}

/** The start of a private key that may end in a later piece. */
const openKey = (text: string, reach: Reach): number => {
  const begin = text.lastIndexOf("-----BEGIN ")
  if (begin < 0 || text.length - begin > margin || text.indexOf("-----END ", begin) >= 0) {
    return Number.POSITIVE_INFINITY
  }
  return reach.start(text, begin)
}

/** The start of the lines that declare an option whose default may be in a later piece. */
const openOption = (text: string, cut: number, reach: Reach): number => {
  const start = openDeclaration(text.slice(0, cut))
  return start < 0 ? Number.POSITIVE_INFINITY : reach.start(text, start)
}

/** The start of a call, of code or of a here-document that may continue in a later piece. */
const openLines = (text: string, cut: number, reach: Reach): number => {
  const before = text.slice(0, cut)
  const starts = [openCall(before), openCode(before), before.includes("<<") ? openInput(before) : -1].filter(
    (start) => start >= 0
  )
  return starts.length === 0 ? Number.POSITIVE_INFINITY : reach.start(text, Math.min(...starts))
}

/** The start of a line that opens a block of lines, if only blank lines follow before `cut`. */
const openBlock = (text: string, cut: number): number => {
  let end = cut
  while (end > 0 && /\s/.test(text[end - 1]!)) end--
  const start = lineStart(text, end)
  return end < cut && blockOpening.test(text.slice(Math.max(start, end - wordReach), end))
    ? start
    : Number.POSITIVE_INFINITY
}

/** The start of a block for `assignedSecret`. */
const blockOpening = /[|>][+-]?\d?(?:[^\S\n]*#.*)?$/
