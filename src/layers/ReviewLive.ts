/** Everything `programs/review` asks for, wired once: the only file that knows which implementation a run uses. */
import { layerDigest } from "@effect/platform-node-shared/NodeCrypto"
import { Effect, FileSystem, Layer, type Path, type Scope } from "effect"
import type { Change } from "../domain/change/Change.ts"
import type { Grammar } from "../domain/change/Grammar.ts"
import type { Rule } from "../domain/finding/Rule.ts"
import type { Recording } from "../domain/record/Recording.ts"
import type { SessionId } from "../domain/run/SessionId.ts"
import { hasImportWords } from "../languages/imports.ts"
import { grammarOf } from "../languages/languages.ts"
import { Agent, AgentDeadline } from "../services/agent/Agent.ts"
import { Backend } from "../services/agent/Backend.ts"
import { limit } from "../services/agent/Budget.ts"
import { userPrices } from "../services/agent/PriceList.ts"
import { StaticReviews } from "../services/agent/StaticReviews.ts"
import type { Repository } from "../services/change/openRepository.ts"
import { CodeQueries } from "../services/code/CodeQueries.ts"
import { ContractScenes } from "../services/code/ContractScenes.ts"
import { ImportGraph } from "../services/code/ImportGraph.ts"
import { ImportTracer } from "../services/code/ImportTracer.ts"
import { JavaNames } from "../services/code/JavaNames.ts"
import { JavaUses } from "../services/code/JavaUses.ts"
import { MemberSources } from "../services/code/MemberSources.ts"
import { MemberUses } from "../services/code/MemberUses.ts"
import { ModuleUses } from "../services/code/ModuleUses.ts"
import { NameResolver } from "../services/code/NameResolver.ts"
import { PackageUses } from "../services/code/PackageUses.ts"
import { PythonLoader } from "../services/code/PythonLoader.ts"
import { References } from "../services/code/References.ts"
import { RustPaths } from "../services/code/RustPaths.ts"
import { RustUses } from "../services/code/RustUses.ts"
import { Surroundings } from "../services/code/Surroundings.ts"
import { SymbolIndex } from "../services/code/SymbolIndex.ts"
import { SyntaxTrees } from "../services/code/SyntaxTrees.ts"
import { TypeFinder } from "../services/code/TypeFinder.ts"
import { TypeResolver } from "../services/code/TypeResolver.ts"
import { UseFinder } from "../services/code/UseFinder.ts"
import { CaseReviewer } from "../services/finding/CaseReviewer.ts"
import { CloneReviewer } from "../services/finding/CloneReviewer.ts"
import { ContractReviewer } from "../services/finding/ContractReviewer.ts"
import { CycleReviewer } from "../services/finding/CycleReviewer.ts"
import { DriftReviewer } from "../services/finding/DriftReviewer.ts"
import { ImportReviewer } from "../services/finding/ImportReviewer.ts"
import { OverrideReviewer } from "../services/finding/OverrideReviewer.ts"
import { RuleSet } from "../services/finding/RuleSet.ts"
import { StaticReviewer } from "../services/finding/StaticReviewer.ts"
import { StructureReviewer } from "../services/finding/StructureReviewer.ts"
import { TestGapReviewer } from "../services/finding/TestGapReviewer.ts"
import { Archive } from "../services/record/Archive.ts"
import { recordDraft } from "../services/record/Bundles.ts"
import { AlternativeReviewer } from "../services/review/AlternativeReviewer.ts"
import { Arbiter } from "../services/review/Arbiter.ts"
import { Artifacts } from "../services/review/Artifacts.ts"
import { Concluder } from "../services/review/Concluder.ts"
import { EvidenceGate } from "../services/review/EvidenceGate.ts"
import { Explorer } from "../services/review/Explorer.ts"
import { FindingsOut } from "../services/review/FindingsOut.ts"
import { Fingerprinter } from "../services/review/Fingerprinter.ts"
import { IntentReader } from "../services/review/IntentReader.ts"
import { Merger } from "../services/review/Merger.ts"
import { Planner } from "../services/review/Planner.ts"
import { ReviewFiles } from "../services/review/ReviewFiles.ts"
import { StackParser } from "../services/review/StackParser.ts"
import { StackReviewers } from "../services/review/StackReviewers.ts"
import { Suppressor } from "../services/review/Suppressor.ts"
import { FailPolicy } from "../services/run/FailPolicy.ts"
import { FlowEngine } from "../services/run/FlowEngine.ts"
import { PromptOverrides } from "../services/run/PromptOverrides.ts"
import type { Recorder } from "../services/run/Recorder.ts"
import { UserRules } from "../services/run/UserRules.ts"
import type { Redactor } from "../services/secret/Redactor.ts"
import * as ArchiveLive from "./ArchiveLive.ts"
import * as SourcesFiles from "./change/sources/Files.ts"
import * as SourcesGit from "./change/sources/Git.ts"
import * as SourcesPatch from "./change/sources/Patch.ts"
import { factsVersion } from "./code/symbols/factsVersion.ts"
import * as SymbolCacheNone from "./code/symbols/None.ts"
import * as SymbolCacheSqlite from "./code/symbols/Sqlite.ts"
import * as TreeSitter from "./code/syntax/TreeSitter.ts"
import * as LinePatterns from "./finding/patterns/Re2.ts"
import type { Answering } from "./ModelsLive.ts"
import * as Tee from "./record/recorder/Tee.ts"
import * as Trajectory from "./record/recorder/Trajectory.ts"
import * as ReplayBackend from "./record/replay/Replay.ts"
import * as ArtifactDirectory from "./review/artifacts/Directory.ts"
import * as ArtifactsNone from "./review/artifacts/None.ts"
import * as ExtensionDirectory from "./run/extensions/Directory.ts"
import * as Secretlint from "./secret/secrets/Secretlint.ts"

