/**
 * Every violation of the format in a trajectory, by its path.
 *
 * Beyond the classes of the format: step ids are 1..n, agent fields are on agent steps only, references resolve, times
 * have a zone, totals are the sums. No violation hides another. Pure; the content of other files is a parameter.
 */
import { Predicate, Result, Schema, SchemaIssue } from "effect"
import { plural } from "../text/plural.ts"
import { agentOnly, Trajectory, wholeRun } from "./Trajectory.ts"

export interface Violation {
  /** `$.steps[3].tool_calls[0].arguments` */
  readonly path: string
  readonly problem: string
}

/** Another file: a JSON document, a file that is none, or missing. */
export type Opened =
  | { readonly _tag: "Document"; readonly document: unknown }
  | { readonly _tag: "File" }
  | { readonly _tag: "Missing" }

export interface FileReference {
  readonly path: Path
  /** Absolute, or relative to the trajectory. */
  readonly file: string
  readonly kind: "trajectory" | "image"
}

type Path = ReadonlyArray<string | number>
type Fields = Readonly<Record<string, unknown>>

interface At {
  readonly path: Path
  readonly value: unknown
}

const decode = Schema.decodeUnknownResult(Schema.toCodecJson(Trajectory), { errors: "all", onExcessProperty: "error" })
const formatIssue = SchemaIssue.makeFormatterStandardSchemaV1()

/**
 * In the order of their paths. `files` has the files of `referencesOf`; if it is null, files are not checked. `repeated`
 * has the paths of repeated keys, which a parsed document does not contain.
 */
export const trajectoryViolations = (
  document: unknown,
  files: ReadonlyMap<string, Opened> | null = null,
  repeated: ReadonlyArray<Path> = []
): ReadonlyArray<Violation> => {
  if (!Predicate.isReadonlyObject(document)) return [{ path: "$", problem: `is ${kindOf(document)}, not a trajectory` }]
  const found = [
    ...repeated.map((path) => ({ path, problem: "is repeated" })),
    ...shapeViolations(document),
    ...stepViolations(document),
    ...(files === null ? [] : fileViolations(document, files)),
    ...totalViolations(document, files)
  ]
  return found
    .map(({ path, problem }) => ({ path: pathText(path), at: path, problem }))
    .sort((a, b) => comparePaths(a.at, b.at))
    .map(({ path, problem }) => ({ path, problem }))
}

/** Every file that the trajectory refers to, without URLs. */
export const referencesOf = (document: unknown): ReadonlyArray<FileReference> => {
  const contents = stepsOf(document).flatMap((step) => [
    at(step, "message"),
    ...resultsOf(step).map((result) => at(result, "content"))
  ])
  const images = contents.flatMap(itemsOf).map((part) => at(at(part, "source"), "path"))
  const siblings = stepsOf(document)
    .flatMap(resultsOf)
    .flatMap(subagentsOf)
    .map((ref) => at(ref, "trajectory_path"))
  const named = (kind: FileReference["kind"], places: ReadonlyArray<At>) =>
    places.flatMap(
      ({ path, value }): ReadonlyArray<FileReference> =>
        typeof value === "string" && !value.includes("://") ? [{ path, file: value, kind }] : []
    )
  return [...named("image", images), ...named("trajectory", siblings)]
}

interface Found {
  readonly path: Path
  readonly problem: string
}

const shapeViolations = (document: Fields): ReadonlyArray<Found> => {
  const decoded = decode(document)
  if (Result.isSuccess(decoded)) return []
  return formatIssue(decoded.failure.issue).issues.map(({ message, path = [] }) => {
    const keys = path.map((key) => (Predicate.isObject(key) && "key" in key ? key.key : key)).map(keyOf)
    // The schema reports an empty list as a missing first element.
    if (message === "Missing key" && typeof keys.at(-1) === "number")
      return { path: keys.slice(0, -1), problem: "is empty" }
    return { path: keys, problem: problemOf(message, valueAt(document, keys)) }
  })
}

const keyOf = (key: unknown): string | number => (typeof key === "number" ? key : String(key))

const problemOf = (message: string, value: unknown): string => {
  if (message === "Missing key") return "is missing"
  if (message === "Expected no excess property") return "is not a field of the format"
  return `${message.charAt(0).toLowerCase()}${message.slice(1)}, got ${kindOf(value)}`
}

