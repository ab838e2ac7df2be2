/** The checks of the rules about credentials on added lines. A claim never contains the text of a secret. */

import { longestLine } from "../../domain/finding/Claims.ts"
import type { LineCheck, RuleFile } from "../../domain/finding/Rule.ts"
import { findSecrets, type Secret, type SecretKind } from "../../domain/secret/Secret.ts"
import { lastAtMost } from "../../domain/text/lastAtMost.ts"
import type { LineChecks } from "../page/Checks.ts"
import { rememberedFor } from "../shared/rememberedFor.ts"

/** Values in a document, or in a description of an API, are examples. */
const document =
  /\.(?:md|mdx|rst|adoc|txt|html?)$|(?:^|\/)(?:docs?|documentation)\/|(?:openapi|swagger)[\w.-]*\.(?:ya?ml|json)$/i

const generated =
  /(?:^|\/)(?:package-lock\.json|[\w.-]+\.lock|pnpm-lock\.yaml|go\.sum)$|\.min\.(?:js|css)$|\.map$|\.svg$/

/** Lock files and similar contain many hashes that look like tokens. */
export const isFullOfHashes = (path: string): boolean => generated.test(path)

/** Secrets by added line, found once for all rules. Its name may be on a line above: `variable "token" {` over `default = "…"`. */
const secretsIn = rememberedFor(({ diff, isAdded, path }: RuleFile): ReadonlyMap<number, ReadonlyArray<Secret>> => {
  const found = new Map<number, Array<Secret>>()
  for (const { lines } of isFullOfHashes(path) ? [] : diff.hunks) {
    const after = lines.filter(({ newLine }) => newLine !== null)
    const texts = after.map(({ text }) => (text.length > longestLine ? "" : text))
    const starts = texts.map(() => 0)
    for (let at = 1; at < texts.length; at++) starts[at] = starts[at - 1]! + texts[at - 1]!.length + 1
    for (const secret of after.some(({ kind }) => kind === "added") ? findSecrets(texts.join("\n")) : []) {
      const at = lastAtMost(starts, secret.start)
      const line = after[at]?.newLine ?? 0
      const [start, end] = [secret.start, secret.end].map((place) => Math.min(place - starts[at]!, texts[at]!.length))
      if (isAdded(line)) found.set(line, [...(found.get(line) ?? []), { ...secret, start: start!, end: end! }])
    }
  }
  return found
})

/** A claim for the secrets of this kind on the line, with the name of the first one. */
const claimSecret =
  (wanted: SecretKind): LineCheck =>
  (_text, line, file) => {
    const [secret, ...others] = (secretsIn(file).get(line) ?? []).filter(({ kind }) => kind === wanted)
    if (secret === undefined) return false
    if (wanted === "url-password") return { line }
    // The columns of a password would tell how long it is; tokens of a kind have the same length.
    const title = `Hard-coded ${secret.name}`
    if (wanted === "credential") return { line, title }
    const columns = ({ end, start }: Secret) => ({ line, column: start + 1, endColumn: end + 1 })
    return {
      ...columns(secret),
      title,
      related: others.map((other) => ({ ...columns(other), message: `another one: ${other.name}` }))
    }
  }

/** The same, but not in documents. */
const claimSecretInCode =
  (wanted: SecretKind): LineCheck =>
  (text, line, file) => {
    const claim = claimSecret(wanted)(text, line, file)
    return claim === false || document.test(file.path) || isInIds(text, line, file) ? false : claim
  }

const uuid = /["'`][0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}["'`]/i

/** Is it one of several ids, such as those of products? */
const isInIds = (text: string, line: number, { head }: RuleFile): boolean =>
  uuid.test(text) && [head?.[line - 2], head?.[line]].some((beside) => beside !== undefined && uuid.test(beside))

const hunkLinesAfter = (file: RuleFile, line: number): ReadonlyArray<string> =>
  file.diff.hunks
    .flatMap((hunk) => hunk.lines)
    .filter(({ newLine }) => newLine !== null && newLine > line && newLine <= line + 100)
    .map(({ text }) => text)

/** A key file whose name says that the key protects nothing, such as `localhost.key`. */
const throwawayKey =
  /(?:^|[/_.-])(?:local(?:host)?|test(?:ing)?|example|sample|dummy|fake|snakeoil|self-?signed)(?:[_.-][\w.-]*)?\.(?:key|pem|p8|txt)$/i

export const lineChecks: LineChecks = {
  "private-key": (text, line, file) => {
    if (throwawayKey.test(file.path) || !text.includes("PRIVATE KEY-----") || !text.includes("-----BEGIN")) return false
    const following = file.head?.slice(line, line + 100) ?? hunkLinesAfter(file, line)
    const key = findSecrets([text, ...following].join("\n")).find(
      ({ kind, start }) => kind === "private-key" && start < text.length
    )
    return key !== undefined && { line, column: key.start + 1, endColumn: text.trimEnd().length + 1 }
  },
  "provider-token": claimSecret("provider-token"),
  "google-api-key": claimSecret("google-api-key"),
  "hardcoded-credential": claimSecretInCode("credential"),
  "url-password": claimSecretInCode("url-password")
}
