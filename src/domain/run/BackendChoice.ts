/**
 * Chooses the backend of each phase of a review: from flags, then the user's settings of the phase, then those of the whole
 * review, then `static`.
 *
 * Nothing is switched automatically: models and fallbacks answer only if they are configured.
 */
import type { Origin, Setting } from "./Setting.ts"

export const backends = ["static", "anthropic", "openai", "claude", "codex", "pi"] as const
export type BackendName = (typeof backends)[number]
export type ModelBackendName = Exclude<BackendName, "static">

/** The phases that have settings: those in which agents are called, and the tests after a fix. */
export const phases = [
  "intent",
  "alternatives",
  "per-stack-reviews",
  "per-stack-parse",
  "arbiter",
  "merge",
  "verify",
  "fix",
  "test",
  "pr_feedback"
] as const
export type Phase = (typeof phases)[number]

export const efforts = ["none", "low", "medium", "high", "xhigh", "max"] as const
/** The model's reasoning effort. A level that a model lacks means the nearest one below. */
export type Effort = (typeof efforts)[number]

/**
 * Of models behind an API, if the user sets none. Verifiers think as the reviewers do,
 * because a provider's cache of what both read is another one for each effort.
 */
export const defaultEfforts: Readonly<Record<Phase, Effort>> = {
  intent: "medium",
  alternatives: "high",
  "per-stack-reviews": "high",
  "per-stack-parse": "low",
  arbiter: "xhigh",
  merge: "medium",
  verify: "high",
  fix: "medium",
  test: "medium",
  pr_feedback: "high"
}

/** Settings for the whole review or for one phase; null: not set. */
export interface PhaseChoice {
  readonly backend: Setting<BackendName | null>
  readonly model: Setting<string | null>
  readonly effort: Setting<Effort | null>
}

/** A backend with its model; a `model` of null is the backend's default, an `effort` of null is not set by the user. */
export interface Answerer {
  readonly backend: BackendName
  readonly model: string | null
  readonly effort: Effort | null
}

export interface BackendChoice extends PhaseChoice {
  readonly phases: Readonly<Record<Phase, PhaseChoice>>
  /** The backend in a settings file, ignoring flags; null: none. */
  readonly written: BackendName | null
  /** The model of each backend, used if no model is set for the whole review. */
  readonly models: Readonly<Record<ModelBackendName, string | null>>
  /** Backends that answer if the one before them cannot, in order. */
  readonly fallback: ReadonlyArray<BackendName>
}

/** Is the value set for this run? Then it takes precedence over a file's setting of a phase. */
const isOfThisRun = (origin: Origin): boolean => origin._tag === "Flag" || origin._tag === "Environment"

/** The backends of a phase in order of fallback, without duplicates. */
export const answerersOf = (choice: BackendChoice, phase: Phase): readonly [Answerer, ...ReadonlyArray<Answerer>] =>
  answerersWith(choice, choice.phases[phase])

/** For a model behind an API. */
export const effortOf = (choice: BackendChoice, phase: Phase): Effort =>
  answerersOf(choice, phase)[0].effort ?? defaultEfforts[phase]

/** The backend that answers a question, which belongs to no phase. */
export const questionAnswerer = (choice: BackendChoice): Answerer => answerersWith(choice, noPhase)[0]

const unset = { value: null, origin: { _tag: "Default", because: "" } } as const
const noPhase: PhaseChoice = { backend: unset, model: unset, effort: unset }

const noModel: PhaseChoice = { ...noPhase, backend: { ...unset, value: "static" } }

/** For a run that fixes nothing: a backend that only fixes use need not be set up. */
export const withoutFixes = (choice: BackendChoice): BackendChoice => ({
  ...choice,
  phases: { ...choice.phases, fix: noModel, test: noModel, pr_feedback: noModel }
})

const answerersWith = (choice: BackendChoice, own: PhaseChoice): readonly [Answerer, ...ReadonlyArray<Answerer>] => {
  const settingOf = <A>(common: Setting<A | null>, part: Setting<A | null>): A | null =>
    part.value === null || (common.value !== null && isOfThisRun(common.origin)) ? common.value : part.value
  const backend = settingOf(choice.backend, own.backend) ?? "static"
  const main: Answerer = {
    backend,
    model: modelFor(backend, choice, own),
    effort: settingOf(choice.effort, own.effort)
  }
  const others = choice.fallback.filter((backend, at, all) => backend !== main.backend && all.indexOf(backend) === at)
  const named = (answerer: Answerer): Answerer =>
    answerer.model === null && answerer.backend !== "static"
      ? { ...answerer, model: choice.models[answerer.backend] }
      : answerer
  return [
    named(main),
    ...(main.backend === "static" ? [] : others.map((backend) => named({ backend, model: null, effort: main.effort })))
  ]
}

/** A model name is only valid for its provider, so it comes from the place where the backend is set. */
const modelFor = (backend: BackendName, choice: BackendChoice, own: PhaseChoice): string | null => {
  const common = choice.model
  if (common.value !== null && isOfThisRun(common.origin)) return backend === choice.backend.value ? common.value : null
  const written = choice.written ?? choice.backend.value
  if (own.model.value !== null && backend === (own.backend.value ?? written)) return own.model.value
  return backend === written ? common.value : null
}

/** Every backend that may be called in this run. */
export const everyAnswerer = (choice: BackendChoice): ReadonlyArray<Answerer> => {
  const all = phases.flatMap((phase) => answerersOf(choice, phase))
  return [...new Map(all.map((each) => [answererKey(each), each])).values()]
}

/** A model behind an API is one backend, whatever the effort of its requests; a coding CLI is one for each effort. */
export const answererKey = ({ backend, effort, model }: Answerer): string =>
  `${backend} ${model ?? ""} ${backend === "anthropic" || backend === "openai" ? "" : (effort ?? "")}`
