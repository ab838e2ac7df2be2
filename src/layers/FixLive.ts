/** What the fix half of a review needs beside the review itself. */
import { layerDigest } from "@effect/platform-node-shared/NodeCrypto"
import { Effect, type FileSystem, Layer, type Path, Result } from "effect"
import { alone, structureStack } from "../domain/finding/MergedItem.ts"
import { complexityOf } from "../languages/complexity.ts"
import { grammarFor } from "../languages/languages.ts"
import { StaticReviews } from "../services/agent/StaticReviews.ts"
import { Changes } from "../services/change/Changes.ts"
import type { Git } from "../services/change/Git.ts"
import { SymbolIndex } from "../services/code/SymbolIndex.ts"
import { type ParsedFile, SyntaxParser } from "../services/code/SyntaxParser.ts"
import { SyntaxTrees } from "../services/code/SyntaxTrees.ts"
import type { RuleSet } from "../services/finding/RuleSet.ts"
import { FixTreeFailed } from "../services/fix/FixTree.ts"
import { TreeReview } from "../services/fix/TreeReview.ts"
import { fingerprintedFindings } from "../services/review/fingerprintedFindings.ts"
import { FailPolicy } from "../services/run/FailPolicy.ts"
import { Recorder } from "../services/run/Recorder.ts"
import * as CodeLive from "./CodeLive.ts"
import * as BlobFactsNone from "./change/facts/None.ts"
import * as SourcesGit from "./change/sources/Git.ts"
import * as TreeSitter from "./code/syntax/TreeSitter.ts"
import * as GitTree from "./fix/GitTree.ts"
import * as Proc from "./system/process/Proc.ts"

/** A review of its own, whose failures are not those of the run. */
const treeReview = Layer.effect(
  TreeReview,
  Effect.gen(function* () {
    const changes = yield* Changes
    const services = yield* Effect.context<FileSystem.FileSystem | Git | Path.Path | RuleSet>()
    // A review without fixes parses with its own parsers alone.
    const parsers = yield* Effect.cached(Layer.buildWithScope(TreeSitter.layer, yield* Effect.scope))

    const graph = Layer.merge(CodeLive.staticReviews, layerDigest).pipe(
      Layer.provide(SymbolIndex.layer),
      Layer.provide(SyntaxTrees.layer),
      Layer.provide(Layer.effectContext(parsers)),
      Layer.provide(FailPolicy.layer),
      Layer.provide(
        Layer.succeed(
          Recorder,
          Recorder.watching(() => Effect.void)
        )
      )
    )

    /** Null for a language without a grammar. */
    const withTree = <A, E>(path: string, text: string, use: (file: ParsedFile) => Effect.Effect<A, E>) => {
      const grammar = grammarFor(path, text)
      if (grammar === null) return null
      return SyntaxParser.use((parser) => parser.parse(grammar, text)).pipe(
        Effect.flatMap(use),
        Effect.scoped,
        Effect.result,
        Effect.provide(Layer.effectContext(parsers))
      )
    }

    return TreeReview.of({
      findings: Effect.fn("TreeReview.findings")(
        function* (tree, reviewed) {
          const { base } = reviewed
          if (base._tag !== "Commit" && base._tag !== "Empty") {
            return yield* new FixTreeFailed({ reason: "the base of the change is not in the repository" })
          }
          const change = yield* changes.since(tree.repository, base)
          const sources = SourcesGit.layer(tree.repository, change).pipe(Layer.provideMerge(BlobFactsNone.layer))
          return yield* Effect.gen(function* () {
            const reviews = yield* StaticReviews
            const inFiles = yield* reviews.review(change, {
              name: "files",
              files: change.diff.files.map(({ path }) => path)
            })
            const around = yield* reviews.review(change, { name: structureStack, files: [] })
            const records = [...inFiles.records, ...around.records]
            const items = records.map((record, at) => ({ ...alone(structureStack, record), id: at + 1 }))
            return yield* fingerprintedFindings(items, change)
          }).pipe(Effect.provide(Layer.fresh(graph).pipe(Layer.provideMerge(sources))))
        },
        (self) =>
          self.pipe(
            Effect.provideContext(services),
            Effect.scoped,
            Effect.mapError((error) =>
              error._tag === "FixTreeFailed" ? error : new FixTreeFailed({ reason: error.message })
            )
          )
      ),
      hasSyntaxError: (path, text) => {
        const isBroken = withTree(path, text, ({ root }) => Effect.succeed(root.hasError))
        // A text that cannot be parsed at all.
        return isBroken === null
          ? Effect.succeed(false)
          : Effect.map(
              isBroken,
              Result.getOrElse(() => true)
            )
      },
      complexity: (path, text) => {
        const complexity = withTree(path, text, ({ read }) => read(complexityOf))
        return complexity === null
          ? Effect.succeed(null)
          : Effect.map(
              complexity,
              Result.getOrElse(() => null)
            )
      }
    })
  })
)

/** The agent, the redactor, the failure policy and the tests are left open. */
export const layer = (options: GitTree.GitTreeOptions) =>
  Layer.merge(treeReview, Proc.layer).pipe(Layer.provideMerge(GitTree.layer(options)), Layer.provide(Changes.layer))
