/** Everything `programs/review` asks for, wired once: the only file that knows which implementation a run uses. */
import { layerDigest } from "@effect/platform-node-shared/NodeCrypto"
import { Effect, type FileSystem, Layer, type Path, type Scope } from "effect"
import type { Change } from "../domain/Change.ts"
import type { Rule } from "../domain/Rule.ts"
import { type Grammar, grammarOf } from "../domain/Syntax.ts"
import { Agent } from "../services/Agent.ts"
import { AlternativeReviewer } from "../services/AlternativeReviewer.ts"
import { Arbiter } from "../services/Arbiter.ts"
import { Artifacts } from "../services/Artifacts.ts"
import { Concluder } from "../services/Concluder.ts"
import { ContractReviewer } from "../services/ContractReviewer.ts"
import { EvidenceGate } from "../services/EvidenceGate.ts"
import { Explorer } from "../services/Explorer.ts"
import { FailPolicy } from "../services/FailPolicy.ts"
import { FindingsOut } from "../services/FindingsOut.ts"
import { Fingerprinter } from "../services/Fingerprinter.ts"
import { FlowEngine } from "../services/FlowEngine.ts"
import type { Repository } from "../services/Git.ts"
import { ImportTracer } from "../services/ImportTracer.ts"
import { IntentReader } from "../services/IntentReader.ts"
import { JavaNames } from "../services/JavaNames.ts"
import { JavaUses } from "../services/JavaUses.ts"
import { MemberSources } from "../services/MemberSources.ts"
import { MemberUses } from "../services/MemberUses.ts"
import { Merger } from "../services/Merger.ts"
import { ModuleUses } from "../services/ModuleUses.ts"
import { NameResolver } from "../services/NameResolver.ts"
import { PackageUses } from "../services/PackageUses.ts"
import { Planner } from "../services/Planner.ts"
import type { Recorder } from "../services/Recorder.ts"
import { ReviewFiles } from "../services/ReviewFiles.ts"
import { RuleSet } from "../services/RuleSet.ts"
import { RustPaths } from "../services/RustPaths.ts"
import { RustUses } from "../services/RustUses.ts"
import { StackParser } from "../services/StackParser.ts"
import { StackReviewers } from "../services/StackReviewers.ts"
import { StaticReviewer } from "../services/StaticReviewer.ts"
import { Suppressor } from "../services/Suppressor.ts"
import { SymbolIndex } from "../services/SymbolIndex.ts"
import { TypeResolver } from "../services/TypeResolver.ts"
import { UseFinder } from "../services/UseFinder.ts"
import * as ArtifactDirectory from "./artifacts/Directory.ts"
import * as ArtifactsNone from "./artifacts/None.ts"
import * as StaticBackend from "./backend/Static.ts"
import * as ExtensionDirectory from "./extensions/Directory.ts"
import * as NdjsonFile from "./recorder/NdjsonFile.ts"
import * as Tee from "./recorder/Tee.ts"
import * as SourcesGit from "./sources/Git.ts"
import * as SourcesPatch from "./sources/Patch.ts"
import * as TreeSitter from "./syntax/TreeSitter.ts"

export interface Options<R> {
  readonly sessionId: string
  /** Null when a bare patch is reviewed outside of any repository. */
  readonly repository: Repository | null
  readonly change: Change
  readonly rules: ReadonlyArray<Rule>
  readonly fanout: number
  /** `DD_HOME`, or `~/.daydream`; null when there is neither. */
  readonly home: string | null
  /** False for a preview: nothing is written. */
  readonly writes: boolean
  /** Sinks beside the run's own record: progress, the `jsonl` stream. */
  readonly watchers: ReadonlyArray<Effect.Effect<Recorder["Service"], never, R>>
}

/** The text of both sides: from the repository where there is one, else only what the patch shows. */
export const sources = (repository: Repository | null, change: Change) =>
  repository === null || change.head._tag === "Unknown"
    ? SourcesPatch.layer(change)
    : SourcesGit.layer(repository, change)

/** The steps and what they share, with every choice still open: backend, sources, recorder, artifacts, extensions, rules. */
export const steps = Layer.mergeAll(
  Explorer.layer.pipe(Layer.provide(ImportTracer.layer)),
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
  FlowEngine.layer
).pipe(Layer.provideMerge(Agent.layer), Layer.provide(layerDigest))

export const layer = <R>(options: Options<R>) =>
  steps.pipe(
    Layer.provideMerge(StaticBackend.layer(options.fanout)),
    Layer.provideMerge(ExtensionDirectory.layer({ home: options.home, reviewed: options.repository?.root ?? null })),
    Layer.provide(StaticReviewer.layer),
    Layer.provide(ContractReviewer.layer),
    Layer.provide(UseFinder.layer),
    Layer.provide([ModuleUses.layer, PackageUses.layer, MemberUses.layer, RustUses.layer, JavaUses.layer]),
    Layer.provide([MemberSources.layer, TypeResolver.layer]),
    Layer.provide([NameResolver.layer, RustPaths.layer, JavaNames.layer]),
    Layer.provide(SymbolIndex.layer),
    Layer.provide(TreeSitter.layerFor(options.writes ? grammarsOf(options.change) : [])),
    Layer.provideMerge(RuleSet.layerOf(options.rules)),
    Layer.provideMerge(FailPolicy.layer),
    Layer.provideMerge(recorder(options)),
    Layer.provideMerge(artifacts(options))
  )

/** Those of the files that are there after the change. */
const grammarsOf = ({ diff }: Change): ReadonlyArray<Grammar> => [
  ...new Set(diff.files.flatMap(({ newPath }) => (newPath === null ? [] : (grammarOf(newPath) ?? []))))
]

const artifacts = <R>({ repository, sessionId, writes }: Options<R>) => {
  if (!writes || repository === null) return ArtifactsNone.layer(null)
  if (repository.root === null) return ArtifactsNone.layer(null)
  return ArtifactDirectory.layer(repository.root, sessionId)
}

/** What happened, in the run's own directory where there is one, and to whoever watches. */
const recorder = <R>({ watchers }: Options<R>) =>
  Layer.unwrap(
    Artifacts.use(({ runDirectory }) => {
      const file = runDirectory === null ? [] : [NdjsonFile.make(`${runDirectory}/events.jsonl`)]
      return Effect.succeed(Tee.layer<R | FileSystem.FileSystem | Path.Path | Scope.Scope>([...file, ...watchers]))
    })
  )
