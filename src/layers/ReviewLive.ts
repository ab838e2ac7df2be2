/** Everything that `programs/review` requires, with the implementations of one run. */
import { layerDigest } from "@effect/platform-node-shared/NodeCrypto"
import { Effect, FileSystem, Layer, Option, Path } from "effect"
import type { CostLimit } from "../domain/agent/RunCost.ts"
import type { Change } from "../domain/change/Change.ts"
import type { Grammar } from "../domain/change/Grammar.ts"
import type { Rule } from "../domain/finding/Rule.ts"
import type { PullRequestName } from "../domain/review/FindingsArtifact.ts"
import { costBefore } from "../domain/review/Loop.ts"
import { hasImportWords } from "../languages/imports.ts"
import { grammarOf } from "../languages/languages.ts"
import { Agent, AgentDeadline } from "../services/agent/Agent.ts"
import { Backend } from "../services/agent/Backend.ts"
import { limit } from "../services/agent/Budget.ts"
import { userPrices } from "../services/agent/PriceList.ts"
import { ResumedRun } from "../services/agent/ResumedRun.ts"
import type { Repository } from "../services/change/openRepository.ts"
import { SymbolIndex } from "../services/code/SymbolIndex.ts"
import { SyntaxTrees } from "../services/code/SyntaxTrees.ts"
import { RuleSet } from "../services/finding/RuleSet.ts"
import { StaticReviewer } from "../services/finding/StaticReviewer.ts"
import { Choices, nobody } from "../services/fix/Choices.ts"
import { ClaimVerifier } from "../services/fix/ClaimVerifier.ts"
import { FixTarget } from "../services/fix/FixTarget.ts"
import { type TestOptions, TestRunner } from "../services/fix/TestRunner.ts"
import { corporaName } from "../services/night/Corpus.ts"
import { Prover } from "../services/prove/Prover.ts"
import { FindingsOut } from "../services/review/FindingsOut.ts"
import { ReviewFiles } from "../services/review/ReviewFiles.ts"
import { FailPolicy } from "../services/run/FailPolicy.ts"
import { FlowEngine } from "../services/run/FlowEngine.ts"
import { PromptOverrides } from "../services/run/PromptOverrides.ts"
import * as CodeLive from "./CodeLive.ts"
import * as BlobFactsNone from "./change/facts/None.ts"
import * as BlobFactsSqlite from "./change/facts/Sqlite.ts"
import * as SourcesFiles from "./change/sources/Files.ts"
import * as SourcesGit from "./change/sources/Git.ts"
import * as SourcesPatch from "./change/sources/Patch.ts"
import * as TreeSitter from "./code/syntax/TreeSitter.ts"
import { storeFolder } from "./dream/seal.ts"
import { projectAt } from "./dream/spoolFile.ts"
import * as FixLive from "./FixLive.ts"
import * as LinePatterns from "./finding/patterns/Re2.ts"
import type { Answering } from "./ModelsLive.ts"
import * as RecordLive from "./RecordLive.ts"
import * as ReplayBackend from "./record/replay/Replay.ts"
import * as ExtensionDirectory from "./run/extensions/Directory.ts"

export interface Options<R> extends RecordLive.Options<R> {
  readonly rules: ReadonlyArray<Rule>
  readonly fanout: number
  /** Does the review use what dd learned from sessions in the repository, and from labels? */
  readonly usesLearned: boolean
  readonly pricesFile: string | null
  /** The backends; null: a review without a model. */
  readonly answering: Omit<Answering, "home" | "pricesFile" | "repository" | "change"> | null
  /** Null: no limit. */
  readonly maxCost: CostLimit | null
  /** The most one answer may take, in seconds; null: the default. */
  readonly timeout: number | null
  /** The run whose agents are continued; null: none. */
  readonly resumed: ResumedRun | null
  /** How the project's tests are run; absent: they are not. */
  readonly tests?: Omit<TestOptions, "own">
  /** Who decides about fixes; null: there are none. */
  readonly fixing: { readonly choices: Choices["Service"] } | null
}

