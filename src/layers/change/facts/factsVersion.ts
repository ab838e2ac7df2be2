/**
 * The version of the readers in this binary: a digest of their sources and grammars, set when it is compiled.
 *
 * Null if dd runs from its sources, which may have changed since the facts were stored.
 */
declare const DD_FACTS_VERSION: string | undefined

export const factsVersion: string | null = typeof DD_FACTS_VERSION === "string" ? DD_FACTS_VERSION : null
