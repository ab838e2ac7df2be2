/**
 * The shape of the answer requested from a model, and the conversion of its answer to the reply of the task.
 *
 * The shape is narrower than what is accepted (`replies`). Strict providers require every property, so optional ones are
 * nullable there, and null becomes absent again. `normalizedReply` corrects only what does not change the meaning.
 * `fittingReply` is what remains of an answer if only entries of its lists do not fit.
 */
import { Predicate, Result, Schema, SchemaIssue } from "effect"
import { Severity } from "../finding/Finding.ts"
import { Agreement } from "../finding/Verdict.ts"
import { isJsonObject } from "../system/jsonObject.ts"
import type { JsonSchema } from "./ModelTurn.ts"
import { type Reply, replies, type TaskTag } from "./Task.ts"

const text = (description: string) => Schema.String.annotate({ description })
const maybe = (description: string) => Schema.optionalKey(text(description))

const severity = Severity.annotate({ description: "what it costs whoever runs the code, as the rubric defines it" })
const confidence = Schema.Literals(["HIGH", "MEDIUM"]).annotate({
  description: "HIGH: shown by code you have read. MEDIUM: follows from it if one thing you name in the rationale holds"
})
const rationale = text("why it is a defect: the inputs or the order of events, and what then happens")
const evidence = text("the places that prove it, each as path:line")

/** The place and the proof come before the words and the judgement, because a model writes in this order. */
const claim = Schema.Struct({
  file: text("path as in the diff"),
  line: Schema.Int.annotate({ description: "first line, numbered as after the change; 0 for the file as a whole" }),
  endLine: Schema.optionalKey(Schema.Int.annotate({ description: "last line, at most four after the first" })),
  quote: text(
    "the code there, copied exactly, one to five lines, without line numbers and diff signs; empty at line 0"
  ),
  evidence,
  rationale,
  description: text("for the author: what goes wrong and when, then what to do instead; at most six sentences"),
  title: text("one sentence that says what is wrong, at most 80 characters, no full stop"),
  suggestion: maybe("code that may replace exactly these lines as it stands, where you are certain of it"),
  confidence,
  severity
})

const coverage = (reviewed: string) =>
  Schema.Array(
    Schema.Struct({
      path: text("path as in the diff"),
      reason: text("why it was not read; otherwise empty"),
      status: Schema.Literals(["reviewed", "unread"]).annotate({ description: reviewed })
    })
  )

