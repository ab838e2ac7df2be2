/** Keys of model services that may lie in the environment. A key is never used by itself: only named. */

/** Variables that hold such keys. */
export const modelKeyVariables = [
  "ANTHROPIC_API_KEY",
  "OPENAI_API_KEY",
  "GEMINI_API_KEY",
  "OPENROUTER_API_KEY",
  "PI_API_KEY"
] as const

/** One line when a model's key is set, which changes nothing in this build; else null. Never shows the key. */
export const modelKeyNote = (environment: Readonly<Record<string, string | undefined>>): string | null => {
  const found = modelKeyVariables.filter((name) => (environment[name] ?? "") !== "")
  if (found.length === 0) return null
  const verb = found.length === 1 ? "is" : "are"
  return `${found.join(", ")} ${verb} set, but model backends are not in this build: the review uses static checks only`
}
