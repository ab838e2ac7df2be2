import type { Brief } from "../../src/domain/brief/Brief.ts"

/** Nothing changed. */
export const emptyBrief: Brief = {
  definitions: [],
  values: [],
  dependencies: [],
  form: { lines: 0, formal: 0, hunks: [], movedFiles: [], order: [] },
  dependents: [],
  tests: { files: [], commands: [], runner: null, untested: [] },
  companions: [],
  history: [],
  people: [],
  size: { files: 0, added: 0, deleted: 0, reading: 0, minutes: null, clusters: [] },
  omitted: []
}