export const modelReplies = {
  Intent: Schema.Struct({ intent: text("two or three plain sentences") }),
  Alternatives: Schema.Struct({
    issues: Schema.Array(
      Schema.Struct({
        files: Schema.Array(Schema.String).annotate({
          description: "paths as in the diff, the one with the line first"
        }),
        line: Schema.Int.annotate({
          description: "line of the first file, numbered as after the change; 0 for the file as a whole"
        }),
        evidence,
        rationale: text("why it will not work or will have to be undone, by the code that shows it"),
        description: text("for the author: what is wrong with the approach"),
        recommendation: text("the better way, concretely"),
        title: text("one sentence, at most 80 characters, no full stop"),
        confidence,
        severity
      })
    )
  }),
  StackReview: Schema.Struct({
    review: text("what you looked at, what you suspected, and what disproved it, at most five sentences"),
    issues: Schema.Array(claim).annotate({ description: "best first; empty when nothing holds" }),
    coverage: coverage("reviewed: you read all that changed in it").annotate({
      description: "every file of this task, once"
    })
  }),
  ParseReview: Schema.Struct({
    issues: Schema.Array(claim),
    coverage: coverage("reviewed: the text says that its author read it, or states what is wrong in it").annotate({
      description: "the files of the task that the text mentions; empty if it names none"
    }),
    notAReview: Schema.Boolean.annotate({
      description: "true where the text only announces a review, refuses one or asks for something; otherwise false"
    })
  }),
  Arbitrate: Schema.Struct({
    findings: Schema.Array(
      Schema.Struct({
        arb_id: Schema.Int.annotate({ description: "the claim's number" }),
        evidence: text("what you read that decides it, each place as path:line"),
        rationale: text("why the claim is true, wrong or undecided, by the code that shows it"),
        description: maybe("in place of the claim's own words, where they are not right"),
        confidence,
        severity,
        keep: Schema.Boolean.annotate({
          description: "false only where the code shows that the claim is wrong or the change did not introduce it"
        })
      })
    )
  }),
  Merge: Schema.Struct({
    notes: Schema.Array(
      Schema.Struct({
        id: Schema.Int.annotate({ description: "the item's number" }),
        note: text("one sentence for the person who fixes it"),
        lens: Schema.optionalKey(
          Schema.Literals(["per-stack", "cross-stack"]).annotate({
            description: "cross-stack: both sides of a contract must change. per-stack: one is enough. null: as it is"
          })
        )
      })
    )
  }),
  Verify: Schema.Struct({
    verdicts: Schema.Array(
      Schema.Struct({
        issue_id: Schema.Int.annotate({ description: "the claim's number" }),
        evidence: text("what you read that decides it, each place as path:line with what the code there does"),
        unverified_assumptions: Schema.Array(Schema.String).annotate({
          description: "what the claim needs and you could not check, one sentence each; empty if there is none"
        }),
        suggestion_fault: maybe(
          "why the suggested code would be wrong in place of exactly these lines; null if it is right or none is suggested"
        ),
        verdict: Agreement.annotate({
          description:
            "consistent: the code has the defect, and the change introduced it. contradicts: a line that you name disproves the claim. uncertain: neither is shown"
        })
      })
    ).annotate({ description: "every claim, once" })
  }),
  Fix: Schema.Struct({
    outcomes: Schema.Array(
      Schema.Struct({
        issue_id: Schema.Int.annotate({ description: "the finding's number" }),
        note: text("what you changed and why that is enough, or why the file stays as it is; one or two sentences"),
        status: Schema.Literals(["fixed", "not_fixed"]).annotate({
          description: "fixed: the file now has your edit. not_fixed: nothing was changed for it"
        })
      })
    ).annotate({ description: "every finding, once" })
  })
} as const satisfies Record<TaskTag, Schema.Top>

const shapes = new Map<TaskTag, JsonSchema>()

/** The shape of the answer for strict providers, with descriptions; always the same object. */
export const replyShape = (task: TaskTag): JsonSchema => {
  const known = shapes.get(task)
  if (known !== undefined) return known
  const shape = strictSchema(modelReplies[task])
  shapes.set(task, shape)
  return shape
}

export const withoutDescriptions = (shape: JsonSchema): JsonSchema => bare(shape, false)

const bare = (shape: JsonSchema, isNames: boolean): JsonSchema =>
  Object.fromEntries(
    Object.entries(shape)
      .filter(([key]) => key !== "description" || isNames)
      .map(([key, inner]): [string, Schema.Json] => {
        if (Array.isArray(inner)) return [key, inner.map((each) => (isJsonObject(each) ? bare(each, false) : each))]
        return [key, isJsonObject(inner) ? bare(inner, key === "properties" && !isNames) : inner]
      })
  )

/** A JSON schema for strict providers: closed objects, optional properties nullable, no references, common keywords. */
export const strictSchema = (schema: Schema.Top): JsonSchema => {
  const { definitions, schema: root } = Schema.toJsonSchemaDocument(schema)
  return strict(root, definitions)
}

type Definitions = Readonly<Record<string, unknown>>

const strict = (given: unknown, definitions: Definitions): JsonSchema => {
  if (!Predicate.isObject(given)) return {}
  if (typeof given.$ref === "string") {
    const name = given.$ref
      .slice(given.$ref.lastIndexOf("/") + 1)
      .replace(/~1/g, "/")
      .replace(/~0/g, "~")
    return strict(definitions[name], definitions)
  }
  // Effect writes the checks of a type in `allOf`.
  const parts = Array.isArray(given.allOf) ? given.allOf.filter(Predicate.isObject) : []
  const { type, description, anyOf, items, properties, required } = Object.assign({}, ...parts, given)
  const values: unknown = given.enum ?? (given.const === undefined ? undefined : [given.const])
  return {
    ...(typeof description === "string" ? { description } : {}),
    ...(typeof type === "string" ? { type } : {}),
    ...(Array.isArray(values) ? { enum: values } : {}),
    ...(Array.isArray(anyOf) ? { anyOf: anyOf.map((each) => strict(each, definitions)) } : {}),
    ...(Predicate.isObject(items) ? { items: strict(items, definitions) } : {}),
    ...(Predicate.isObject(properties)
      ? {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, property]) => {
              const shape = strict(property, definitions)
              const isRequired = Array.isArray(required) && required.includes(name)
              return [name, isRequired || isNullable(shape) ? shape : { anyOf: [shape, { type: "null" }] }]
            })
          ),
          required: Object.keys(properties),
          additionalProperties: false
        }
      : {})
  }
}

