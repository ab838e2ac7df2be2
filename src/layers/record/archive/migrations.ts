/**
 * The tables of the index. `runs` and `label_observations` are the layout of the original program, version 5 (39 and 14
 * columns, five indexes); the others are dd's own.
 *
 * Versions only add, so an index is brought up to date by comparing it with the tables below, not by its version number:
 * the original program resets that number whenever it opens the index, and some of its versions share a number with dd's.
 */
export interface Table {
  readonly name: string
  /** Column definitions, in order. */
  readonly columns: ReadonlyArray<string>
  /** A primary key of several columns. */
  readonly key?: ReadonlyArray<string>
}

export const tables: ReadonlyArray<Table> = [
  {
    name: "runs",
    columns: [
      "session_id TEXT PRIMARY KEY",
      "archived_at TEXT NOT NULL",
      "status TEXT NOT NULL DEFAULT 'complete'",
      "run_flow TEXT NOT NULL",
      "skill TEXT",
      "model TEXT",
      "backend TEXT NOT NULL DEFAULT 'claude'",
      "review_backend TEXT",
      "fix_backend TEXT",
      "test_backend TEXT",
      "review_only INTEGER NOT NULL DEFAULT 0",
      "deep INTEGER NOT NULL DEFAULT 0",
      "loop INTEGER NOT NULL DEFAULT 0",
      "remote_url TEXT",
      "repo_slug TEXT",
      "source_path TEXT",
      "branch TEXT",
      "base_branch TEXT",
      "head_sha TEXT",
      "base_sha TEXT",
      "changed_files TEXT",
      "pr_number INTEGER",
      "pr_repo TEXT",
      "total_cost_usd REAL",
      "total_findings INTEGER",
      "grounding_rate REAL",
      "coverage_ratio REAL",
      "cost_per_finding_usd REAL",
      "wall_clock_seconds REAL",
      "total_prompt_tokens INTEGER",
      "total_completion_tokens INTEGER",
      "total_cached_tokens INTEGER",
      "outcome_labels TEXT NOT NULL DEFAULT '[]'",
      "labeled_at TEXT",
      "rubric_json TEXT",
      "composite_reward REAL",
      "has_posterior INTEGER NOT NULL DEFAULT 0",
      "archive_path TEXT NOT NULL",
      "schema_version INTEGER NOT NULL DEFAULT 1"
    ]
  },
  {
    name: "label_observations",
    columns: [
      "session_id TEXT NOT NULL",
      "observed_at TEXT NOT NULL",
      "labels TEXT NOT NULL",
      "pr_state TEXT",
      "labeler_version TEXT NOT NULL",
      "evidence_sha TEXT",
      "rubric_json TEXT",
      "valid_at TEXT",
      "reward_version TEXT",
      "reward_json TEXT",
      "composite_reward REAL",
      "reviewer_logins TEXT",
      "has_posterior INTEGER NOT NULL DEFAULT 0",
      "source TEXT NOT NULL DEFAULT 'auto'"
    ],
    key: ["session_id", "observed_at"]
  },
  {
    name: "finding_labels",
    columns: [
      "session_id TEXT NOT NULL",
      "finding INTEGER NOT NULL",
      "observed_at TEXT NOT NULL",
      "valid_at TEXT NOT NULL",
      "fingerprint TEXT NOT NULL",
      "text_hash TEXT NOT NULL",
      "rule TEXT NOT NULL",
      "file TEXT NOT NULL",
      "line INTEGER NOT NULL",
      "end_line INTEGER NOT NULL",
      "verdict TEXT NOT NULL",
      "note TEXT",
      "source TEXT NOT NULL"
    ],
    key: ["session_id", "finding", "observed_at"]
  },
  {
    name: "archive_state",
    columns: ["name TEXT PRIMARY KEY", "value TEXT NOT NULL"]
  }
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

/** Names of the columns of each table. */
export type Layout = ReadonlyMap<string, ReadonlySet<string>>

/** Statements that add what an index lacks. Nothing is removed; existing rows get the default of a new column. */
export const migrationsOf = (layout: Layout): ReadonlyArray<string> => {
  const added = tables.flatMap(({ columns, key, name }) => {
    const existing = layout.get(name)
    if (existing === undefined) {
      const primary = key === undefined ? [] : [`PRIMARY KEY (${key.join(", ")})`]
      return [`CREATE TABLE ${name} (${[...columns, ...primary].join(", ")})`]
    }
    return columns
      .filter((column) => !existing.has(columnName(column)))
      .map((column) => `ALTER TABLE ${name} ADD COLUMN ${withDefault(column)}`)
  })
  return added.length === 0 ? [] : [...added, ...indexes]
}

/** The key columns that an existing table lacks. They cannot be added, so the table is not one of this format. */
export const missingKeys = (layout: Layout): ReadonlyArray<string> =>
  tables.flatMap(({ columns, key, name }) => {
    const existing = layout.get(name)
    const keys = key ?? columns.filter((column) => column.includes("PRIMARY KEY")).map(columnName)
    return existing === undefined ? [] : keys.filter((each) => !existing.has(each)).map((each) => `${name}.${each}`)
  })

/** Is it an index of a later version of the original program? It has only added columns, and dd can use it. */
export const isOfOriginal = (layout: Layout): boolean => layout.get("runs")?.has("pipeline_status") === true

const columnName = (definition: string): string => definition.slice(0, definition.indexOf(" "))

/** SQLite adds a column that is never null only with a default. */
const withDefault = (definition: string): string =>
  definition.includes("NOT NULL") && !definition.includes("DEFAULT")
    ? `${definition} DEFAULT ${definition.includes("INTEGER") ? 0 : "''"}`
    : definition
