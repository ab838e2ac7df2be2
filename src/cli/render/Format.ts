/** The formats of a review: their names, what they are for, and how a result is written in each. */
import { renderGitHub } from "./GitHub.ts"
import { renderGitLab } from "./GitLab.ts"
import { renderJson } from "./Json.ts"
import { renderJsonLines } from "./JsonLines.ts"
import { renderMarkdown } from "./Markdown.ts"
import type { Presentable } from "./Presentable.ts"
import type { RenderContext } from "./RenderContext.ts"
import { renderReviewdogJsonLines } from "./ReviewdogJsonLines.ts"
import { renderSarif } from "./Sarif.ts"
import { renderText } from "./Text.ts"

interface Writing {
  /** For `--help`. */
  readonly description: string
  readonly render: (review: Presentable, context: RenderContext) => string
}

const writings = {
  text: { description: "a report for people", render: renderText },
  json: { description: "one document, schema by --print-schema", render: renderJson },
  jsonl: { description: "a stream of events for agents", render: renderJsonLines },
  markdown: { description: "a comment for a pull request", render: renderMarkdown },
  sarif: { description: "SARIF 2.1.0", render: renderSarif },
  rdjsonl: { description: "reviewdog diagnostics", render: renderReviewdogJsonLines },
  gitlab: { description: "GitLab Code Quality", render: renderGitLab },
  github: { description: "GitHub workflow annotations", render: renderGitHub }
} satisfies Record<string, Writing>

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

export const describeFormat = (format: Format): string => writings[format].description

/** The result in a format, ready to be written; ends with a newline, or is empty where a stream has nothing to say. */
export const render = (format: Format, review: Presentable, context: RenderContext): string =>
  writings[format].render(review, context)
