/** Statements in lines, without a parser. */

/** A statement over more lines than this is not followed to its end. */
export const longestStatement = 200

/** Has the statement a bracket without its end, or a line that goes on? */
export const hasOpenBracket = (statement: string): boolean =>
  count(statement, /[({]/g) > count(statement, /[)}]/g) || statement.endsWith("\\")

const count = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0
