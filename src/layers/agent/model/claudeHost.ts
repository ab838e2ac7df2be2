/** The host of Claude according to the settings, or what is missing in them. Pure. */
import { Result } from "effect"
import type { ReviewSettings } from "../../../domain/run/ReviewSettings.ts"
import type { ClaudeHost } from "./claudeClient.ts"

/** `model`: null if none is set. A cloud has no default. */
export const claudeHost = (
  { at, project, region }: Pick<ReviewSettings["anthropic"], "at" | "project" | "region">,
  model: string | null
): Result.Result<ClaudeHost, string> => {
  if (at.value === "anthropic") return Result.succeed({ at: "anthropic" })
  if (model === null) return Result.fail(`choose a model of ${at.value}: anthropic.model in config.toml`)
  if (region.value === null) return Result.fail(`choose a region of ${at.value}: anthropic.region in config.toml`)
  if (at.value === "bedrock") return Result.succeed({ at: "bedrock", region: region.value })
  return project.value === null
    ? Result.fail("choose a project of vertex: anthropic.project in config.toml")
    : Result.succeed({ at: "vertex", region: region.value, project: project.value })
}
