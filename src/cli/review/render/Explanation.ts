/** Why a finding matters, how to fix it and how to suppress it. */
import type { Finding, RelatedPlace } from "../../../domain/finding/Finding.ts"
import { KnownPaths } from "../../../domain/finding/KnownPaths.ts"
import { visibleCode } from "../../../domain/text/Printable.ts"
import type { RenderContext } from "./RenderContext.ts"

/** Paragraphs that do not repeat each other, the title or the fix. */
export const whyOf = (
  finding: Finding,
  context: Pick<RenderContext, "rule">,
  description = finding.description
): ReadonlyArray<string> => {
  const rule = context.rule(finding.rule)
  const rationale = finding.rationale.trim() === "" ? (rule?.why ?? "") : finding.rationale.trimEnd()
  const fix = fixOf(finding, context)
  // The rationale of a static finding ends with the fix of its rule.
  const why = fix !== undefined && rationale.endsWith(fix) ? rationale.slice(0, -fix.length) : rationale
  const paragraphs = [withoutOpening(description, finding.title), why]
    .map((paragraph) => paragraph.trim())
    .filter((paragraph) => paragraph !== "" && !covers(finding.title, paragraph))
  return paragraphs.filter(
    (one, index) =>
      !paragraphs.some((other, at) => at !== index && covers(other, one) && (at < index || !covers(one, other)))
  )
}

/** For formats that show the other places: without a sentence that only lists them. */
export const whyBesidePlaces = (finding: Finding, context: Pick<RenderContext, "rule">): ReadonlyArray<string> =>
  whyOf(
    finding,
    context,
    finding.description.replace(lastSentence, (sentence, listed: string) => {
      const { places, rest } = new KnownPaths([finding, ...finding.related].map(({ file }) => file)).cited(listed)
      return places.length > 0 && /^[\s,]*$/.test(rest) ? "" : sentence
    })
  )

const lastSentence = /\s*\b(?:Used at|Called at|See) ((?:(?!\. ).)+?)(?:, and \d+ more)?\.$/

/** The words of the rule; without them, the suggestion. */
export const fixOf = (finding: Finding, context: Pick<RenderContext, "rule">): string | undefined =>
  [context.rule(finding.rule)?.fix, finding.suggestion].find((fix) => fix != null && fix.trim() !== "") ?? undefined

/** The lines of the suggestion without their common indent, if it is not what `fixOf` returns and not empty. */
export const suggestedLines = (finding: Finding, context: Pick<RenderContext, "rule">): ReadonlyArray<string> => {
  const { suggestion } = finding
  if (suggestion === null || suggestion.trim() === "" || suggestion === fixOf(finding, context)) return []
  return withoutIndent(suggestion.split("\n"))
}

/** Without what all lines are indented by. */
export const withoutIndent = (lines: ReadonlyArray<string>): ReadonlyArray<string> => {
  const indent = Math.min(...lines.filter((line) => line.trim() !== "").map((line) => line.search(/\S/)))
  return lines.map((line) => line.slice(indent))
}

/** A replacement of the lines that a program may apply: only rules have one that is certain. */
export const replacementOf = ({ line, source, suggestion }: Finding): string | null =>
  source === "static" && line > 0 ? suggestion : null

/** What a certain replacement changes in the lines of the file; null if there is none. */
export const replacedLines = (
  finding: Finding,
  lines: ReadonlyArray<string>
): { readonly line: number; readonly removed: ReadonlyArray<string>; readonly added: ReadonlyArray<string> } | null => {
  const replacement = replacementOf(finding)
  if (replacement === null) return null
  const before = lines.slice(finding.line - 1, Math.max(finding.line, finding.endLine))
  const after = replacement === "" ? [] : replacement.split("\n").map(visibleCode)
  let same = 0
  while (same < Math.min(before.length, after.length) && before[same] === after[same]) same++
  let end = 0
  while (end < Math.min(before.length, after.length) - same && before.at(-1 - end) === after.at(-1 - end)) end++
  return {
    line: finding.line + same,
    removed: before.slice(same, before.length - end),
    added: after.slice(same, after.length - end)
  }
}

