/** The ways to write a switch in files and variables. Imports nothing: hooks read the setting `dream.worker` with it. */

export const switches = ["on", "off"] as const

/** Null for what is no switch. */
export const switchWord = (value: unknown): (typeof switches)[number] | null => {
  if (typeof value === "object") return null
  const word = String(value).trim().toLowerCase()
  return onWords.has(word) ? "on" : offWords.has(word) ? "off" : null
}

const onWords = new Set(["on", "true", "yes", "1"])
const offWords = new Set(["off", "false", "no", "0"])
