/** Money, time and size for people. Unknown is not shown as zero. */
import { DateTime } from "effect"

export const dollars = (usd: number | null): string => {
  if (usd === null) return "unknown"
  if (usd === 0) return "$0"
  return usd < 0.01 ? "<$0.01" : `$${usd.toFixed(2)}`
}

export const duration = (seconds: number | null): string => {
  if (seconds === null) return "unknown"
  if (seconds < 60) return `${seconds.toFixed(1)} s`
  const minutes = Math.floor(seconds / 60)
  return minutes < 60
    ? `${minutes} min ${Math.round(seconds % 60)} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

export const bytes = (size: number): string => {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"]
  const power = size < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(size) / 10))
  return `${(size / 1024 ** power).toFixed(power === 0 ? 0 : 1)} ${units[power]}`
}

/** Of milliseconds since 1970. */
export const isoTime = (milliseconds: number): string => DateTime.formatIso(DateTime.makeUnsafe(milliseconds))

/** `2026-01-31 12:00`, UTC. */
export const moment = (iso: string): string => iso.slice(0, 16).replace("T", " ")
