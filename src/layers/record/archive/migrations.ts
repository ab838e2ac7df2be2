/**
 * The tables of the index. `runs` and `label_observations` are the layout of the original program, version 5 (39 and 14
 * columns, five indexes); the others are dd's own.
 *
 * Versions only add, so an index is migrated by comparing it with the tables below, not by its version number:
 * the original program resets that number whenever it opens the index, and some of its versions share a number with dd's.
 */
import { Schema } from "effect"
import { ArchivedRun } from "../../../domain/record/ArchivedRun.ts"
import { FindingLabel } from "../../../domain/record/FindingLabel.ts"
import { LabelObservation } from "../../../domain/record/LabelObservation.ts"

export interface Table {
  readonly name: string
  /** Column definitions, in order. */
  readonly columns: ReadonlyArray<string>
  readonly key: ReadonlyArray<string>
}

type Fields = Readonly<Record<string, Schema.Codec<unknown, unknown>>>

/** A column for each field, of the type that it accepts. A key of one column has no NOT NULL in the original layout. */
const tableOf = (
  name: string,
  fields: Fields,
  key: ReadonlyArray<string>,
  defaults: Readonly<Record<string, string>>
): Table => {
  const columns = Object.entries(fields).map(([column, field]) => {
    const accepts = Schema.is(field)
    const type = accepts(0.5) ? "REAL" : accepts(1) ? "INTEGER" : "TEXT"
    const isNullable = accepts(null) || (key.length === 1 && key.includes(column))
    const value = defaults[column]
    return `${column} ${type}${isNullable ? "" : " NOT NULL"}${value === undefined ? "" : ` DEFAULT ${value}`}`
  })
  return { name, columns, key }
}

export const tables: ReadonlyArray<Table> = [
  tableOf("runs", ArchivedRun.fields, ["session_id"], {
    status: "'complete'",
    backend: "'claude'",
    review_only: "0",
    deep: "0",
    loop: "0",
    outcome_labels: "'[]'",
    has_posterior: "0",
    schema_version: "1"
  }),
  tableOf("label_observations", LabelObservation.fields, ["session_id", "observed_at"], {
    has_posterior: "0",
    source: "'auto'"
  }),
  tableOf("finding_labels", FindingLabel.fields, ["session_id", "finding", "observed_at"], {}),
  // Measured by the first pruning after the run.
  tableOf("run_sizes", { session_id: Schema.String, bytes: Schema.Int }, ["session_id"], {}),
  tableOf("archive_state", { name: Schema.String, value: Schema.String }, ["name"], {})
]

const indexes: ReadonlyArray<string> = [
  "CREATE INDEX IF NOT EXISTS idx_runs_repo_slug ON runs(repo_slug)",
  "CREATE INDEX IF NOT EXISTS idx_runs_archived_at ON runs(archived_at)",
  "CREATE INDEX IF NOT EXISTS idx_runs_outcome ON runs(outcome_labels)",
  "CREATE INDEX IF NOT EXISTS idx_label_obs_observed_at ON label_observations(observed_at)",
  "CREATE INDEX IF NOT EXISTS idx_label_obs_session ON label_observations(session_id)",
  "CREATE INDEX IF NOT EXISTS idx_finding_labels_fingerprint ON finding_labels(fingerprint)"
]

export const currentVersion = 6

export type Layout = ReadonlyMap<string, ReadonlySet<string>>

/** Statements that add what an index lacks. Nothing is removed; existing rows get the default of a new column. */
export const migrationsOf = (layout: Layout): ReadonlyArray<string> => {
  const added = tables.flatMap(({ columns, key, name }) => {
    const existing = layout.get(name)
    if (existing === undefined) {
      return [`CREATE TABLE ${name} (${columns.join(", ")}, PRIMARY KEY (${key.join(", ")}))`]
    }
    return columns
      .filter((column) => !existing.has(columnName(column)))
      .map((column) => `ALTER TABLE ${name} ADD COLUMN ${withDefault(column)}`)
  })
  return added.length === 0 ? [] : [...added, ...indexes]
}

/** The key columns that an existing table lacks. They cannot be added, so the table is not one of this format. */
export const missingKeys = (layout: Layout): ReadonlyArray<string> =>
  tables.flatMap(({ key, name }) => {
    const existing = layout.get(name)
    return existing === undefined ? [] : key.filter((each) => !existing.has(each)).map((each) => `${name}.${each}`)
  })

/** Whether it is an index of a later version of the original program, which dd can use: it only has more columns. */
export const isOfOriginal = (layout: Layout): boolean => layout.get("runs")?.has("pipeline_status") === true

const columnName = (definition: string): string => definition.slice(0, definition.indexOf(" "))

/** SQLite adds a column that is never null only with a default. */
const withDefault = (definition: string): string =>
  definition.includes("NOT NULL") && !definition.includes("DEFAULT")
    ? `${definition} DEFAULT ${definition.includes("INTEGER") ? 0 : "''"}`
    : definition
