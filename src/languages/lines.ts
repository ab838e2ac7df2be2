/** Statements in lines, without a parser. */

/** Statements are read up to this many lines. */
export const longestStatement = 200

/** Does the statement have an unclosed bracket or a continued line? */
export const hasOpenBracket = (statement: string): boolean =>
  count(statement, /[({]/g) > count(statement, /[)}]/g) || statement.endsWith("\\")

const count = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0
