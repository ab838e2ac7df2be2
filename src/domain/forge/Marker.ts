/**
 * HTML comments that readers do not see, at the ends of dd's own comments, by which it finds them again: the fingerprint
 * and the rule of a finding, that it was fixed, and the summary.
 */
export interface Marker {
  readonly kind: "finding" | "fixed"
  readonly fingerprint: string
  readonly rule: string
}

export const markerText = ({ fingerprint, kind, rule }: Marker): string =>
  `<!-- dd:${kind} ${fingerprint} ${ruleName.test(rule) ? rule : "-"} -->`

export const summaryMarker = "<!-- dd:summary -->"

/** Null if the text ends in none. Others in it are quoted code. */
export const markerIn = (body: string): Marker | null => {
  const [, kind, fingerprint = "", rule = ""] = pattern.exec(body) ?? []
  return kind === undefined ? null : { kind: kind === "fixed" ? "fixed" : "finding", fingerprint, rule }
}

export const isSummary = (body: string): boolean => body.trimEnd().endsWith(`\n${summaryMarker}`)

const ruleName = /^[\w./-]{1,100}$/
const pattern = /\n<!-- dd:(finding|fixed) (dd1:[0-9a-f]{16}) ([\w./-]{1,100}) -->\s*$/
