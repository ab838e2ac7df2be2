/** The formats of a review: their names, and how a result is written in each. */

import { renderGitHub } from "./GitHub.ts"
import { renderGitLab } from "./GitLab.ts"
import { renderJsonLines } from "./JsonLines.ts"
import { renderJson } from "./JsonReport.ts"
import { renderMarkdown } from "./Markdown.ts"
import type { Presentable } from "./Presentable.ts"
import type { RenderContext } from "./RenderContext.ts"
import { renderReviewdogJsonLines } from "./ReviewdogJsonLines.ts"
import { renderSarif } from "./Sarif.ts"
import { renderText } from "./Text.ts"

const writings = {
  text: renderText,
  json: renderJson,
  jsonl: renderJsonLines,
  markdown: renderMarkdown,
  sarif: renderSarif,
  rdjsonl: renderReviewdogJsonLines,
  gitlab: renderGitLab,
  github: renderGitHub
} satisfies Record<string, (review: Presentable, context: RenderContext) => string>

export type Format = keyof typeof writings

/** In the order of `--help`. */
export const formats: ReadonlyArray<Format> = [
  "text",
  "json",
  "jsonl",
  "markdown",
  "sarif",
  "rdjsonl",
  "gitlab",
  "github"
]

/** The result in a format, ready to be written; ends with a newline, or is empty if a stream has no findings. */
export const render = (format: Format, review: Presentable, context: RenderContext): string =>
  writings[format](review, context)
