/**
 * What a night learned, for a review: the pointer and the generation that counts, read once and when they are first needed, without
 * a lock and without a database. A corpus that cannot be used hides nothing and adds nothing, and the review says so.
 */
import { Effect, Layer } from "effect"
import { emptyGeneration } from "../../domain/night/Generation.ts"
import { learnedFor } from "../../domain/night/learnedFor.ts"
import { grammarOf } from "../../languages/languages.ts"
import { learnedFrom } from "../../services/brief/LearnedArtifacts.ts"
import { Learned } from "../../services/finding/Learned.ts"
import { RuleSet } from "../../services/finding/RuleSet.ts"
import { FailPolicy } from "../../services/run/FailPolicy.ts"
import { corpusFolder } from "./corpus/corpusFiles.ts"

/** `home`: dd's own directory. */
export const layer = (home: string, project: string) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const onFailure = yield* FailPolicy
      const rules = new Map((yield* RuleSet).rules.map((rule) => [rule.id, rule]))
      const folder = yield* corpusFolder(home, project)
      const learned = yield* Effect.cached(
        folder.current.pipe(onFailure.open("learned-from-labels", emptyGeneration(project)))
      )
      /** A rule that the user disabled reads nothing. */
      const reads = (id: string, path: string): boolean => {
        const rule = rules.get(id)
        const grammar = grammarOf(path)
        return (
          rule !== undefined &&
          rule.appliesToPath?.(path) !== false &&
          (rule._tag !== "Syntax" || (grammar !== null && rule.grammars.includes(grammar)))
        )
      }
      return Layer.merge(
        Layer.succeed(Learned, learned),
        learnedFrom((paths) => Effect.map(learned, (generation) => learnedFor(generation, paths, reads)))
      )
    })
  )