export const explanationOf = (finding: Finding, context: Pick<RenderContext, "rule">): ReadonlyArray<string> => {
  const fix = fixOf(finding, context)
  return [...whyOf(finding, context), ...(fix === undefined ? [] : [`Fix: ${fix}`])]
}

/** Why the finding may be wrong or not new. */
export const reservationsOf = ({ confidence, source, verdict, new: isNew }: Finding): ReadonlyArray<string> => [
  ...(confidence === "HIGH" ? [] : ["medium confidence"]),
  ...(verdict !== null ? [`verified: ${verdict}`] : source === "model" ? ["not verified"] : []),
  ...(isNew ? [] : ["in the baseline"])
]

/** What is at another place, with the line that is no longer there. */
export const placeWords = ({ deleted, message }: RelatedPlace): string =>
  deleted === undefined ? message : `${message}: ${deleted.trim()}`

/** `path:line`, or only the path for the whole file. */
export const placeOf = (
  { file, line }: { readonly file: string; readonly line: number },
  { here }: Pick<RenderContext, "here"> = {}
): string => {
  const path = here?.path(file) ?? file
  return line > 0 ? `${path}:${line}` : path
}

/** The comment to write above the line, or the entry for `.daydreamignore` if the file has no comments. */
const hintFor = (finding: Pick<Finding, "file" | "line" | "fingerprint">): string => {
  const comment = commentFor(finding.file)
  if (comment === undefined || finding.line === 0) return `add ${finding.fingerprint} to .daydreamignore`
  return comment(ignoreText)
}

/** For the end of a report: a comment as the files of the findings have it, or its text if they have different ones. */
export const suppressionHint = (findings: ReadonlyArray<Finding>): readonly [how: string, text: string] | null => {
  const hints = findings.map((finding) => hintFor(finding))
  const [comment = hints[0], ...others] = new Set(hints.filter((each) => each.includes(ignoreText)))
  if (comment === undefined) return null
  return others.length === 0
    ? ["To suppress a finding:", comment]
    : ["To suppress a finding, write above it as a comment:", ignoreText]
}

const ignoreText = "dd-ignore-next-line RULE: reason"

type Comment = (text: string) => string

const hash: Comment = (text) => `# ${text}`
const slashes: Comment = (text) => `// ${text}`
const starred: Comment = (text) => `/* ${text} */`
const markup: Comment = (text) => `<!-- ${text} -->`
const dashes: Comment = (text) => `-- ${text}`

const each = (names: string, comment: Comment): ReadonlyArray<readonly [string, Comment]> =>
  names.split(" ").map((name) => [name, comment])

const commentByExtension = new Map<string, Comment>([
  ...each("py pyi rb ex exs sh bash zsh fish yml yaml toml tf hcl pl r jl nix cmake properties graphql", hash),
  ...each(
    "ts tsx mts cts js jsx mjs cjs go rs swift java kt kts scala c h cc cpp hpp cs m mm dart php groovy",
    slashes
  ),
  ...each("gradle zig proto jsonc scss less", slashes),
  ...each("css", starred),
  ...each("html htm xml vue svelte md plist svg", markup),
  ...each("sql lua hs elm", dashes)
])

const commentByName = new Map<string, Comment>(
  each("Dockerfile Makefile Gemfile Rakefile Podfile .gitignore .env", hash)
)

const commentFor = (path: string): Comment | undefined => {
  const name = path.slice(path.lastIndexOf("/") + 1)
  return commentByName.get(name) ?? commentByExtension.get(name.slice(name.lastIndexOf(".") + 1).toLowerCase())
}

/** Without the title, and without the line of code that the excerpt shows. */
const withoutOpening = (description: string, title: string): string =>
  description.startsWith(title)
    ? description
        .slice(title.length)
        .replace(/^: `[^`]*`/, "")
        .replace(/^\s*[.:;,\u2014-]*\s*/, "")
    : description

const covers = (whole: string, part: string): boolean => plain(whole).includes(plain(part))
const plain = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim()
