/**
 * Passwords that are arguments of programs: `mysql -pPASSWORD`, `sshpass -p PASSWORD`, `htpasswd -b FILE USER PASSWORD`. Options
 * with a name of a secret, such as `--password`, are found by `assignedSecret`. Source: the manuals of the programs.
 */
import { isMarked, type Mask } from "../text/Mask.ts"

interface Arguments {
  readonly programs: ReadonlyArray<string>
  /** Before the password; or letters of options without which there is none. */
  readonly options: ReadonlyArray<string>
  /** Directly behind the option, the word after it, either of these; the first or the last word that is no option. */
  readonly place: "glued" | "next" | "either" | "first" | "last"
  /** The password is behind this sign of the word, as in `user%password`; without the sign there is none. */
  readonly sign: string | null
}

const rule = (place: Arguments["place"], options: string, programs: string, sign: string | null = null): Arguments => ({
  programs: programs.split(", "),
  options: options === "" ? [] : options.split(" "),
  place,
  sign
})

const clients = "docker, podman, nerdctl, buildah, skopeo, oras, cosign, az, helm registry, crane auth"
const rules: ReadonlyArray<Arguments> = [
  rule("glued", "-p", "mysql, mysqldump, mysqladmin, mysqlimport, mysqlshow, mysqlcheck, mariadb, mariadb-dump"),
  rule("glued", "-p", "mariadb-admin, 7z, 7za, 7zz, rar, unrar"),
  rule("either", "-p", "sshpass, mongo, mongosh, mongodump, mongorestore, mongoexport, mongoimport"),
  rule("either", "-p", clients.replaceAll(/(?=,|$)/g, " login")),
  rule("either", "-P", "sqlcmd, osql, bcp, zip, unzip, ipmitool"),
  rule("either", "-w", "ldapsearch, ldapadd, ldapmodify, ldapdelete, ldapwhoami, ldappasswd"),
  rule("next", "-a --pass", "redis-cli, valkey-cli"),
  rule("next", "-k -K", "openssl"),
  rule("next", "-pass -passin -passout", "openssl", "pass:"),
  rule("next", "-b --cookie", "curl", "="),
  rule("next", "-u --user", "lftp", ","),
  rule("next", "-U --user", "smbclient, rpcclient", "%"),
  rule("next", ":_authToken :_password _authToken _password", "npm config set, pnpm config set, npm set"),
  rule("next", "-b --body", "gh secret set"),
  rule("next", "-w -p", "security add-generic-password, security add-internet-password, security unlock-keychain"),
  rule("next", "-A -X", "snmpget, snmpwalk, snmpset, snmpbulkwalk"),
  rule("next", "-storepass -keypass -srcstorepass -deststorepass -srckeypass -destkeypass", "keytool, jarsigner"),
  rule("first", "", "aws configure set aws_secret_access_key, aws configure set aws_session_token, vault login"),
  rule("last", "b", "htpasswd"),
  rule("last", "", "rabbitmqctl add_user, rabbitmqctl change_password, wpa_passphrase")
]

/** What reads a password from a pipe. */
const readers = ["sudo", "chpasswd", "stdin", "--with-token", "secret set", "secret create"]

/** False only if `commandSecrets` finds nothing. Uses no regular expressions, as `quickRedaction` does. */
export const mayHoldArgument = (text: string): boolean => {
  for (const { options, programs } of rules) {
    for (const program of programs) if (text.includes(program) && includesOne(text, options)) return true
  }
  return text.includes("|") && (text.includes("echo") || text.includes("printf")) && includesOne(text, readers)
}

const includesOne = (text: string, options: ReadonlyArray<string>): boolean => {
  if (options.length === 0) return true
  for (const option of options) if (text.includes(option)) return true
  return false
}

let calls: RegExp | null = null
const rulesOf = new Map<string, ReadonlyArray<Arguments>>()

