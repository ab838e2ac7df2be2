/**
 * dd's lines in a hook of git.
 *
 * They are a block of whole lines, so that removing it leaves every other byte as it was. The block reads the refs of a
 * push once and gives them to dd and to the rest of the hook. Programs read the standard output of `git push --porcelain`,
 * so dd writes to standard error. It is POSIX shell, and valid under `sh -eu`. Only findings
 * and an interruption stop git: if dd is missing or fails, git continues, and a line says so.
 */
import { quoted } from "../system/shellQuote.ts"

export const hookNames = ["pre-push", "pre-commit"] as const
export type HookName = (typeof hookNames)[number]

const opening = "# >>> dd hook: remove with `dd hook uninstall"
/** The first line of a file that contains nothing else. */
const ownOpening = "# >>> dd hook, in a file of its own: remove with `dd hook uninstall"
const opens = /\n# >>> dd hook\b/
const closing = "# <<< dd hook"

/** Beside a hook that a file of dd's own replaces and runs, under its own name: many hooks read that. */
export const asideDirectory = "before-dd"

/** Where a replaced hook is; the second place is that of earlier versions, which renamed it. */
export const asidesOf = (path: string): readonly [string, string] => {
  const at = path.lastIndexOf("/") + 1
  return [`${path.slice(0, at)}${asideDirectory}/${path.slice(at)}`, `${path}${earlierEnding}`]
}

const earlierEnding = ".before-dd"

/** `program`: the path of dd; null in a file that others use too, where dd is found on PATH. */
export interface Block {
  readonly hook: HookName
  readonly program: string | null
  /** Flags of `dd hook`, as words of a shell on one line; empty: none. */
  readonly flags: string
  /** In a file that dd created; it also runs the aside. */
  readonly isOwn: boolean
}

const linesOf = ({ flags, hook, isOwn, program }: Block): ReadonlyArray<string> => {
  const what = hook === "pre-push" ? "push" : "commit"
  const search = `dd_program=$(command -v daydream || :)`
  const isPush = hook === "pre-push"
  const words = [`"$dd_program" hook ${hook}`, ...(flags === "" ? [] : [flags]), ...(isPush ? ['"$@"'] : []), ">&2"]
  const call = words.join(" ")
  const input = isPush
    ? ['if [ -n "$dd_refs" ]; then', "  exec <<DD_REFS", "$dd_refs", "DD_REFS", "else", "  exec </dev/null", "fi"]
    : []
  return [
    `${isOwn ? ownOpening : opening} --${hook}\``,
    // On a terminal nobody would end the input.
    ...(isPush ? ["dd_refs=", "[ -t 0 ] || dd_refs=$(cat)"] : []),
    ...(program === null
      ? [search]
      : [`dd_program=${quoted(program)}`, `[ -f "$dd_program" ] && [ -x "$dd_program" ] || ${search}`]),
    'if [ -n "$dd_program" ]; then',
    "  dd_code=0",
    isPush ? `  printf '%s\\n' "$dd_refs" | ${call} || dd_code=$?` : `  ${call} || dd_code=$?`,
    `  case $dd_code in`,
    `    0) ;;`,
    `    1 | 130 | 143) exit "$dd_code" ;;`,
    `    *) echo "dd: the review ended with $dd_code; the ${what} goes on without it" >&2 ;;`,
    `  esac`,
    `else`,
    `  echo "dd: daydream is not installed any more; the ${what} goes on without a review (dd hook uninstall --${hook})" >&2`,
    `fi`,
    ...(isOwn
      ? [
          `dd_before="\${0%/*}/${asideDirectory}/\${0##*/}"`,
          'if [ -x "$dd_before" ]; then (',
          ...input,
          'exec "$dd_before" "$@"',
          ") || exit $?; fi"
        ]
      : []),
    ...input,
    closing
  ]
}

const firstLine = "#!/bin/sh\n"

