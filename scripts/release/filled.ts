/** A template with its places, `{{name}}`, replaced. Null if a value is missing: a release of some targets has not all checksums. */
export const filled = (template: string, values: Readonly<Record<string, string>>): string | null => {
  let isWhole = true
  const text = template.replaceAll(/\{\{([\w -]+)\}\}/g, (_, name: string) => {
    const value = values[name]
    if (value === undefined) isWhole = false
    return value ?? ""
  })
  return isWhole ? text : null
}
