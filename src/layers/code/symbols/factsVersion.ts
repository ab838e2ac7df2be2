/**
 * Which readers this binary has: a digest of their sources and grammars, set when it is compiled.
 *
 * Null when dd runs from its sources, where what was read yesterday may not be what would be read today.
 */
declare const DD_FACTS_VERSION: string | undefined

export const factsVersion: string | null = typeof DD_FACTS_VERSION === "string" ? DD_FACTS_VERSION : null