/**
 * The answer as `replies` reads it: without nulls for absent values, with small errors corrected, claims numbered, and a
 * bare list wrapped. `wrapsEmpty`: an empty list is wrapped, too.
 */
export const normalizedReply = (task: TaskTag, given: unknown, wrapsEmpty = true): unknown => {
  const list = listOf[task]
  const isBare = list !== undefined && Array.isArray(given)
  // An empty list alone is not a review without findings.
  if (isBare && given.length === 0 && (!wrapsEmpty || task === "StackReview")) return given
  const normalized = correctValue(replyShape(task), isBare ? { [list]: given } : given)
  if (!Predicate.isObject(normalized) || list === undefined) return normalized
  const items = normalized[list]
  if (!Array.isArray(items)) return normalized
  const numbered = numberedLists.has(task) ? items.map(withNumber) : items
  // A reviewer may answer with records only.
  return { ...(task === "StackReview" ? { review: "" } : {}), ...normalized, [list]: numbered }
}

const listOf: Partial<Record<TaskTag, string>> = {
  Alternatives: "issues",
  StackReview: "issues",
  ParseReview: "issues",
  Arbitrate: "findings",
  Merge: "notes",
  Verify: "verdicts",
  Fix: "outcomes"
}

const numberedLists: ReadonlySet<TaskTag> = new Set(["Alternatives", "StackReview", "ParseReview"])

const withNumber = (item: unknown, at: number): unknown =>
  Predicate.isObject(item) && !Number.isInteger(item.id) ? { ...item, id: at + 1 } : item

const correctValue = (shape: unknown, value: unknown): unknown => {
  if (!Predicate.isObject(shape)) return value
  if (isNullable(shape) && Array.isArray(shape.anyOf)) return correctValue(shape.anyOf[0], value)
  if (Array.isArray(value))
    return Predicate.isObject(shape.items) ? value.map((each) => correctValue(shape.items, each)) : value
  if (Predicate.isObject(value))
    return Predicate.isObject(shape.properties) ? correctObject(shape.properties, value) : value
  if (typeof value === "string") {
    const trimmed = value.trim()
    if (shape.type === "integer" && /^-?\d{1,9}$/.test(trimmed)) return Number(trimmed)
    if (!Array.isArray(shape.enum)) return value
    const word = shape.enum.find((each) => typeof each === "string" && each.toLowerCase() === trimmed.toLowerCase())
    // LOW is not requested, but accepted.
    return word ?? (shape.enum.includes("HIGH") && trimmed.toUpperCase() === "LOW" ? "LOW" : value)
  }
  return value
}

const correctObject = (properties: Record<string, unknown>, value: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]) => {
      const name = nameIn(properties, key)
      const property = Object.hasOwn(properties, name) ? properties[name] : undefined
      if (inner === null && (property === undefined || (Predicate.isObject(property) && isNullable(property))))
        return []
      return [[name, correctValue(property, inner)]]
    })
  )

/** `end_line` for `endLine`. */
const nameIn = (properties: Record<string, unknown>, key: string): string => {
  if (Object.hasOwn(properties, key)) return key
  const camel = key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
  return Object.hasOwn(properties, camel) ? camel : key
}

const isNullable = (shape: Record<string, unknown> | JsonSchema): boolean =>
  Array.isArray(shape.anyOf) && shape.anyOf.some((each) => Predicate.isObject(each) && each.type === "null")

