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

/** Of OpenAI's models; null: it does not reason, or is unknown, and would reject the parameter. */
export const gptEffort = (model: string, effort: Effort): Effort | null => {
  const name = model.toLowerCase().replace(/^(?:openai\/|ft:)/, "")
  const version = /^gpt-(\d+)(?:\.(\d+))?/.exec(name)
  const number = Number(version?.[1] ?? 0) * 100 + Number(version?.[2] ?? 0)
  if (name.includes("-chat") || !(number >= 500 || /^(?:gpt-oss|o\d|codex)/.test(name))) return null
  // The models for long thinking have no short one.
  const isPro = /^gpt-.*-pro\b/.test(name)
  if (isPro && number < 502) return "high"
  if (isPro && (effort === "none" || effort === "low")) return "medium"
  return effortAmong(number >= 506 ? ["xhigh", "max"] : number >= 502 ? ["xhigh"] : [], effort)
}
