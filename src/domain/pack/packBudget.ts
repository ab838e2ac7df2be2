/** How many tokens a pack may have. Source: reference context-pack §1.3. */

/** Of a model whose window is not known: pack, question and protocol together. */
const requested = 272_000
/** For instructions and the protocol. */
const overhead = 12_000
const leastForQuery = 2_048
const least = 4_096

/** What is left for the pack of `tokens`; a query is counted as a third of its characters. */
export const packBudget = (tokens: number, query: string): number =>
  Math.max(least, tokens - overhead - Math.max(leastForQuery, Math.ceil(query.trim().length / 3)))

/** The budget of a pack that is not sent with a query. */
export const defaultPackBudget = packBudget(requested, "")