export interface Options<R> {
  readonly sessionId: SessionId
  /** Null when a bare patch is reviewed outside of any repository. */
  readonly repository: Repository | null
  readonly change: Change
  readonly rules: ReadonlyArray<Rule>
  readonly fanout: number
  /** `DD_HOME`, or `~/.daydream`; null when there is neither. */
  readonly home: string | null
  readonly pricesFile: string | null
  /** False for a preview: nothing is written. */
  readonly writes: boolean
  readonly version: string
  /** Where the run's trajectory goes; null: to the run's own directory, where there is one. */
  readonly trajectory: string | null
  readonly flow: string
  readonly backend: string
  /** Who answers where a model is asked; null: dd itself does. */
  readonly answering: Omit<Answering, "home" | "pricesFile" | "repository" | "change"> | null
  /** US dollars the run may cost; null: whatever it takes. */
  readonly maxCost: number | null
  /** Seconds one answer may take; null: as usual. */
  readonly timeout: number | null
  /** A recorded run that answers instead of a backend. */
  readonly replay: Recording | null
  /** Where the run is archived when it is over, and whether it is judged; null: nowhere. */
  readonly archive: { readonly directory: string; readonly evaluates: boolean } | null
  /** Sinks beside the run's own record: progress, the `jsonl` stream. */
  readonly watchers: ReadonlyArray<Effect.Effect<Recorder["Service"], never, R>>
}

/** The text of both sides: from the repository where there is one, else only what the patch shows. */
export const sources = (repository: Repository | null, change: Change) =>
  repository === null || change.head._tag === "Unknown"
    ? SourcesPatch.layer(change)
    : SourcesGit.layer(repository, change)

/** Files as if they had just been added. */
export const sourcesOfFiles = SourcesFiles.layer

/** Rules on files as if they had just been added, without a run around it. */
export const staticReviewer = (rules: ReadonlyArray<Rule>, files: ReadonlyMap<string, Uint8Array>) =>
  StaticReviewer.layer.pipe(
    Layer.provide([
      TreeSitter.layer,
      Secretlint.layer,
      RuleSet.layerOf(rules),
      SourcesFiles.layer({ files, root: null })
    ])
  )