/** The task's reply in an answer that is well formed, or the schema error. */
export const decodeReply = <Tag extends TaskTag>(task: Tag, given: unknown) => {
  const schema: Schema.Codec<Reply<Tag>, unknown> = replies[task]
  return Schema.decodeUnknownEffect(schema, { errors: "all" })(given)
}

/** A reply without the list entries that do not fit. */
export interface FittingReply {
  /** As `decodeReply` reads it. */
  readonly given: unknown
  readonly refused: number
  /** Of the lists with such an entry, in all. */
  readonly entries: number
}

/** Null if something else does not fit, or no entry of the task's own list does. */
export const fittingReply = (task: TaskTag, given: unknown, { issue }: Schema.SchemaError): FittingReply | null => {
  if (!Predicate.isObject(given)) return null
  const refused = new Map<string, Set<number>>()
  for (const { path = [] } of faults(issue).issues) {
    const [list, at] = path.map((key) => (typeof key === "object" ? key.key : key))
    if (typeof list !== "string" || typeof at !== "number") return null
    refused.set(list, (refused.get(list) ?? new Set()).add(at))
  }
  const fitting: Record<string, unknown> = { ...given }
  let [count, entries] = [0, 0]
  for (const [list, places] of refused) {
    const all = given[list]
    if (!Array.isArray(all) || (list === listOf[task] && places.size === all.length)) return null
    fitting[list] = all.filter((_, at) => !places.has(at))
    count += places.size
    entries += all.length
  }
  const schema: Schema.Codec<unknown, unknown> = replies[task]
  const isReply = Result.isSuccess(Schema.decodeUnknownResult(schema)(fitting))
  return isReply ? { given: fitting, refused: count, entries } : null
}

/**
 * An answer that a model submits through a tool, if it can be normalized to a reply; otherwise its faults. Entries of its
 * lists that do not fit are the business of the caller.
 */
export const submissionSchema = (task: TaskTag): Schema.Codec<Schema.Json, Schema.Json> =>
  Schema.Json.check(
    Schema.makeFilter((value) => {
      const schema: Schema.Codec<unknown, unknown> = replies[task]
      const normalized = normalizedReply(task, value)
      const decoded = Schema.decodeUnknownResult(schema, { errors: "all" })(normalized)
      if (Result.isSuccess(decoded) || fittingReply(task, normalized, decoded.failure) !== null) return undefined
      return faultsIn(decoded.failure)
    })
  )

/**
 * What a model submitted in several calls, as one answer: lists are joined without equal entries, other fields are those
 * of the last call.
 */
export const joinedAnswers = (answers: ReadonlyArray<Schema.Json>): Schema.Json | null =>
  answers.reduce<Schema.Json | null>((all, more) => (all === null ? more : joined(all, more)), null)

const joined = (first: Schema.Json, more: Schema.Json): Schema.Json => {
  if (Array.isArray(first) && Array.isArray(more)) {
    const known = new Set(first.map((entry) => JSON.stringify(entry)))
    return [...first, ...more.filter((entry) => !known.has(JSON.stringify(entry)))]
  }
  if (!isJsonObject(first) || !isJsonObject(more)) return more
  const lists = Object.entries(first).flatMap(([name, value]) => {
    if (!Array.isArray(value)) return []
    return [[name, Array.isArray(more[name]) ? joined(value, more[name]) : value]]
  })
  return { ...first, ...more, ...Object.fromEntries(lists) }
}

/** The schema errors, for the model: at most `mostFaults`, without the values. */
export const faultsIn = ({ issue }: Schema.SchemaError): string => {
  const all = faults(issue).issues
  const shown = all.slice(0, mostFaults).map(({ message, path = [] }) => {
    const at = path.map((key) => String(typeof key === "object" ? key.key : key)).join(".")
    return `- ${at === "" ? "the answer" : at}: ${message.slice(0, 200)}`
  })
  const more = all.length - shown.length
  return [...shown, ...(more > 0 ? [`- and ${more} more`] : [])].join("\n")
}

const mostFaults = 12
const faults = SchemaIssue.makeFormatterStandardSchemaV1()
