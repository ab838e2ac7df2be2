/**
 * Who answers which phase of a review: from flags, the user's configuration a phase, then for all of it, then `static`.
 *
 * Nothing is switched automatically: a model answers only if it is configured, and a fallback only if somebody
 * wrote that down. Source: issue "model backends", reference §1.7.
 */
import type { Origin, Setting } from "./Setting.ts"

export const backends = ["static", "anthropic", "openai", "claude", "codex", "pi"] as const
export type BackendName = (typeof backends)[number]
export type ModelBackendName = Exclude<BackendName, "static">

/** An agent's task, by the name its step gives it. */
export const phases = ["intent", "alternatives", "per-stack-reviews", "per-stack-parse", "arbiter", "merge"] as const
export type Phase = (typeof phases)[number]

export const efforts = ["none", "low", "medium", "high"] as const
/** The model's reasoning effort. */
export type Effort = (typeof efforts)[number]

/** Settings for the whole review or for one phase; null: not set. */
export interface Wish {
  readonly backend: Setting<BackendName | null>
  readonly model: Setting<string | null>
  readonly effort: Setting<Effort | null>
}

/** Who answers. `model` null: the backend's own default. */
export interface Answerer {
  readonly backend: BackendName
  readonly model: string | null
  readonly effort: Effort | null
}

export interface Wishes extends Wish {
  readonly phases: Readonly<Record<Phase, Wish>>
  /** The backend named in a settings file, ignoring flags; null: none. */
  readonly written: BackendName | null
  /** What each backend's own model is called, where the whole review names none. */
  readonly models: Readonly<Record<ModelBackendName, string | null>>
  /** Backends that answer where the one before them cannot, in this order. */
  readonly fallback: ReadonlyArray<BackendName>
}

/** Set for this run: it takes precedence over the file's setting of a phase. */
const isOfTheCall = (origin: Origin): boolean => origin._tag === "Flag" || origin._tag === "Environment"

/** The backends of a phase, in order of fallback; never the same one twice. */
export const answerersOf = (wishes: Wishes, phase: Phase): readonly [Answerer, ...ReadonlyArray<Answerer>] => {
  const own = wishes.phases[phase]
  const said = <A>(whole: Setting<A | null>, part: Setting<A | null>): A | null =>
    part.value === null || (whole.value !== null && isOfTheCall(whole.origin)) ? whole.value : part.value
  const backend = said(wishes.backend, own.backend) ?? "static"
  const main: Answerer = { backend, model: modelFor(backend, wishes, own), effort: said(wishes.effort, own.effort) }
  const others = wishes.fallback.filter((backend, at, all) => backend !== main.backend && all.indexOf(backend) === at)
  const named = (answerer: Answerer): Answerer =>
    answerer.model === null && answerer.backend !== "static"
      ? { ...answerer, model: wishes.models[answerer.backend] }
      : answerer
  return [
    named(main),
    ...(main.backend === "static" ? [] : others.map((backend) => named({ backend, model: null, effort: main.effort })))
  ]
}

/** A model name is only valid for its own provider, so it is taken from where the backend is set. */
const modelFor = (backend: BackendName, wishes: Wishes, own: Wish): string | null => {
  const whole = wishes.model
  if (whole.value !== null && isOfTheCall(whole.origin)) return backend === wishes.backend.value ? whole.value : null
  const written = wishes.written ?? wishes.backend.value
  if (own.model.value !== null && backend === (own.backend.value ?? written)) return own.model.value
  return backend === written ? whole.value : null
}

/** Every backend that may be called in this run. */
export const everyAnswerer = (wishes: Wishes): ReadonlyArray<Answerer> => {
  const all = phases.flatMap((phase) => answerersOf(wishes, phase))
  return [...new Map(all.map((each) => [answererKey(each), each])).values()]
}

export const answererKey = ({ backend, effort, model }: Answerer): string => `${backend} ${model ?? ""} ${effort ?? ""}`