/** The rules that users and the repository wrote; asks for the sources they are read from. */
export const userRules = UserRules.layer.pipe(Layer.provide(LinePatterns.layer))

/** The steps and what they share, with every choice still open: backend, sources, recorder, artifacts, extensions, rules. */
export const steps = Layer.mergeAll(
  Explorer.layer,
  IntentReader.layer,
  AlternativeReviewer.layer,
  StackReviewers.layer,
  StackParser.layer,
  Arbiter.layer,
  Merger.layer,
  EvidenceGate.layer,
  Concluder.layer.pipe(Layer.provide([Fingerprinter.layer, Suppressor.layer])),
  FindingsOut.layer,
  ReviewFiles.layer,
  Planner.layer,
  PromptOverrides.layer,
  FlowEngine.layer
).pipe(Layer.provideMerge(Agent.layer), Layer.provide(layerDigest))

/** What names mean across files; sources and symbols are open. */
const names = Layer.mergeAll(UseFinder.layer, ContractScenes.layer).pipe(
  Layer.provide([ModuleUses.layer, PackageUses.layer, MemberUses.layer, RustUses.layer, JavaUses.layer]),
  Layer.provide([MemberSources.layer, TypeResolver.layer]),
  Layer.provideMerge(Layer.mergeAll(NameResolver.layer, RustPaths.layer, JavaNames.layer))
)

/** Questions about the code around a change; sources and symbols are open. */
export const codeQueries = CodeQueries.layer.pipe(
  Layer.provide([ImportTracer.layer, References.layer]),
  Layer.provide(names)
)

/** What dd proves by itself, or proved in the recorded run; sources, symbols, trees and rules are open. */
const staticReviews = <R>({ replay }: Options<R>) =>
  replay?.source === "static"
    ? ReplayBackend.staticReviews(replay)
    : StaticReviews.layer.pipe(
        Layer.provide([StaticReviewer.layer, CloneReviewer.layer, DriftReviewer.layer, TestGapReviewer.layer]),
        Layer.provide([ContractReviewer.layer, StructureReviewer.layer])
      )

export const layer = <R>(options: Options<R>) =>
  steps.pipe(
    Layer.provideMerge(backend(options)),
    Layer.provideMerge(ExtensionDirectory.layer({ home: options.home, reviewed: options.repository?.root ?? null })),
    Layer.provide(codeQueries),
    Layer.provide(staticReviews(options)),
    Layer.provide([ImportReviewer.layer, CycleReviewer.layer, CaseReviewer.layer, OverrideReviewer.layer]),
    Layer.provide([PythonLoader.layer, TypeFinder.layer]),
    Layer.provide([Surroundings.layer, ImportGraph.layer]),
    Layer.provide(names),
    Layer.provide(SymbolIndex.layer),
    Layer.provide(SyntaxTrees.layer),
    Layer.provide(symbolCache(options)),
    Layer.provide(Secretlint.layer),
    Layer.provide(TreeSitter.layerFor(options.writes ? grammarsFor(options.change, options.rules) : [])),
    Layer.provideMerge(RuleSet.layerOf(options.rules)),
    Layer.provideMerge(FailPolicy.layer),
    Layer.provideMerge(bounds(options)),
    Layer.provideMerge(recorder(options)),
    // Ends after the record is written and before another run may have the artifacts.
    Layer.provideMerge(archive(options)),
    Layer.provideMerge(artifacts(options))
  )

const backend = <R>({ answering, fanout, replay, ...options }: Options<R>) => {
  if (replay !== null) return ReplayBackend.layer(replay, fanout)
  if (answering === null) return Backend.withoutModel(fanout)
  // Providers, prompts and the agent runtime are of no use to a static review.
  return Layer.unwrap(
    Effect.map(
      Effect.promise(() => import("./ModelsLive.ts")),
      (models) => models.layer({ ...answering, ...options })
    )
  )
}

/** An agent that looks around takes its time. Source: reference §3.2. */
const usualSeconds = 1800