/** A whole hook, which runs the one that it replaces with the same input and arguments. Lines that are added to it run too. */
export const ownHook = (block: Omit<Block, "isOwn">): string => withBlock(firstLine, { ...block, isOwn: true })

export const isOwnHook = (text: string): boolean => `\n${text}`.includes(`\n${ownOpening}`)

/** Is this all that dd wrote, without its block? */
export const isOnlyOwn = (bare: string): boolean => bare.replace(firstLine, "").trim() === ""

/** Can lines be added to this text? It must be a script for a POSIX shell, with the line ends of one. */
export const isExtensible = (text: string): boolean => {
  if (/[\0\r]/.test(text)) return false
  if (!text.startsWith("#!")) return true
  return /^#!\s*\/(?:\S*\/)?(?:env\s+(?:-S\s+)?)?(?:ba|da|k|z|a)?sh(?: -\w+)*\s*\n/.test(text)
}

/** The text with the block: after the first line, or after the call with which old versions of husky restart the script. */
export const withBlock = (text: string, block: Block): string => {
  const bare = withoutBlock(text) ?? text
  const restart = /^.*\bhusky\.sh\b.*\n/m.exec(bare)
  const start = /^#!.*\n/.exec(bare)
  const isOldHusky = restart !== null && /^\s*(?:\.|source)\s.*_\/husky\.sh/.test(restart[0])
  const at = isOldHusky ? restart.index + restart[0].length : (start?.[0].length ?? 0)
  return `${bare.slice(0, at)}${linesOf(block).join("\n")}\n${bare.slice(at)}`
}

/** The text before the block was added; null if it has none. */
export const withoutBlock = (text: string): string | null => {
  const at = `\n${text}`.search(opens)
  if (at < 0) return null
  const end = text.indexOf(`\n${closing}\n`, at)
  if (end < 0) return null
  const rest = text.slice(end + closing.length + 2)
  const isEarlier = isOwnHook(text) && rest.startsWith(earlierTail)
  return `${text.slice(0, at)}${isEarlier ? rest.slice(earlierTail.length) : rest}`
}

/** Is the block there without its end? What follows it cannot be told from it. */
export const isDamaged = (text: string): boolean => opens.test(`\n${text}`) && withoutBlock(text) === null

/** The number of the line, written by somebody, that begins with a call of dd; 0: there is none. */
export const lineOfCall = (text: string, hook: HookName): number => {
  const call = new RegExp(
    `^\\s*(?:exec\\s+|(?:npx|bunx)\\s+)?["']?(?:[^\\s"'#]*/)?(?:daydream|dd)["']?\\s+hook\\s+${hook}\\b`
  )
  return text.split("\n").findIndex((line) => call.test(line)) + 1
}

/** The path of dd in the block of a text; null: it is found on PATH. */
export const programIn = (text: string): string | null => {
  const [, word] = /^dd_program=([^$\n].*)$/m.exec(text) ?? []
  if (word === undefined) return null
  return word.startsWith("'") ? word.slice(1, -1).replaceAll("'\\''", "'") : word
}

/** The flags in the block of a text, also if somebody wrote them there; empty without a block. */
export const flagsIn = (text: string): string => {
  if (withoutBlock(text) === null) return ""
  const [, words = ""] = /^.*"\$dd_program" hook pre-(?:push|commit)\b(.*) >&2 \|\| dd_code=/m.exec(text) ?? []
  if (words.endsWith(passedOn)) return words.slice(0, -passedOn.length).trim()
  return (words.startsWith(passedOn) ? words.slice(passedOn.length) : words).trim()
}

/** The arguments of the hook itself. */
const passedOn = ' "$@"'

/** What followed the block in a file of dd's own before lines that others add to it ran. */
const earlierTail = `[ -x "$0${earlierEnding}" ] || exit 0\nexec "$0${earlierEnding}" "$@"\n`
