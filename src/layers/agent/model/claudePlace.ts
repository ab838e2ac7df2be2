/** Where Claude answers, as the settings say, or what they have to say besides. Pure. */
import { Result } from "effect"
import type { ReviewSettings } from "../../../domain/run/ReviewSettings.ts"
import type { ClaudePlace } from "./claudeClient.ts"

/** `model`: the one that is to answer; null where nobody names it. A cloud has no usual one. */
export const claudePlace = (
  { at, project, region }: Pick<ReviewSettings["anthropic"], "at" | "project" | "region">,
  model: string | null
): Result.Result<ClaudePlace, string> => {
  if (at.value === "anthropic") return Result.succeed({ at: "anthropic" })
  if (model === null) return Result.fail(`say which model of ${at.value} answers: anthropic.model`)
  if (region.value === null) return Result.fail(`say in which region of ${at.value}: anthropic.region`)
  if (at.value === "bedrock") return Result.succeed({ at: "bedrock", region: region.value })
  return project.value === null
    ? Result.fail("say in which project of vertex: anthropic.project")
    : Result.succeed({ at: "vertex", region: region.value, project: project.value })
}
