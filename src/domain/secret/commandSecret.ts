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
}

const rule = (place: Arguments["place"], options: string, programs: string): Arguments => ({
  programs: programs.split(", "),
  options: options === "" ? [] : options.split(" "),
  place
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
  rule("next", "-k -K -pass -passin -passout", "openssl"),
  rule("next", "-w -p", "security add-generic-password, security add-internet-password, security unlock-keychain"),
  rule("next", "-A -X", "snmpget, snmpwalk, snmpset, snmpbulkwalk"),
  rule("next", "-storepass -keypass -srcstorepass -deststorepass -srckeypass -destkeypass", "keytool, jarsigner"),
  rule("first", "", "aws configure set aws_secret_access_key, aws configure set aws_session_token, vault login"),
  rule("last", "b", "htpasswd"),
  rule("last", "", "rabbitmqctl add_user, rabbitmqctl change_password, wpa_passphrase")
]

/** False only if `commandSecrets` finds nothing. Uses no regular expressions, as `quickRedaction` does. */
export const mayHoldArgument = (text: string): boolean => {
  for (const { options, programs } of rules) {
    for (const program of programs) if (text.includes(program) && hasOption(text, options)) return true
  }
  return false
}

const hasOption = (text: string, options: ReadonlyArray<string>): boolean => {
  if (options.length === 0) return true
  for (const option of options) if (text.includes(option)) return true
  return false
}

let calls: RegExp | null = null
const ruleOf = new Map<string, Arguments>()

/** A call is on one line. */
export function* commandSecrets(text: string): Generator<Mask> {
  if (calls === null) {
    for (const each of rules) for (const program of each.programs) ruleOf.set(program, each)
    // The longest first.
    const programs = [...ruleOf.keys()].toSorted((a, b) => b.length - a.length)
    calls = new RegExp(`\\b(?:${programs.join("|")})(?=[ \\t])`, "g")
  }
  for (const { 0: program, index } of text.matchAll(calls)) {
    const { options, place } = ruleOf.get(program)!
    for (const { end, start } of passwords(wordsFrom(text, index + program.length), options, place)) {
      const [from, to] =
        /["']/.test(text[start] ?? "") && text[start] === text[end - 1] ? [start + 1, end - 1] : [start, end]
      if (isPassword(text.slice(from, to))) yield { from: index, start: from, end: to, marker: "[REDACTED_CREDENTIAL]" }
    }
  }
}

interface Word {
  readonly start: number
  readonly end: number
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

function* passwords(words: ReadonlyArray<Word>, options: ReadonlyArray<string>, place: Arguments["place"]) {
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
    if (open.has(text) && place !== "glued" && next !== undefined) {
      open.delete(text)
      const scheme = next.text.startsWith("pass:") ? "pass:".length : 0
      yield { start: next.start + scheme, end: next.end }
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
