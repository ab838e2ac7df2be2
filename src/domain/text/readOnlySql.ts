/** Checks that a text is one reading statement, for a clear error message; the database is opened read-only as well. */
import { didYouMean, nearest } from "./Suggestion.ts"

/** The reason, as the end of "the query was not run: "; null if it may be run. */
export const refusalOf = (sql: string): string | null => {
  const bare = withoutNoise(sql)
  const [first = "", ...more] = bare
    .split(";")
    .map((part) => part.trim())
    .filter((part) => part !== "")
  if (first === "") return "it contains no statement"
  if (more.length > 0) return "it is more than one statement"
  const word = /^[a-z]+/i.exec(first)?.[0].toLowerCase() ?? ""
  return reading.has(word)
    ? null
    : `it begins with ${word === "" ? `"${first.slice(0, 20)}"` : word.toUpperCase()}${didYouMean(nearest(word, reading)?.toUpperCase() ?? null)}, and only SELECT, WITH, VALUES and EXPLAIN are allowed`
}

/** What to do about an error of SQLite, as the end of its message; empty if there is nothing to add. */
export const adviceFor = (fault: string): string => {
  if (/^incomplete input|syntax error/.test(fault)) return "; a complete query is: select session_id, status from runs"
  if (fault.startsWith("no such table")) return "; the tables are runs, label_observations and finding_labels"
  if (fault.startsWith("no such column")) return "; all columns of a table: select * from runs limit 1"
  return ""
}

const reading: ReadonlySet<string> = new Set(["select", "with", "values", "explain"])

/** Removes comments and blanks out quoted text, so that the rest can be searched. */
const withoutNoise = (sql: string): string =>
  sql.replaceAll(/--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]/g, (noise) =>
    noise.startsWith("--") || noise.startsWith("/*") ? " " : " x "
  )