/** A call is on one line. */
export function* commandSecrets(text: string): Generator<Mask> {
  if (calls === null) {
    for (const each of rules)
      for (const program of each.programs) rulesOf.set(program, [...(rulesOf.get(program) ?? []), each])
    // The longest first.
    const programs = [...rulesOf.keys(), "echo", "printf"].toSorted((a, b) => b.length - a.length)
    calls = new RegExp(`\\b(?:${programs.join("|")})(?=[ \\t])`, "g")
  }
  for (const { 0: program, index } of text.matchAll(calls)) {
    const words = wordsFrom(text, index + program.length)
    const own = rulesOf.get(program)
    const found = own === undefined ? piped(text, words) : own.flatMap((each) => [...passwords(words, each)])
    for (const { end, start } of found) {
      const isQuoted = /["']/.test(text[start] ?? "") && text[start] === text[end - 1]
      const [from, to] = isQuoted ? [start + 1, end - 1] : [start, end]
      if (isPassword(text.slice(from, to))) yield { from: index, start: from, end: to, marker: "[REDACTED_CREDENTIAL]" }
    }
  }
}

/** `echo PASSWORD | sudo -S …`, `echo USER:PASSWORD | chpasswd`. */
const piped = (text: string, words: ReadonlyArray<Word>): ReadonlyArray<Place> => {
  const last = words.at(-1)
  return last !== undefined && reading.test(text.slice(last.end, last.end + longestReader)) ? [last] : []
}

const longestReader = 200
const reading =
  /^[ \t]*\|[ \t]*(?:sudo\b[^|;&\n]*[ \t]-\w*S\b|(?:sudo )?chpasswd\b|[^|;&\n]*(?:--(?:password-)?stdin|--with-token|secret (?:set|create))\b)/

interface Place {
  readonly start: number
  readonly end: number
}

interface Word extends Place {
  readonly text: string
}

const longestCall = 1_000
const blanks = /[^\S\n]+/y
const word = /(?:[^\s"'`;|&()<>\\]|\\[^\n]|"(?:[^"\\\n]|\\[^\n])*"|'[^'\n]*')+/y

const wordsFrom = (text: string, at: number): ReadonlyArray<Word> => {
  const call = text.slice(at, at + longestCall)
  const words: Array<Word> = []
  for (let end = 0; ; ) {
    blanks.lastIndex = end
    if (!blanks.test(call)) return words
    const start = blanks.lastIndex
    word.lastIndex = start
    if (!word.test(call)) return words
    end = word.lastIndex
    words.push({ start: at + start, end: at + end, text: call.slice(start, end) })
  }
}

function* passwords(words: ReadonlyArray<Word>, { options, place, sign }: Arguments): Generator<Place> {
  if (place === "first" || place === "last") {
    const own = words.filter(({ text }) => !/^-|^\w+=/.test(text))
    const given = place === "first" ? own[0] : own.length > 1 ? own.at(-1) : undefined
    const isGiven = options.every((option) =>
      words.some(({ text }) => /^-[a-zA-Z]/.test(text) && text.includes(option))
    )
    if (given !== undefined && isGiven) yield given
    return
  }
  // What another program is called with may have the same option.
  const open = new Set(options)
  for (const [at, { end, start, text }] of words.entries()) {
    const next = words[at + 1]
    const option = options.find((each) => text === each || (each.startsWith(":") && text.endsWith(each)))
    if (option !== undefined && open.has(option) && place !== "glued" && next !== undefined) {
      open.delete(option)
      const behind = sign === null ? 0 : next.text.indexOf(sign) + sign.length
      const close = /["']$/.test(next.text) && behind > 0 ? 1 : 0
      if (sign === null || next.text.includes(sign)) yield { start: next.start + behind, end: next.end - close }
    }
    const glued = place === "next" ? undefined : options.find((each) => open.has(each) && text.startsWith(each))
    if (glued === undefined || glued === text) continue
    open.delete(glued)
    yield { start: start + glued.length, end }
  }
}

/** Not a variable, another option, a placeholder, or where openssl reads it from. */
const isPassword = (value: string): boolean =>
  value.length > 1 && !isMarked(value) && !/^[-$%]|^(?:env|file|fd):|^stdin$/.test(value)
