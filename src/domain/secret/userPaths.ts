/**
 * The names of users in paths: `/home/alice`, `/Users/alice`, `C:\Users\alice`, `/mnt/c/Users/alice`.
 *
 * Two frequent forms are searched for without a regular expression, because `dd hook event` finds them in every event and
 * compiling one takes longer than that.
 */
import { isMarked, type Mask } from "../text/Mask.ts"

export const userPaths = (text: string, users: ReadonlySet<string>): ReadonlyArray<Mask> => {
  const masks: Array<Mask> = []
  const add = (from: number, start: number, end: number) => {
    const name = text.slice(start, end)
    if (name === "" || (!users.has(name) && (isImpersonal(name) || isMarked(name)))) return
    masks.push({ from, start, end, marker: "[REDACTED_USER]" })
  }
  for (const folder of folders) {
    for (let at = text.indexOf(folder); at >= 0; at = text.indexOf(folder, at + 1)) {
      if (!continuesPath(text[at - 1])) add(at, at + folder.length, endOfName(text, at + folder.length))
    }
  }
  if (hasOtherForm(text)) {
    for (const { 0: whole, 1: name = "", index } of text.matchAll(otherForm())) {
      const end = index + whole.length
      add(index, end - name.length, end)
    }
  }
  return masks
}

const folders = ["/home/", "/Users/"]

/** A path does not begin after one of these. */
const continuesPath = (before: string | undefined): boolean =>
  before !== undefined && (isWordCharacter(before) || ".~)}]-".includes(before))

const isWordCharacter = (char: string): boolean =>
  (char >= "a" && char <= "z") || (char >= "A" && char <= "Z") || (char >= "0" && char <= "9") || char === "_"

/** `\s` and the characters that no name of a user has. */
const afterName = "/\\:\"'`<>|*?$%{}()[],;&#@ \t\n\r\v\f\u00a0\ufeff\u2028\u2029\u1680\u202f\u205f\u3000"
const longestName = 64

const endOfName = (text: string, start: number): number => {
  let end = start
  while (end < text.length && end < start + longestName && !isAfterName(text[end]!)) end++
  return end
}

const isAfterName = (char: string): boolean => afterName.includes(char) || (char >= "\u2000" && char <= "\u200a")

/** `Users` elsewhere than in `/Users/` at the start of a path. */
const hasOtherForm = (text: string): boolean => {
  for (let at = text.indexOf("Users"); at >= 0; at = text.indexOf("Users", at + 1)) {
    if (text[at - 1] === "\\" || (text[at - 1] === "/" && continuesOther(text[at - 2]))) return true
  }
  return false
}

const continuesOther = (before: string | undefined): boolean =>
  before !== undefined && (before === ":" || isWordCharacter(before))

const otherForm = (): RegExp =>
  /(?<![\w.~)}\]-])(?:(?:\/mnt|\/cygdrive)?\/[A-Za-z]\/Users\/|[A-Za-z]:(?:\\{1,4}|\/)Users(?:\\{1,4}|\/))([^\s/\\:"'`<>|*?$%{}()[\],;&#@]{1,64})/g

const impersonalNames = new Set(
  "user username user_name me you name someone somebody nobody example default public shared guest runner runneradmin node ubuntu debian vscode codespace circleci travis jovyan git app deploy deployer developer docker container builder build ci admin root ec2-user vagrant pi linuxbrew jenkins gitpod coder sandbox nonroot www www-data node_modules -".split(
    " "
  )
)
const endingsOfFiles = [".yml", ".yaml", ".json", ".log", ".txt", ".htm", ".html", ".php", ".conf", ".md"]

/** Does the name identify no person? Machines, services, placeholders and files. */
const isImpersonal = (whole: string): boolean => {
  let name = whole.toLowerCase()
  while (name.endsWith(".")) name = name.slice(0, -1)
  for (const ending of endingsOfFiles) if (name.endsWith(ending)) return true
  return (
    name === "" ||
    impersonalNames.has(name) ||
    name.startsWith("your") ||
    name.startsWith("index") ||
    name.startsWith("page") ||
    name === "x".repeat(name.length)
  )
}
