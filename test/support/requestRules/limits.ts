/**
 * The limits of a model on the length of a request and its answer.
 *
 * Source: the table of models that dd is delivered with; a model that is not in it has no limit here. Tokens are
 * estimated low (four characters each), so a request that is reported as too long is too long.
 */
import { hasRoom, roomOf } from "../../../src/domain/agent/modelRooms.ts"

export const limitFaults = (model: string, bytes: number, output: unknown, name: string): ReadonlyArray<string> => {
  if (!hasRoom(new Map(), model)) return []
  const { contextTokens, outputTokens } = roomOf(new Map(), model)
  const least = Math.floor(bytes / 4)
  return [
    ...(Number(output ?? 0) > outputTokens
      ? [`${name}: ${output} > ${outputTokens}, which is the maximum allowed number of output tokens for ${model}`]
      : []),
    ...(least > contextTokens ? [`prompt is too long: ${least} tokens > ${contextTokens} maximum`] : [])
  ]
}
