/** The checks of the rules about credentials on added lines. The text of a secret never enters a claim. */

import { addedLines, longestLine } from "../../domain/finding/Claims.ts"
import type { Claim, RuleFile } from "../../domain/finding/Rule.ts"
import { findSecrets, type Secret, type SecretKind } from "../../domain/secret/Secret.ts"
import type { LineChecks } from "../page/Checks.ts"
import { isMovedLine } from "../shared/movedLine.ts"

const prose = /\.(?:md|mdx|rst|adoc|txt|html?)$/i

const generated =
  /(?:^|\/)(?:package-lock\.json|[\w.-]+\.lock|pnpm-lock\.yaml|go\.sum)$|\.min\.(?:js|css)$|\.map$|\.svg$/
/** Lock files and the like are full of what looks like a token and is none. */
export const isFullOfHashes = (path: string): boolean => generated.test(path)
const found = new WeakMap<RuleFile, ReadonlyMap<number, ReadonlyArray<Secret>>>()

/** Secrets by added line: looked for once, as each rule below asks for its own kind on every line. */
const secretsIn = (file: RuleFile): ReadonlyMap<number, ReadonlyArray<Secret>> => {
  let byLine = found.get(file)
  if (byLine === undefined) {
    const lines = isFullOfHashes(file.path) ? [] : addedLines(file.diff)
    byLine = new Map(
      lines.flatMap(({ line, text }) => {
        const secrets = text.length > longestLine ? [] : findSecrets(text)
        return secrets.length === 0 ? [] : [[line, secrets] as const]
      })
    )
    found.set(file, byLine)
  }
  return byLine
}

/** A claim for the first secret of this kind on the line, named for what it opens. */
const claimSecret =
  (wanted: SecretKind, sentence: (secret: Secret) => string) =>
  (text: string, line: number, file: RuleFile): boolean | Claim => {
    const secret = secretsIn(file)
      .get(line)
      ?.find(({ kind }) => kind === wanted)
    return secret === undefined || isMovedLine(file, text) ? false : { line, title: sentence(secret) }
  }

const article = (name: string): string => `${/^[aeiou]/i.test(name) ? "An" : "A"} ${name}`

const hunkLinesAfter = (file: RuleFile, line: number): ReadonlyArray<string> =>
  file.diff.hunks
    .flatMap((hunk) => hunk.lines)
    .filter(({ newLine }) => newLine !== null && newLine > line && newLine <= line + 100)
    .map(({ text }) => text)

export const lineChecks: LineChecks = {
  "private-key": (text, line, file) => {
    if (!text.includes("PRIVATE KEY-----") || !text.includes("-----BEGIN")) return false
    const following = file.head?.slice(line, line + 100) ?? hunkLinesAfter(file, line)
    const found = findSecrets([text, ...following].join("\n")).some(
      ({ kind, start }) => kind === "private-key" && start < text.length
    )
    return found && !isMovedLine(file, text)
  },
  "provider-token": claimSecret("provider-token", ({ name }) => `${article(name)} stands in the code`),
  "google-api-key": claimSecret("google-api-key", () => "A Google API key stands in the code"),
  "hardcoded-credential": (text, line, file) =>
    prose.test(file.path)
      ? false
      : claimSecret("credential", ({ name }) => `${article(name)} is written into the source`)(text, line, file),
  "url-password": (text, line, file) =>
    prose.test(file.path) ? false : claimSecret("url-password", () => "A URL carries a password")(text, line, file)
}
