/** Durations in the form of Go, `1h30m0s`, which reports of a night have for their readers. */

/** Of milliseconds: `0s`, `250ms`, `1.5s`, `12m38s`, `8h0m0s`. */
export const goDuration = (milliseconds: number): string => {
  const whole = Math.round(Math.abs(milliseconds))
  const sign = milliseconds < 0 && whole > 0 ? "-" : ""
  if (whole === 0) return "0s"
  if (whole < 1_000) return `${sign}${whole}ms`
  const minutes = Math.floor(whole / 60_000)
  const seconds = `${(whole % 60_000) / 1_000}s`
  if (minutes === 0) return sign + seconds
  return minutes < 60 ? `${sign}${minutes}m${seconds}` : `${sign}${Math.floor(minutes / 60)}h${minutes % 60}m${seconds}`
}

/** The milliseconds of `8h`, `90s`, `1h30m` or `1.5s`; null for any other text, a sign and 0 included. */
export const parseGoDuration = (text: string): number | null => {
  if (!/^(?:\d+(?:\.\d+)?(?:h|ms|m|s))+$/.test(text)) return null
  let sum = 0
  for (const [, amount = "", unit = ""] of text.matchAll(/(\d+(?:\.\d+)?)(h|ms|m|s)/g)) {
    sum += Number(amount) * (unitMillis[unit] ?? 0)
  }
  return sum > 0 && Number.isSafeInteger(Math.round(sum)) ? Math.round(sum) : null
}

const unitMillis: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1_000, ms: 1 }
