/**
 * Redacts texts in which at most names of users are hidden, and recognises all others, for a process that redacts a few short
 * texts and ends: `dd hook event`. Where it gives a text, `Redaction.ts` gives the same.
 *
 * It searches for literals, because the regular expressions of `Redaction.ts` take longer to compile than everything
 * else that a hook does.
 */

import { applied, united } from "../text/Mask.ts"
import { mayContainKnown } from "./KnownSecrets.ts"
import { mayAssign } from "./mayAssign.ts"
import { mayHoldArgument } from "./mayHoldArgument.ts"
import { mayHoldProse } from "./mayHoldProse.ts"
import { userPaths } from "./userPaths.ts"

/** A redaction for these texts only; null if one of them may hold a secret. `secrets`: those that `secretValues` finds. */
export const quickRedaction = (
  texts: ReadonlyArray<string>,
  secrets: ReadonlyArray<string>
): ((text: string) => string) | null => {
  const whole = texts.join("\n")
  if (mayContainKnown(secrets)(whole) || mayHoldSecret(whole)) return null
  // Their markers contain no name of a secret, so that nothing more is to be hidden next to them.
  return (text) => {
    const masks = userPaths(text, noUsers)
    return masks.length === 0 ? text : applied(text, united(masks)).text
  }
}

const noUsers: ReadonlySet<string> = new Set()

/** False only if no rule except that of users in paths hides anything in the text. */
const mayHoldSecret = (text: string): boolean =>
  mayHoldEscape(text) ||
  mayHoldToken(text) ||
  mayHoldAssignment(text) ||
  mayHoldArgument(text) ||
  mayHoldProse(text) ||
  (text.includes("://") && text.includes("@"))

// Below, what runs often is a loop without calls of own functions: a function that is called some thirty times, or a loop of
// some five hundred rounds, is compiled, which takes longer than to interpret it.

/** May the text be another one when it is decoded (`DecodedText.ts`)? */
const mayHoldEscape = (text: string): boolean =>
  includesOne(text, escapes) ||
  isFollowed(text, "%", "0123456789abcdefABCDEF") ||
  isFollowed(text, "&", "#qalgn") ||
  hasTerminalCode(text) ||
  quotedPart.test(text)

