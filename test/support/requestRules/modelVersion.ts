/** The version in the name of a model, as a number: `claude-opus-4-8` and `gpt-4.8` are 408. Null: it has none. */
export const claudeVersion = (model: string): number | null =>
  versionOf(/claude-(?:[a-z]+-)?(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)/, model)
export const gptVersion = (model: string): number | null => versionOf(/\bgpt-(\d+)(?:\.(\d+))?/, model)

const versionOf = (pattern: RegExp, model: string): number | null => {
  const found = pattern.exec(model.toLowerCase())
  return found === null ? null : Number(found[1]) * 100 + Number(found[2] ?? 0)
}
