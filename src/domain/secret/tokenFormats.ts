/**
 * Credentials that are known by their form alone: `sk-…`, `ghp_…`. Those that `findSecrets` claims, and more that are
 * worth hiding though they may be for tests, short-lived, or need a second half.
 */
import { detected, type Provider, providers } from "./Secret.ts"

type Format = Pick<Provider, "prefix" | "pattern">

const hiddenOnly: ReadonlyArray<Format> = [
  { prefix: "k_test_", pattern: /\b[sr]k_test_[A-Za-z0-9]{10,255}/g },
  { prefix: "ya29.", pattern: /\bya29\.[\w-]{20,1024}/g },
  { prefix: "1//0", pattern: /\b1\/\/0[\w-]{30,255}/g },
  { prefix: "xoxe.", pattern: /\bxoxe\.xox[bp]-\d-[A-Za-z0-9-]{20,255}/g },
  { prefix: "xox", pattern: /\bxox[a-z]-[A-Za-z0-9%-]{6,512}/g },
  { prefix: "SharedAccessKey=", pattern: /\bSharedAccessKey=[A-Za-z0-9+/]{20,128}={0,2}/g },
  { prefix: "Q~", pattern: /(?<![\w~.-])[\w~.-]{3}\dQ~[\w~.-]{31,34}(?![\w~.-])/g },
  { prefix: "AC", pattern: /\bAC[0-9a-f]{32}:[0-9a-f]{32}\b/g },
  { prefix: "gl", pattern: /\bgl(?:rt|cbt|ptt|ft|soat|dt|oas)-[\w-]{20,128}/g },
  { prefix: "ATATT3", pattern: /\bATATT3[\w=-]{100,255}/g },
  { prefix: "gsk_", pattern: /\bgsk_[A-Za-z0-9]{40,64}\b/g },
  { prefix: "xai-", pattern: /\bxai-[A-Za-z0-9]{60,100}\b/g },
  { prefix: "pplx-", pattern: /\bpplx-[A-Za-z0-9]{40,64}\b/g },
  { prefix: "lin_", pattern: /\blin_(?:api|oauth)_[A-Za-z0-9]{32,64}\b/g },
  { prefix: "ntn_", pattern: /\bntn_[A-Za-z0-9]{40,64}\b/g },
  { prefix: "PMAK-", pattern: /\bPMAK-[a-f0-9]{24}-[a-f0-9]{34}\b/g },
  { prefix: "glsa_", pattern: /\bglsa_[A-Za-z0-9]{32}_[a-f0-9]{8}\b/g },
  { prefix: "dckr_", pattern: /\bdckr_(?:pat|oat)_[\w-]{20,64}/g },
  { prefix: "sbp_", pattern: /\bsbp_[a-f0-9]{40}\b/g },
  { prefix: "rubygems_", pattern: /\brubygems_[a-f0-9]{48}\b/g },
  { prefix: "ops_eyJ", pattern: /\bops_eyJ[\w-]{40,4096}/g },
  { prefix: "dp.", pattern: /\bdp\.(?:pt|st|ct|sa|scim|audit)\.[\w.-]{36,100}/g },
  {
    prefix: "LS0tLS1CRUdJTi",
    pattern: /\bLS0tLS1CRUdJTi[A-Za-z0-9+/]{0,24}(?:QUklWQVRF|UFJJVkFURS|BSSVZBVEUg)[A-Za-z0-9+/=]*/g
  },
  { prefix: "gl", pattern: /\bgl(?:ffct|rtr|wt|imt|agent)-[\w-]{18,128}/g },
  { prefix: "GR1348941", pattern: /\bGR1348941[\w-]{20,64}/g },
  { prefix: "LTAI", pattern: /\bLTAI[A-Za-z0-9]{12,24}\b/g },
  { prefix: "ATBB", pattern: /\bATBB[A-Za-z0-9]{32}\b/g },
  { prefix: "BBDC-", pattern: /\bBBDC-[A-Za-z0-9+/]{40,64}/g },
  { prefix: "CLOJARS_", pattern: /\bCLOJARS_[a-f0-9]{60}\b/g },
  { prefix: "cf", pattern: /\bcf(?:at|ut|k)_[A-Za-z0-9]{40,64}\b/g },
  { prefix: "dnkey-", pattern: /\bdnkey-[A-Z0-9]{20,40}-[A-Z0-9]{40,64}\b/g },
  { prefix: "xkeysib-", pattern: /\bxkeysib-[a-f0-9]{64}-[A-Za-z0-9]{16}\b/g },
  { prefix: "HRKU-", pattern: /\bHRKU-[\w-]{36,64}/g },
  { prefix: "AKCp", pattern: /\bAKCp[A-Za-z0-9]{60,80}\b/g },
  { prefix: "nfp_", pattern: /\bnfp_[A-Za-z0-9]{36,64}\b/g },
  { prefix: "NRAK-", pattern: /\bNRAK-[A-Z0-9]{27}\b/g },
  { prefix: "ph", pattern: /\bph[acrsx]_[A-Za-z0-9]{36,64}\b/g },
  { prefix: "PMAT-", pattern: /\bPMAT-[A-Z0-9]{26}\b/g },
  { prefix: "sntrys_", pattern: /\bsntrys_[A-Za-z0-9+/=_-]{60,512}/g },
  { prefix: "sntryu_", pattern: /\bsntryu_[a-f0-9]{64}\b/g },
  { prefix: "sq", pattern: /\bsq[apu]_[a-f0-9]{40}\b/g },
  { prefix: "figd_", pattern: /\bfigd_[\w-]{40,64}/g },
  { prefix: "glc_eyJ", pattern: /\bglc_eyJ[A-Za-z0-9+/=]{40,512}/g },
  { prefix: "tvly-", pattern: /\btvly-(?:dev-|prod-)?[A-Za-z0-9]{24,64}\b/g },
  { prefix: "llx-", pattern: /\bllx-[\w-]{40,64}/g },
  { prefix: "amzn.mws.", pattern: /\bamzn\.mws\.[a-z0-9-]{30,48}/g },
  { prefix: ".atlasv1.", pattern: /\b[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{60,80}/g },
  { prefix: "SWMTKN-", pattern: /\bSWMTKN-1-[a-z0-9-]{60,90}/g },
  { prefix: "pscale_", pattern: /\bpscale_(?:tkn|pw|oauth)_[\w.-]{32,64}/g }
]

/** Of what detector libraries know, what has a form of its own; keys that stand behind a name are `assignedSecret`'s. */
const named = detected.filter(({ prefix }) => prefix !== "")

/** All that are hidden for their form alone. */
export const tokenFormats: ReadonlyArray<Format> = [...providers, ...named, ...hiddenOnly]

interface Sorted {
  /** By the first two characters, for forms that begin where a word begins and name them. */
  readonly byStart: ReadonlyMap<number, ReadonlyArray<RegExp>>
  /** Those that have to be looked for in the whole text. */
  readonly others: ReadonlyArray<Format>
}

const sorted = (formats: ReadonlyArray<Format>): Sorted => {
  const byStart = new Map<number, Array<RegExp>>()
  const others: Array<Format> = []
  for (const format of formats) {
    const first = firstTwo.exec(format.pattern.source)
    if (first === null) {
      others.push(format)
      continue
    }
    const sticky = new RegExp(format.pattern.source, "y")
    for (const a of (first[1] ?? first[2]!).split("")) {
      const key = startKey(a.charCodeAt(0), first[3]!.charCodeAt(0))
      byStart.set(key, [...(byStart.get(key) ?? []), sticky])
    }
  }
  return { byStart, others }
}

/** `\bgh…`, `\b[sr]k…`: what these two characters may be, read from the pattern itself, so that no list can miss one. */
const firstTwo = /^\\b(?:\[([A-Za-z0-9_]+)\]|([A-Za-z0-9_]))([A-Za-z0-9_])(?![?*{|])/

const startKey = (a: number, b: number): number => a * 65_536 + b

const { byStart, others } = sorted(tokenFormats)

/** Which two ASCII characters some form begins with: asked of every word. */
const starts = new Uint8Array(128 * 128)
for (const key of byStart.keys()) starts[Math.floor(key / 65_536) * 128 + (key % 65_536)] = 1

/** Where a credential that begins here ends, or -1. For places where a word begins, with an ASCII letter or digit. */
export const tokenAt = (text: string, at: number): number => {
  const next = text.charCodeAt(at + 1)
  if (!(next < 128) || starts[text.charCodeAt(at) * 128 + next] === 0) return -1
  const candidates = byStart.get(startKey(text.charCodeAt(at), text.charCodeAt(at + 1)))
  if (candidates === undefined) return -1
  let end = -1
  for (const pattern of candidates) {
    pattern.lastIndex = at
    if (pattern.test(text)) end = Math.max(end, pattern.lastIndex)
  }
  if (end < 0 || isStyleClass(text, at, end)) return -1
  return end - at < longestForm ? end : wordEnd(text, end)
}

/** What the patterns read at most; what goes on behind that belongs to the credential all the same. */
const longestForm = 255
const wordCharacters = /[\w-]*/y

const wordEnd = (text: string, at: number): number => {
  wordCharacters.lastIndex = at
  return wordCharacters.test(text) ? wordCharacters.lastIndex : at
}

/** `otherTokens` finds nothing in a text that has none of these. */
export const otherPrefixes: ReadonlyArray<string> = others.map(({ prefix }) => prefix)

/** Credentials that do not begin with letters of their own. */
export function* otherTokens(text: string): Generator<{ readonly start: number; readonly end: number }> {
  for (const { prefix, pattern } of others) {
    if (!text.includes(prefix)) continue
    for (const match of text.matchAll(pattern)) yield { start: match.index, end: match.index + match[0].length }
  }
}

/** `sk-fading-circle` is a class of a style sheet: words of letters alone, more than one. */
const isStyleClass = (text: string, at: number, end: number): boolean =>
  text.startsWith("sk-", at) &&
  (text[at - 1] === "-" ? /^sk-[a-z-]+$/ : /^sk-[a-z]+(?:-[a-z]+)+\d?$/).test(text.slice(at, end))