/** The text of both sides: from the repository if there is one, else from the patch. */
export const sources = (repository: Repository | null, change: Change, facts = BlobFactsNone.layer) =>
  Layer.provideMerge(
    repository === null || change.head._tag === "Unknown"
      ? SourcesPatch.layer(change)
      : SourcesGit.layer(repository, change),
    facts
  )

/** Facts about the blobs of a repository from earlier runs; `home`: where they are stored, null: nowhere. */
export const blobFacts = (repository: Repository | null, home: string | null) =>
  home === null || repository === null || factsVersion === null
    ? BlobFactsNone.layer
    : BlobFactsSqlite.layer({
        path: `${home}/cache/symbols.db`,
        version: factsVersion,
        // Linked working trees share their objects.
        scope: repository.gitDir.replace(/\/worktrees\/[^/]+$/, "")
      })

/** Files as if they had just been added. */
export const sourcesOfFiles = (options: SourcesFiles.Options) =>
  Layer.merge(SourcesFiles.layer(options), BlobFactsNone.layer)

/** Rules on files as if they had just been added, without a run. */
export const staticReviewer = (rules: ReadonlyArray<Rule>, files: ReadonlyMap<string, Uint8Array>) =>
  StaticReviewer.layer.pipe(
    Layer.provide([TreeSitter.layer, RuleSet.layerOf(rules), SourcesFiles.layer({ files, root: null })])
  )

/** What the rules of the user and the repository are made with, besides the sources they are read from. */
export const userRules = LinePatterns.layer

/**
 * The steps and their shared services, with every choice left open: backend, sources, recorder, artifacts, extensions,
 * rules.
 */
export const steps = (pullRequest: PullRequestName | null) =>
  Layer.mergeAll(
    ClaimVerifier.layer,
    FindingsOut.layer(pullRequest),
    ReviewFiles.layer,
    PromptOverrides.layer,
    FlowEngine.layer
  ).pipe(Layer.provideMerge(Agent.layer), Layer.provideMerge(layerDigest))

export const layer = <R>(options: Options<R>) =>
  fixes(options).pipe(
    Layer.provideMerge(steps(options.pullRequest)),
    Layer.provideMerge(backend(options)),
    Layer.provideMerge(RecordLive.dismissals(options)),
    Layer.provideMerge(ExtensionDirectory.layer({ home: options.home, reviewed: options.repository?.root ?? null })),
    Layer.provideMerge(CodeLive.briefs),
    Layer.provideMerge(
      options.replay?.source === "static" ? ReplayBackend.staticReviews(options.replay) : CodeLive.staticReviews
    ),
    Layer.provideMerge(learned(options)),
    Layer.provideMerge(SymbolIndex.layer),
    // The report highlights code.
    Layer.provideMerge(SyntaxTrees.layer),
    Layer.provide(TreeSitter.layerFor(options.writes ? grammarsFor(options.change, options.rules) : [])),
    Layer.provideMerge(RuleSet.layerOf(options.rules)),
    Layer.provideMerge(FailPolicy.layer),
    Layer.provideMerge(Layer.succeed(ResumedRun, options.resumed)),
    Layer.provideMerge(bounds({ ...options, hasModel: options.answering !== null })),
    Layer.provideMerge(RecordLive.recorder(options)),
    // Ends after the record is written and before another run may use the artifacts.
    Layer.provideMerge(RecordLive.archive(options)),
    Layer.provideMerge(RecordLive.artifacts(options))
  )

/** Made with the review, because its steps are the same with and without fixes; what is expensive waits for its use. */
export const fixes = ({
  fixing,
  home,
  repository,
  sessionId,
  tests = { timeout: 600, sandbox: "auto" },
  version
}: Pick<Options<never>, "fixing" | "home" | "repository" | "sessionId" | "tests" | "version">) =>
  Prover.layer.pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        FixLive.layer({ repository, home }),
        Layer.succeed(FixTarget, { repository, run: sessionId, version }),
        TestRunner.layer({ ...tests, own: repository?.root ?? "." }),
        Layer.succeed(Choices, fixing?.choices ?? nobody)
      )
    )
  )

/** What dd learned in the repository, from sessions and from labels. */
export const learned = (options: Learning) =>
  learnedFromSessions(options).pipe(Layer.provideMerge(learnedFromLabels(options)))

