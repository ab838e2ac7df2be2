/** Does an error message describe a transient fault: overload, a rate limit, a server or network error? */
export const isTransientFault = (words: string): boolean => transient.test(words.replaceAll(harmless, ""))

/** Phrases that contain a word of `transient` and mean something else. */
const harmless = /\bnot overloaded\b|\bcapacity planning\b/gi

const transient = new RegExp(
  [
    "\\b(?:429|502|503|504|529)\\b",
    "rate[ _-]?limit",
    "too many requests",
    "overload",
    "capacity (?:is )?(?:unavailable|exceeded|limit|full|reached)",
    "throttl",
    "\\bterminated\\b",
    "econnreset",
    "etimedout",
    "epipe",
    "connection (?:was )?(?:reset|closed|error)",
    "socket hang up",
    "premature close",
    "bad gateway",
    "service unavailable",
    "server[ _]error",
    "\\btime[d]?[ -]?out\\b",
    "stream (?:ended|disconnected|closed)"
  ].join("|"),
  "i"
)

/** The exit code of a killed program, usually because memory ran out. */
export const killedExit = 137
