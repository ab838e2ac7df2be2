/** Keys of model services that may lie in the environment. A key is never used by itself: only named. */

/** Variables that hold such keys, and the backend that would use them. */
const keyed = { ANTHROPIC_API_KEY: "anthropic", OPENAI_API_KEY: "openai" } as const

export const modelKeyVariables = ["ANTHROPIC_API_KEY", "OPENAI_API_KEY"] as const

/** One line for a static review where a model's key is set, which changes nothing by itself; else null. Never shows the key. */
export const modelKeyNote = (environment: Readonly<Record<string, string | undefined>>): string | null => {
  const found = modelKeyVariables.filter((name) => (environment[name] ?? "") !== "")
  if (found.length === 0) return null
  const verb = found.length === 1 ? "is" : "are"
  const flags = found.map((name) => `--backend ${keyed[name]}`).join(" or ")
  return `${found.join(" and ")} ${verb} set but not used, because no model was chosen; add ${flags}`
}

/** What is wrong with a key; null where nothing is. No header can carry it: asking would only fail in words nobody understands. */
export const keyFault = (variable: string, key: string): string | null =>
  /^[\x21-\x7e]+$/.test(key)
    ? null
    : `${variable} is not a key: it contains spaces, line ends or other invalid characters`
