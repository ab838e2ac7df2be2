/** The cause of a failed connection for users: "nothing answers at this address (ECONNREFUSED)". */

const byCode: Readonly<Record<string, string>> = {
  ENOTFOUND: "no server has this name, or there is no network",
  EAI_AGAIN: "the name of the server could not be looked up, or there is no network",
  ECONNREFUSED: "nothing answers at this address",
  ECONNRESET: "the server closed the connection",
  ETIMEDOUT: "the server did not answer in time",
  EHOSTUNREACH: "there is no route to the server",
  ENETUNREACH: "there is no network"
}

const code = new RegExp(`\\b(?:${Object.keys(byCode).join("|")})\\b`)

/** The platform's innermost message about a failed request, without its advice to programmers. */
export const networkErrorText = (error: unknown): string => {
  let at: unknown = error
  let innermost = ""
  for (let depth = 0; depth < 6 && at instanceof Error; depth++) {
    const own: unknown = Reflect.get(at, "code")
    innermost = typeof own === "string" && !at.message.includes(own) ? `${at.message} (${own})` : at.message
    at = at.cause ?? Reflect.get(at, "reason")
  }
  const [known = ""] = code.exec(innermost) ?? []
  if (known !== "") return `${byCode[known]} (${known})`
  return innermost.replace(
    /\. (?:Is the computer able to access the url\?|For more information, pass `verbose: true`.*)/is,
    ""
  )
}