const stepViolations = (document: Fields): ReadonlyArray<Found> =>
  stepsOf(document).flatMap((step, index) => [
    ...numberViolations(step, index),
    ...timeViolations(at(step, "timestamp")),
    ...agentViolations(step),
    ...callViolations(step),
    ...[at(step, "message"), ...resultsOf(step).map((result) => at(result, "content"))].flatMap(contentViolations)
  ])

const numberViolations = (step: At, index: number): ReadonlyArray<Found> => {
  const id = at(step, "step_id")
  return typeof id.value === "number" && id.value !== index + 1
    ? [{ path: id.path, problem: `is ${id.value} instead of ${index + 1}` }]
    : []
}

/** A date and a time of day in ISO 8601, with `Z` or an offset. */
const instant =
  /^(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?(?:Z|[+-](?:[01]\d|2[0-3]):?[0-5]\d)$/

/** Other readers of the format refuse 24:00, leap seconds and the year 0. */
const isInstant = (text: string): boolean => {
  const [, year = "0", month = "", day = ""] = instant.exec(text) ?? []
  const isLeap = Number(year) % 4 === 0 && (Number(year) % 100 !== 0 || Number(year) % 400 === 0)
  const days = month === "02" ? (isLeap ? 29 : 28) : ["04", "06", "09", "11"].includes(month) ? 30 : 31
  return Number(year) > 0 && Number(day) <= days
}

const timeViolations = ({ path, value }: At): ReadonlyArray<Found> =>
  typeof value === "string" && !isInstant(value)
    ? [{ path, problem: `"${value}" is not a time in ISO 8601 with Z or an offset` }]
    : []

const agentViolations = (step: At): ReadonlyArray<Found> => {
  const source = at(step, "source").value
  if (source !== "user" && source !== "system") return []
  return agentOnly
    .map((name) => at(step, name))
    .filter(({ value }) => value !== undefined && value !== null)
    .map(({ path }) => ({ path, problem: `is allowed on agent steps only, and this is a ${source} step` }))
}

/** Ids are unique within their step: the format refers to a call from its own step only. */
const callViolations = (step: At): ReadonlyArray<Found> => {
  const ids = itemsOf(at(step, "tool_calls")).map((call) => at(call, "tool_call_id"))
  const calls = new Set<unknown>()
  const repeated = ids.flatMap(({ path, value }): ReadonlyArray<Found> => {
    if (typeof value === "string" && calls.has(value)) {
      return [{ path, problem: `repeats the id "${value}" of an earlier tool call of this step` }]
    }
    calls.add(value)
    return []
  })
  const unknown = resultsOf(step)
    .map((result) => at(result, "source_call_id"))
    .filter(({ value }) => typeof value === "string" && !calls.has(value))
    .map(({ path, value }) => ({ path, problem: `no tool call of this step has the id "${String(value)}"` }))
  return [...repeated, ...unknown]
}

const contentViolations = (content: At): ReadonlyArray<Found> =>
  itemsOf(content).flatMap((part) => {
    const type = at(part, "type").value
    if (type !== "text" && type !== "image") return []
    const [own, other] = type === "text" ? (["text", "source"] as const) : (["source", "text"] as const)
    return [
      ...(isAbsent(at(part, own).value)
        ? [{ path: at(part, own).path, problem: `is missing from a part of type ${type}` }]
        : []),
      ...(isAbsent(at(part, other).value)
        ? []
        : [{ path: at(part, other).path, problem: `does not belong to a part of type ${type}` }])
    ]
  })

const fileViolations = (document: Fields, files: ReadonlyMap<string, Opened>): ReadonlyArray<Found> => {
  const missing = referencesOf(document).flatMap(({ file, kind, path }): ReadonlyArray<Found> => {
    const opened = files.get(file) ?? { _tag: "Missing" }
    if (opened._tag === "Missing") return [{ path, problem: `the file "${file}" does not exist` }]
    if (kind === "trajectory" && !(opened._tag === "Document" && Predicate.isReadonlyObject(opened.document))) {
      return [{ path, problem: `"${file}" is not a trajectory` }]
    }
    return []
  })
  const unknown = stepsOf(document)
    .flatMap(resultsOf)
    .flatMap(subagentsOf)
    .flatMap((ref): ReadonlyArray<Found> => {
      const { path, value } = at(ref, "session_id")
      const opened = files.get(String(at(ref, "trajectory_path").value))
      const other =
        opened?._tag === "Document" ? at({ path: [], value: opened.document }, "session_id").value : undefined
      if (typeof value !== "string" || typeof other !== "string" || value === other) return []
      return [{ path, problem: `is "${value}", but the trajectory is of session "${other}"` }]
    })
  return [...missing, ...unknown]
}

const summed = [
  ["total_prompt_tokens", "prompt_tokens"],
  ["total_completion_tokens", "completion_tokens"],
  ["total_cached_tokens", "cached_tokens"],
  ["total_cost_usd", "cost_usd"]
] as const

const totalViolations = (document: Fields, files: ReadonlyMap<string, Opened> | null): ReadonlyArray<Found> => {
  const root = { path: [], value: document }
  const final = at(root, "final_metrics")
  const count = stepsOf(document).length
  const steps = at(final, "total_steps")
  // A note may explain another number of steps.
  const miscounted =
    typeof steps.value === "number" && steps.value !== count && isAbsent(at(root, "notes").value)
      ? [{ path: steps.path, problem: `is ${steps.value}, but the trajectory has ${plural(count, "step")}` }]
      : []
  const others = isWholeRun(final) ? siblingsOf(document, files) : []
  if (others === null) return miscounted
  return [
    ...miscounted,
    ...summed.flatMap(([total, part]) => {
      const { path, value } = at(final, total)
      if (typeof value !== "number") return []
      const own = stepsOf(document).map((step) => at(at(step, "metrics"), part).value)
      const sum = [...own, ...others.map((other) => at(at(other, "final_metrics"), total).value)]
        .filter(Predicate.isNumber)
        .reduce((a, b) => a + b, 0)
      if (Math.abs(sum - value) <= 1e-9 * Math.max(1, Math.abs(sum))) return []
      const of = others.length === 0 ? "the steps" : "the steps and the trajectories referred to"
      return [{ path, problem: `is ${value}, but ${of} add up to ${sum}` }]
    })
  ]
}

const isWholeRun = (final: At): boolean => at(at(final, "extra"), "daydream_metric_scope").value === wholeRun

/** The trajectories referred to, each once; null if one was not read, so that their sums are not checked. */
const siblingsOf = (document: Fields, files: ReadonlyMap<string, Opened> | null): ReadonlyArray<At> | null => {
  const names = new Set(referencesOf(document).flatMap(({ file, kind }) => (kind === "trajectory" ? [file] : [])))
  const found: Array<At> = []
  for (const name of names) {
    const opened = files?.get(name)
    if (opened?._tag !== "Document") return null
    found.push({ path: [], value: opened.document })
  }
  return found
}

const isAbsent = (value: unknown): boolean => value === undefined || value === null

const at = ({ path, value }: At, key: string): At => ({
  path: [...path, key],
  value: Predicate.isReadonlyObject(value) && Object.hasOwn(value, key) ? value[key] : undefined
})

const itemsOf = ({ path, value }: At): ReadonlyArray<At> =>
  Array.isArray(value) ? value.map((item: unknown, index) => ({ path: [...path, index], value: item })) : []

const stepsOf = (document: unknown): ReadonlyArray<At> => itemsOf(at({ path: [], value: document }, "steps"))
const resultsOf = (step: At): ReadonlyArray<At> => itemsOf(at(at(step, "observation"), "results"))
const subagentsOf = (result: At): ReadonlyArray<At> => itemsOf(at(result, "subagent_trajectory_ref"))

const valueAt = (document: unknown, path: Path): unknown =>
  path.reduce<unknown>(
    (value, key) => (Predicate.isReadonlyObject(value) || Array.isArray(value) ? Reflect.get(value, key) : undefined),
    document
  )

const kindOf = (value: unknown): string => {
  if (value === null) return "null"
  if (Array.isArray(value)) return "a list"
  if (typeof value === "string") return value.length <= 40 ? `"${value}"` : "a string"
  return typeof value === "object" ? "an object" : String(value)
}

const plainKey = /^[A-Za-z_$][\w$]*$/

const pathText = (path: Path): string =>
  path.reduce<string>(
    (text, key) =>
      typeof key === "number"
        ? `${text}[${key}]`
        : plainKey.test(key)
          ? `${text}.${key}`
          : `${text}[${JSON.stringify(key)}]`,
    "$"
  )

/** Indexes are compared as numbers, keys as text. */
const comparePaths = (a: Path, b: Path): number => {
  for (const [index, key] of a.entries()) {
    const other = b[index]
    if (other === undefined) return 1
    if (key === other) continue
    if (typeof key === "number" && typeof other === "number") return key - other
    return String(key) < String(other) ? -1 : 1
  }
  return a.length - b.length
}
