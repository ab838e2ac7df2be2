/**
 * The prompt cache of a provider, as far as it is documented: what a request reads from it and writes to it.
 *
 * Claude (Claude Platform Docs, "Prompt caching"): a prefix that ends at a marked block is written; a mark finds an entry
 * at most 20 blocks before it; an entry lives five minutes after its last use; a short prefix is not cached. OpenAI
 * (guide "Prompt caching"; types of its SDK): from 1,024 tokens; before GPT-5.6 any prefix, in steps of 128 tokens, and
 * since then one that ends at a breakpoint, of which one is implicit (the end of the request) and others are marked.
 * Everywhere, an entry is there when the answer of the request that wrote it begins, and requests with another model,
 * other tools or another effort have another cache (OpenAI's diagnostics name both; for Claude's effort there are only
 * measurements by users, so this is the careful assumption).
 *
 * Not simulated: machines that a request does not reach (`prompt_cache_key`), and entries that are dropped earlier.
 */
import { countTokens } from "gpt-tokenizer/encoding/o200k_base"
import type { Asked } from "./Asked.ts"
import { type Fields, fields, hashOf, isFields, list, text } from "./requestRules/fields.ts"
import { claudeVersion, gptVersion } from "./requestRules/modelVersion.ts"

/** A part of a request that is in the cache or is not. */
interface Segment {
  readonly tokens: number
  readonly hash: string
  readonly isMarked: boolean
}

export interface CacheUse {
  readonly prompt: number
  readonly read: number
  readonly written: number
}

interface Entry {
  readonly tokens: number
  readonly from: number
  until: number
}

const minute = 60_000
const farthest = 20

export class PromptCache {
  readonly #entries = new Map<string, Entry>()

  /** `now` is when the request arrives, `begins` when its answer does, in milliseconds. */
  take(asked: Asked, now: number, begins: number): CacheUse {
    const body = asked.heard.body ?? {}
    const ends = prefixesOf(segmentsOf(asked.protocol, body), namespaceOf(asked, body))
    const prompt = ends.at(-1)?.tokens ?? 0
    const { lives, least, lookBack, step } = habitsOf(asked)
    const places = step > 0 ? ends.filter(({ tokens }) => tokens >= least) : ends.filter(({ isMarked }) => isMarked)
    const found = places.flatMap((place) => {
      const at = ends.indexOf(place)
      return ends.slice(Math.max(0, at - lookBack + 1), at + 1).filter(({ key }) => {
        const entry = this.#entries.get(key)
        return entry !== undefined && entry.from <= now && now <= entry.until
      })
    })
    const best = found.reduce<(typeof ends)[number] | null>((a, b) => (a === null || b.tokens > a.tokens ? b : a), null)
    const known = best?.tokens ?? 0
    const read = step > 0 ? Math.floor(known / step) * step : known
    const last = places.findLast(({ tokens }) => tokens >= least)?.tokens ?? 0
    for (const { key, tokens } of places) {
      if (tokens < least) continue
      const entry = this.#entries.get(key)
      if (entry === undefined || now > entry.until)
        this.#entries.set(key, { tokens, from: begins, until: begins + lives })
      else entry.until = Math.max(entry.until, now + lives)
    }
    return { prompt, read, written: Math.max(0, last - read) }
  }
}

/** Each prefix of a request, by what it contains. */
const prefixesOf = (segments: ReadonlyArray<Segment>, namespace: string) => {
  let key = namespace
  let tokens = 0
  return segments.map(({ hash, isMarked, tokens: own }) => {
    key = hashOf([key, hash])
    tokens += own
    return { key, tokens, isMarked }
  })
}

const namespaceOf = ({ choice, model, protocol }: Asked, body: Fields): string =>
  JSON.stringify([
    model,
    fields(body.output_config).effort ?? fields(body.reasoning).effort ?? body.reasoning_effort ?? body.think ?? null,
    fields(body.thinking).type ?? null,
    protocol === "messages" ? choice : (body.response_format ?? body.format ?? fields(body.text).format ?? null)
  ])

const segmentsOf = (protocol: Asked["protocol"], body: Fields): ReadonlyArray<Segment> => {
  const turns = list(body[protocol === "responses" ? "input" : "messages"])
  const system = body.system ?? body.instructions
  const parts: ReadonlyArray<Fields> = [
    ...list(body.tools),
    ...(typeof system === "string" ? [{ text: system }] : list(system)),
    ...turns.flatMap((turn) =>
      Array.isArray(turn.content) ? list(turn.content).map((part) => ({ role: turn.role, ...part })) : [turn]
    )
  ]
  return (protocol === "messages" ? parts : parts.flatMap(inPieces)).map((part, at, all) => {
    const { cache_control, prompt_cache_breakpoint, ...rest } = part
    const isLast = protocol !== "messages" && at === all.length - 1
    const shown = JSON.stringify(rest)
    return {
      tokens: tokensOf(shown),
      hash: hashOf(rest),
      isMarked: isFields(cache_control) || isFields(prompt_cache_breakpoint) || isLast
    }
  })
}

/** A long text in paragraphs, because a cache by tokens matches in the middle of it as well. */
const inPieces = (part: Fields): ReadonlyArray<Fields> => {
  const { content, prompt_cache_breakpoint, text: own } = part
  const whole =
    typeof content === "string" ? content : typeof own === "string" && part.cache_control === undefined ? own : null
  if (whole === null) return [part]
  const pieces = whole.split(/(?<=\n\n)/)
  return pieces.map((piece, at) => ({
    piece,
    role: part.role,
    ...(at === pieces.length - 1 ? { ...part, content: undefined, text: undefined, prompt_cache_breakpoint } : {})
  }))
}

/** `step`: 0 where only marked prefixes are cached. */
const habitsOf = ({ model, protocol }: Asked) => {
  if (protocol === "messages") return { least: leastOf(model), lives: 5 * minute, lookBack: farthest, step: 0 }
  if ((gptVersion(model) ?? 0) >= 506) {
    return { least: 1024, lives: 30 * minute, lookBack: Number.POSITIVE_INFINITY, step: 0 }
  }
  // A local server keeps what it has computed, token by token.
  const isLocal = protocol === "ollama" || gptVersion(model) === null
  return { least: isLocal ? 1 : 1024, lives: 10 * minute, lookBack: 1, step: isLocal ? 1 : 128 }
}

/** The shortest prefix that is cached; a model that is not listed has the usual one. */
const leastOf = (model: string): number => {
  const version = claudeVersion(text(model)) ?? 0
  if (/haiku/.test(model) && version <= 306) return 2048
  if (version === 407) return 2048
  if (/opus/.test(model) && (version === 405 || version === 406)) return 4096
  if (/haiku/.test(model) && version === 405) return 4096
  return /opus|fable|mythos/.test(model) && version >= 500 ? 512 : 1024
}

const counted = new Map<string, number>()
export const tokensOf = (value: string): number => {
  const known = counted.get(value) ?? countTokens(value, { disallowedSpecial: new Set() })
  counted.set(value, known)
  return known
}
