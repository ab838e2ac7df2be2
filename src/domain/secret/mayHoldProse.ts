/** A file of its own, because `dd hook event` loads it for each event, and `proseSecret.ts` only if this holds. */

/** Names of secrets in sentences, in lower case, in languages in which prompts are typed. */
export const proseNames = {
  english: ["password", "passphrase", "passcode", "secret", "api key", "api-key", "access key", "token", "credential"],
  other: [
    "passwort",
    "kennwort",
    "contraseña",
    "mot de passe",
    "senha",
    "wachtwoord",
    "пароль",
    "パスワード",
    "密码",
    "密碼",
    "비밀번호"
  ]
}

/** Of a value, in characters. */
export const shortestProse = 8

/** How far behind its name a value is searched. */
const reach = 100

/** False only if `proseSecret.ts` finds nothing. Loops, as in `quickRedaction.ts`. */
export const mayHoldProse = (text: string): boolean => {
  const lower = text.toLowerCase()
  for (const names of [proseNames.english, proseNames.other]) {
    for (const name of names) {
      for (let at = lower.indexOf(name); at >= 0; at = lower.indexOf(name, at + 1)) {
        if (hasLongWordWithDigit(lower, at + name.length)) return true
      }
    }
  }
  return false
}

const hasLongWordWithDigit = (text: string, from: number): boolean => {
  const to = Math.min(text.length, from + reach)
  for (let at = from, start = from, hasDigit = false; at <= to; at++) {
    const char = text[at] ?? " "
    if (" \n\t\"'`".includes(char)) {
      if (hasDigit && at - start >= shortestProse) return true
      start = at + 1
      hasDigit = false
    } else if ("0123456789".includes(char)) hasDigit = true
  }
  // A word that is longer than the search.
  return to < text.length ? "0123456789".includes(text[to] ?? "") || (text[to] ?? " ").trim() !== "" : false
}