/** What answers may cost and how long they may take. */
const bounds = <R>({ answering, maxCost, pricesFile, timeout }: Options<R>) => {
  const prices = answering === null || pricesFile === null ? Layer.empty : userPrices(pricesFile)
  const seconds = timeout ?? (answering === null ? null : usualSeconds)
  const deadline = seconds === null ? Layer.empty : Layer.succeed(AgentDeadline, seconds)
  return Layer.mergeAll(prices, deadline, limit(maxCost))
}

const symbolCache = <R>({ home, repository, writes }: Options<R>) =>
  home === null || repository === null || factsVersion === null || !writes
    ? SymbolCacheNone.layer
    : SymbolCacheSqlite.layer({
        path: `${home}/cache/symbols.db`,
        version: factsVersion,
        // Linked working trees share their objects.
        scope: repository.gitDir.replace(/\/worktrees\/[^/]+$/, "")
      })

/** Those of the files that are there after the change, less those that no rule and no step will ask for. */
const grammarsFor = ({ diff }: Change, rules: ReadonlyArray<Rule>): ReadonlyArray<Grammar> => {
  const asked = new Set(rules.flatMap((rule) => (rule._tag === "Syntax" ? rule.grammars : [])))
  const found = diff.files.flatMap(({ newPath }) => {
    const grammar = newPath === null ? null : grammarOf(newPath)
    const isWanted = newPath !== null && grammar !== null && (asked.has(grammar) || hasImportWords(newPath))
    return isWanted ? [grammar] : []
  })
  return [...new Set(found)]
}

const artifacts = <R>({ repository, sessionId, writes }: Options<R>) => {
  if (!writes || repository === null) return ArtifactsNone.layer(null)
  if (repository.root === null) return ArtifactsNone.layer(null)
  return ArtifactDirectory.layer(repository.root, sessionId)
}

const archive = <R>(options: Options<R>) => {
  const { archive, sessionId, writes } = options
  if (!writes || archive === null) return Archive.layerNone
  return Layer.unwrap(
    Effect.gen(function* () {
      const { directory, runDirectory } = yield* Artifacts
      const fs = yield* FileSystem.FileSystem
      const draft = recordDraft(archive.directory, sessionId)
      // Runs after the run is archived, which has its own copy.
      yield* Effect.addFinalizer(() => Effect.option(fs.remove(draft, { recursive: true, force: true })))
      return Archive.layer({
        ...options,
        artifacts: directory,
        trajectory: trajectoryOf(options, runDirectory),
        evaluates: archive.evaluates
      })
    })
  ).pipe(Layer.provide(ArchiveLive.store(archive.directory)))
}

/** The document of the run; null when there is no place for one. */
const trajectoryOf = <R>({ archive, sessionId, trajectory, writes }: Options<R>, runDirectory: string | null) => {
  if (trajectory !== null || !writes) return trajectory
  if (runDirectory !== null) return `${runDirectory}/trajectory.json`
  return archive === null ? null : `${recordDraft(archive.directory, sessionId)}/trajectory.json`
}

const noRecord =
  "no record of this run is kept: there is no working tree for it, and the run is not archived; --trajectory PATH keeps one"

/** What happened, as a trajectory, and to whoever watches. A place the user asked for must be one that can be written. */
const recorder = <R>(options: Options<R>) => {
  const { replay, repository, sessionId, trajectory, version, watchers, writes } = options
  return Layer.unwrap(
    Effect.gen(function* () {
      const { runDirectory } = yield* Artifacts
      const about = { sessionId, version, target: repository?.root ?? null }
      const asked = trajectory === null || !writes ? [] : [Trajectory.make({ ...about, document: trajectory })]
      const document = trajectoryOf(options, runDirectory)
      // Of a replay there is the record that it repeats.
      if (document === null && writes && replay === null) yield* Effect.logWarning(noRecord)
      const usual = trajectory !== null || document === null ? [] : [Trajectory.makeIfPossible({ ...about, document })]
      return Tee.layer<Trajectory.TrajectoryNotBegun, R | FileSystem.FileSystem | Path.Path | Redactor | Scope.Scope>([
        ...asked,
        ...usual,
        ...watchers
      ])
    })
  )
}
