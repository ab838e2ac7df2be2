/** Which variables of an environment hold a secret. */

const segments = new Set(
  "KEY SECRET TOKEN PASSWORD PASSWD CREDENTIAL CREDENTIALS APIKEY AUTH PASSPHRASE PASS SSHPASS PAT PWD PSWD PW".split(
    " "
  )
)
const endings = ["PASSWORD", "PASSWD", "SECRET", "TOKEN", "APIKEY", "PASSPHRASE"]
/** A file, a place or a kind is not the secret itself. */
const described = new Set(
  "FILE PATH DIR NAME URL URI HOST PORT SOCK TYPE METHOD MODE LENGTH SIZE LIMIT COUNT TTL TIMEOUT EXPIRY EXPIRES PREFIX HEADER ENABLED DISABLED REQUIRED PROVIDER DOMAIN ALGORITHM ALG FORMAT VERSION REALM SCOPE SCOPES STRATEGY ISSUER AUDIENCE".split(
    " "
  )
)

/**
 * Does an environment variable of this name contain a secret? Less strict than `isSecretKey`: one part of
 * an upper-case name is enough, unless its suffix makes it a location or a kind (`SSH_AUTH_SOCK`, `TOKEN_URL`).
 */
export const isSecretVariable = (name: string): boolean => {
  const parts = name.toUpperCase().split("_")
  const last = parts[parts.length - 1]!
  if (name === "PWD" || name === "OLDPWD" || described.has(last)) return false
  if (last === "COOKIE") return true
  // Loops, because the first use of a method with a callback takes `dd hook event` 30 µs.
  for (const part of parts) {
    if (segments.has(part)) return true
    for (const ending of endings) if (part.endsWith(ending)) return true
  }
  return false
}

/** Those of the names for which `isSecretVariable` holds. Searches all names at once: `dd hook event` does this once. */
export const secretVariables = (names: ReadonlyArray<string>): ReadonlyArray<string> => {
  const all = names.join("\n")
  const upper = all.toUpperCase()
  if (upper.length !== all.length) return names.filter(isSecretVariable)
  const found = new Set<string>()
  for (const word of words) {
    for (let at = upper.indexOf(word); at >= 0; at = upper.indexOf(word, at + 1)) {
      const end = all.indexOf("\n", at)
      found.add(all.slice(all.lastIndexOf("\n", at) + 1, end < 0 ? all.length : end))
    }
  }
  const secrets: Array<string> = []
  for (const name of found) if (isSecretVariable(name)) secrets.push(name)
  return secrets
}

/** Each name of a secret has one of these. */
const words = ["KEY", "SECRET", "TOKEN", "PASS", "CREDENTIAL", "AUTH", "PAT", "PW", "PSWD", "COOKIE"]