/** `--pass"word"`, `pa''ss`: words are longer without the quotes. */
const quotedPart = /\w(["'])[\w-]*\1\w|-["']/

const escapes = ["\\", "\0", "<U", "^[", "\x1b", "\x9b", "=3D", "`n", "`r", "`t"]

const isFollowed = (text: string, sign: string, next: string): boolean => {
  for (let at = text.indexOf(sign); at >= 0; at = text.indexOf(sign, at + 1)) {
    if (at + 1 < text.length && next.includes(text[at + 1]!)) return true
  }
  return false
}

/** `[31m`, whose ESC was removed. */
const hasTerminalCode = (text: string): boolean => {
  for (let at = text.indexOf("["); at >= 0; at = text.indexOf("[", at + 1)) {
    let end = at + 1
    while (end < text.length && "0123456789;".includes(text[end]!)) end++
    if (end > at + 1 && text[end] === "m") return true
  }
  return false
}

const mayHoldToken = (text: string): boolean =>
  includesOne(text, fragments) || hasToken(text, heads, 9) || hasToken(text, frequentHeads, 16) || mayHoldNgrok(text)

/** The tokens of ngrok and Mailgun have no fixed start: 27 characters, `_` and a digit; 32, and twice a dash and eight. */
const mayHoldNgrok = (text: string): boolean => {
  for (let at = text.indexOf("-", 32); at >= 0; at = text.indexOf("-", at + 1)) if (text[at + 9] === "-") return true
  for (let at = text.indexOf("_"); at >= 0; at = text.indexOf("_", at + 1)) {
    if (at > 26 && "123".includes(text[at - 27]!) && "0123456789".includes(text[at + 1] ?? "-")) return true
  }
  return false
}

const includesOne = (text: string, literals: ReadonlyArray<string>): boolean => {
  for (const literal of literals) if (text.includes(literal)) return true
  return false
}

const hasToken = (text: string, starts: ReadonlyArray<string>, least: number): boolean => {
  for (const start of starts) if (text.includes(start) && beginsToken(text, start, least)) return true
  return false
}

/** Inside of tokens that have no fixed start, of key blocks, of signed tokens and of a `.pgpass`. */
const fragments = [
  ..."hooks.slack.com /api/webhooks/ webhook.office.com/ hooks.zapier.com/ :AA :APA91b _authToken= Q~ .atlasv1.".split(
    " "
  ),
  ...".acc _gitlab_session= AZDO AzFu +ASt _mmk eyJ NRAL IncomingWebhook/".split(" "),
  ..."pgpass :5432: :*:".split(" "),
  "PRIVATE KEY",
  "SSWS 00"
]

/** How tokens start (`tokenFormats.ts`), with all characters that do not vary. A test compares both files. */
const heads =
  "00D 1//0 ABIA ABSK AGE-SECRET-KEY-1 AIza AKCp AKIA AKID API- AQ.Ab AQVN ASIA ATATT3 ATBB ATCTT3 AVNS_ AccountKey BBDC- CCIPAT_ CCIPRJ_ CFPAT- CLOJARS_ EZAK EZTK FLWSECK GOCSPX- GR1348941 HRKU- LS0tLS1CRUdJTi LTAI NRAA- NRAK- NRII- NRIQ- NRRA- PMAK- PMAT- SWMTKN-1- SharedAccessKey access-development- access-production- access-sandbox- aio_ amzn.mws. api- api_org_ apify_api_ bedrock-api-key- cfat_ cfk_ cflt cfut_ cmVmd crsr_ csk- dG9rO da2- dapi dckr_oat_ dckr_pat_ ddo_ ddp_ ddw_ dnkey- doo_v1_ dop_v1_ dor_v1_ dp.audit. dp.ct. dp.pt. dp.sa. dp.scim. dp.st. e2b_ duffel_live_ duffel_test_ figd_ fio-u- fo1_ gho_ ghp_ ghr_ ghs_ ghu_ github_pat_ glagent- glc_ glcbt- gldt- glffct- glft- glimt- gloas- glpat- glptt- glrt- glrtr- glsa_ glsoat- glwt- gsk_ hawk. hvb. hvr. hvs. ico- ion_ jina_ key- lin_api_ lin_oauth_ live_ llx- lsv2_pt_ lsv2_sk_ mdb_sa_sk_ napi_ nfp_ npm_ ntn_ nvapi- odt_ ops_ey p8e- pcsk_ pdl_live_apikey_ pdl_sdbx_apikey_ pha_ phc_ phr_ phs_ phx_ pnb_ pnu_ pplx- pscale_oauth_ pscale_pw_ pscale_tkn_ pul- px-api- px-dep- pypi-AgE rdme_ rk_live_ rk_test_ rnd_ rootly_ rubygems_ s-s4t2 rzp_live_ rzp_test_ sat. sb_secret_ sbp_ sdk- sgp_ sha256~ shippo_live_ shippo_test_ shpat_ shpca_ shppa_ shpss_ sk- sk.eyJ sm_aat_ sm_pat_ sm_sat_ sntrys_ sntryu_ snyk_sat. snyk_uat. sq0atb- sq0atp- sq0csb- sq0csp- sqa_ sqp_ squ_ tfp_ tgp_v1_ tk-us- tk.eyJ tskey- tvly- vca_ vci_ vck_ vcp_ vcr_ v1.0- vercel_blob_rw_ wandb_v1_ whsec_ xai- xapp- xkeysib- xox xsmtpsib- ya29.".split(
    " "
  )
/** The same for starts that are frequent in words: more characters must follow. */
const frequentHeads =
  "A3- AAAAAAAAAAAAAAAAAAAAAA AC EAA IG MD MT Mj Mz ND NT Nj Nz OD OT Oj Oz SG. SK bk cio dt0 fc- fm fw_ hc hf_ oy2 pat r8_ re_ secret_ sk_ sl. t1. y0_".split(
    " "
  )

const beginsToken = (text: string, head: string, least: number): boolean => {
  for (let at = text.indexOf(head); at >= 0; at = text.indexOf(head, at + 1)) {
    // Inside of a word, only long tokens are hidden.
    const needed = at > 0 && inNames.includes(text[at - 1]!) && text[at - 1] !== "-" ? 16 : least
    let end = at + head.length
    while (end - at < needed && end < text.length && inTokens.includes(text[end]!)) end++
    if (end - at >= needed) return true
  }
  return false
}

/** The characters of names in `Redaction.ts`. */
const inNames = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"
const inTokens = `${inNames}./+=:%~`

/** Is there a name of a secret with something after it that could be its value? */
const mayHoldAssignment = (text: string): boolean => {
  const lower = text.toLowerCase()
  // The places of characters differ.
  if (lower.length !== text.length) return true
  for (const word of words) {
    for (let at = lower.indexOf(word); at >= 0; at = lower.indexOf(word, at + 1)) {
      if (!endsName.includes(lower[at + word.length] ?? ".") && mayGive(text, lower, word, at)) return true
    }
  }
  for (let at = text.indexOf("PAT"); at >= 0; at = text.indexOf("PAT", at + 1)) {
    if (!isLetter(text.charCodeAt(at + 3)) && mayGive(text, lower, "pat", at)) return true
  }
  return (
    lower.includes("identified") ||
    lower.includes("sig=") ||
    lower.includes("signature=") ||
    lower.includes("appid=") ||
    (text.includes(":") && mayNameUser(lower))
  )
}

/** The name of each assigned secret has one of these, or `PAT`. */
const words = ["pass", "pswd", "secret", "token", "credential", "auth", "key", "pw", "bearer", "cookie"]

/** Directly after a name, they make it a name that is given nothing. */
const endsName = ")/;{}<#@$%&*"

const mayGive = (text: string, lower: string, word: string, at: number): boolean => {
  let end = at + word.length
  while (end < text.length && inNames.includes(text[end]!)) end++
  const next = text[end]
  // Most names end here.
  if (next === undefined || !("\n\"'`\\],:=>?|+(.!".includes(next) || isBlank(next))) return false
  const sign = text[afterBlanks(text, end)] ?? "\n"
  // `Bearer abc`, `login me password abc`
  if (isBlank(next) && (word === "bearer" || (word === "pass" && lower.includes("login")))) return true
  // `name: PASSWORD` over `value: abc`
  if (sign === "\n" && !lower.includes("value", end)) return false
  let start = at
  while (start > 0 && inNames.includes(text[start - 1]!)) start--
  // `ENV TOKEN abc`, `TOKEN += abc`
  if (isUpperCase(text.charCodeAt(start)) && text.charCodeAt(end - 1) < 96) {
    if (":?+=".includes(sign) || (isBlank(next) && (lower.includes("env") || lower.includes("set")))) return true
  }
  if (!mayAssign(text, start, end)) return false
  return sign !== "," || word === "cookie" || isQuotedNext(text, text.indexOf(",", end) + 1)
}

const isQuotedNext = (text: string, start: number): boolean => {
  let at = afterBlanks(text, start)
  while (isLetter(text.charCodeAt(at))) at++
  return "\"'`".includes(text[at] ?? "-")
}

const afterBlanks = (text: string, start: number): number => {
  let at = start
  while (at < text.length && isBlank(text[at]!)) at++
  return at
}

/** Is there an option that gives curl a name and a password: `-u`, `-sSu`, `--user`, `--proxy-user`? */
const mayNameUser = (lower: string): boolean => {
  for (let at = lower.indexOf("-"); at >= 0; at = lower.indexOf("-", at + 1)) {
    if (at > 0 && inNames.includes(lower[at - 1]!)) continue
    if (lower.startsWith("--user", at) || lower.startsWith("--proxy-user", at)) return true
    let end = at + 1
    while (end <= at + 4 && letters.includes(lower[end] ?? "-")) end++
    if (lower[end] === "u") return true
  }
  return false
}

/** Without `u`. */
const letters = "abcdefghijklmnopqrstvwxyz"

const isBlank = (char: string): boolean => char !== "\n" && char.trim() === ""
const isUpperCase = (code: number): boolean => code >= 65 && code <= 90
const isLetter = (code: number): boolean => isUpperCase(code) || (code >= 97 && code <= 122)
