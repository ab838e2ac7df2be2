/** Keys of model services in the environment. dd does not use a key unless its backend is configured. */

/** The variables of keys, and the backends that use them. */
const keyed = { ANTHROPIC_API_KEY: "anthropic", OPENAI_API_KEY: "openai" } as const

export const modelKeyVariables = ["ANTHROPIC_API_KEY", "OPENAI_API_KEY"] as const

/** A note for a static review if a key is set, which has no effect by itself; else null. Never contains the key. */
export const modelKeyNote = (environment: Readonly<Record<string, string | undefined>>): string | null => {
  const found = modelKeyVariables.filter((name) => (environment[name] ?? "") !== "")
  if (found.length === 0) return null
  const verb = found.length === 1 ? "is" : "are"
  const flags = found.map((name) => `--backend ${keyed[name]}`).join(" or ")
  return `${found.join(" and ")} ${verb} set but not used, because no model was chosen; add ${flags}`
}

/** Why a key is invalid, or null. A header cannot contain such characters, and the error of the request would be unclear. */
export const keyFault = (variable: string, key: string): string | null =>
  /^[\x21-\x7e]+$/.test(key)
    ? null
    : `${variable} is not a key: it contains spaces, line ends or other invalid characters`
