/** The effort of a request, for models that do not take every level. Source: the vendors' pages on their models. */
import type { Effort } from "../../../domain/run/BackendChoice.ts"

/** The nearest level that exists, not above the given one; `high` and those below exist everywhere. */
export const effortAmong = <E extends Effort>(above: ReadonlyArray<Effort>, effort: E): E | "xhigh" | "high" =>
  effort !== "xhigh" && effort !== "max"
    ? effort
    : above.includes(effort)
      ? effort
      : effort === "max" && above.includes("xhigh")
        ? "xhigh"
        : "high"

/** The version of an OpenAI model that thinks, as a number: 506 for `gpt-5.6`. 0: another series. Null: it does not. */
const gptVersion = (model: string): number | null => {
  const name = plainName(model)
  const version = /^gpt-(\d+)(?:\.(\d+))?/.exec(name)
  const number = Number(version?.[1] ?? 0) * 100 + Number(version?.[2] ?? 0)
  return name.includes("-chat") || !(number >= 500 || /^(?:gpt-oss|o\d|codex)/.test(name)) ? null : number
}

const plainName = (model: string): string => model.toLowerCase().replace(/^(?:openai\/|ft:)/, "")

/** Whether the model is one of OpenAI's own that think, wherever it is reached: it needs OpenAI's parameters. */
export const isGptThinking = (model: string): boolean =>
  gptVersion(model) !== null && !plainName(model).startsWith("gpt-oss")

/** Whether the model caches only prefixes that end at a mark, or at the end of a request. */
export const takesMarks = (model: string): boolean => (gptVersion(model) ?? 0) >= 506

/** Of OpenAI's models; null: it does not reason, or is unknown, and would reject the parameter. */
export const gptEffort = (model: string, effort: Effort): Effort | null => {
  const number = gptVersion(model)
  if (number === null) return null
  const name = plainName(model)
  // The models for long thinking have no short one.
  const isPro = /^gpt-.*-pro\b/.test(name)
  if (isPro && number < 502) return "high"
  if (isPro && (effort === "none" || effort === "low")) return "medium"
  // Earlier models, and those for coding, always think.
  if (effort === "none" && (number < 501 || name.includes("codex"))) return "low"
  return effortAmong(number >= 506 ? ["xhigh", "max"] : number >= 502 ? ["xhigh"] : [], effort)
}

/** In Chat Completions, newer models refuse tools unless thinking is off, whether or not the request sets an effort. */
export const chatEffort = (model: string, effort: Effort | null, hasTools: boolean): Effort | null => {
  if (hasTools && (gptVersion(model) ?? 0) >= 504) return "none"
  return effort === null ? null : gptEffort(model, effort)
}
