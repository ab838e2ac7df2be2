/** Parses ages and sizes as people write them: `90d`, `500M`. Null for any other text. */
import { Duration } from "effect"

const hours = { m: 1 / 60, h: 1, d: 24, w: 168 }

export const parseAge = (text: string): Duration.Duration | null => {
  const match = /^\s*(\d{1,6})\s*([mhdw])\s*$/.exec(text)
  const unit = match?.[2]
  return unit === "m" || unit === "h" || unit === "d" || unit === "w"
    ? Duration.hours(Number(match?.[1]) * hours[unit])
    : null
}

/** `500M`, `2G`, `800k` or `0`, in bytes; null for other texts, also without a unit: it would be a few bytes. */
export const parseSize = (text: string): number | null => {
  if (text.trim() === "0") return 0
  const match = /^\s*(\d+(?:\.\d+)?)\s*([kmgt])i?b?\s*$/i.exec(text)
  if (match === null) return null
  return Math.round(Number(match[1]) * 1024 ** (1 + ["k", "m", "g", "t"].indexOf((match[2] ?? "").toLowerCase())))
}