type Learning = Pick<Options<never>, "home" | "repository" | "usesLearned">

/** If it has a dream store. */
const learnedFromSessions = ({ home, repository, usesLearned }: Learning) => {
  const root = repository?.root ?? null
  if (!usesLearned || home === null || root === null) return Layer.empty
  return Layer.unwrap(
    Effect.gen(function* () {
      const project = projectAt(root)
      if (project === null) return Layer.empty
      const { join } = yield* Path.Path
      const isKept = yield* (yield* FileSystem.FileSystem)
        .exists(join(project.root, ...storeFolder))
        .pipe(Effect.option)
      if (!Option.contains(isKept, true)) return Layer.empty
      const [store, { layer }] = yield* Effect.promise(() =>
        Promise.all([import("./dream/store/Directory.ts"), import("../services/dream/learned.ts")])
      )
      return layer(project).pipe(Layer.provide(store.layer(home)))
    })
  )
}

/** If a night has learned something from the labels of its reviews. */
const learnedFromLabels = ({ home, repository, usesLearned }: Learning) => {
  const root = repository?.root ?? null
  if (!usesLearned || home === null || root === null) return Layer.empty
  return Layer.unwrap(
    Effect.gen(function* () {
      const { join } = yield* Path.Path
      const corpora = join(home, corporaName)
      const { exists } = yield* FileSystem.FileSystem
      // Where this cannot be determined, reading the corpus fails and says why.
      if (Option.contains(yield* Effect.option(exists(corpora)), false)) return Layer.empty
      const [{ corpusOf }, { layer }] = yield* Effect.promise(() =>
        Promise.all([import("./night/corpus/corpusFiles.ts"), import("./night/learned.ts")])
      )
      return layer(home, corpusOf({ root, remoteUrl: repository?.remoteUrl ?? null }))
    })
  )
}

const backend = <R>({ answering, fanout, replay, ...options }: Options<R>) => {
  if (replay !== null) return ReplayBackend.layer(replay, fanout)
  if (answering === null) return Backend.withoutModel(fanout)
  // A static review does not load providers, prompts and the agent runtime.
  return Layer.unwrap(
    Effect.map(
      Effect.promise(() => import("./ModelsLive.ts")),
      (models) => models.layer({ ...answering, ...options })
    )
  )
}

/** Seconds for one answer of an agent with tools. */
const defaultSeconds = 1800

/** Limits of the cost and the duration of answers. */
export const bounds = ({
  hasModel,
  loop,
  maxCost,
  pricesFile,
  timeout
}: Pick<Options<never>, "loop" | "maxCost" | "pricesFile" | "timeout"> & { readonly hasModel: boolean }) => {
  const prices = hasModel && pricesFile !== null ? userPrices(pricesFile) : Layer.empty
  const seconds = timeout ?? (hasModel ? defaultSeconds : null)
  const deadline = seconds === null ? Layer.empty : Layer.succeed(AgentDeadline, seconds)
  return Layer.mergeAll(prices, deadline, limit(maxCost, costBefore(loop)))
}

/** The grammars of the files after the change that a rule or a step will need. */
const grammarsFor = ({ diff }: Change, rules: ReadonlyArray<Rule>): ReadonlyArray<Grammar> => {
  const ruleGrammars = new Set(rules.flatMap((rule) => (rule._tag === "Syntax" ? rule.grammars : [])))
  const found = diff.files.flatMap(({ newPath }) => {
    const grammar = newPath === null ? null : grammarOf(newPath)
    const isWanted = newPath !== null && grammar !== null && (ruleGrammars.has(grammar) || hasImportWords(newPath))
    return isWanted ? [grammar] : []
  })
  return [...new Set(found)]
}

/**
 * The version of the readers in this binary: a digest of their sources and grammars, set when it is compiled.
 *
 * Null if dd runs from its sources, which may have changed since the facts were stored.
 */
declare const DD_FACTS_VERSION: string | undefined

const factsVersion: string | null = typeof DD_FACTS_VERSION === "string" ? DD_FACTS_VERSION : null
