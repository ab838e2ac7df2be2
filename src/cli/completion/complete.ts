/** Computes what can come next on a command line, from the command tree and the words typed so far. */
import type { Completions } from "effect/cli"
import { ownerOf } from "../system/coreutils.ts"

export interface Candidate {
  readonly word: string
  readonly description: string
}

/** Words, or a flag or argument whose values the tree does not list; `before` is the prefix of each value. */
export type Next =
  | { readonly _tag: "Words"; readonly words: ReadonlyArray<Candidate> }
  | { readonly _tag: "Values"; readonly command: string; readonly of: string; readonly before: string }

/** `words`: the program's name and the words after it; the last one can be incomplete. */
export const nextOf = (tree: Completions.CommandDescriptor, words: ReadonlyArray<string>): Next => {
  const [program = "", first = "", ...rest] = words
  // `dd help` is followed by another command.
  const typed = first === "help" && rest.length > 0 ? rest : [first, ...rest]
  const current = typed.at(-1) ?? ""
  if (ownerOf(program, typed) === "coreutils") return wordsOf(operandWords(current, typed))
  let command = tree
  let path = ""
  let position = 0
  let pending: Completions.FlagDescriptor | undefined
  for (const word of typed.slice(0, -1)) {
    if (pending !== undefined) pending = undefined
    else if (word.startsWith("-")) pending = word.includes("=") ? undefined : valued(command, word)
    else {
      const inner = position === 0 ? command.subcommands.find(({ name }) => name === word) : undefined
      path = inner === undefined ? path : `${path} ${word}`.trim()
      position = inner === undefined ? position + 1 : 0
      command = inner ?? command
    }
  }
  if (pending !== undefined) return valuesOf(path, pending, "")
  const equals = current.startsWith("-") ? current.indexOf("=") : -1
  if (equals > 0) {
    const flag = valued(command, current.slice(0, equals))
    return flag === undefined ? wordsOf([]) : valuesOf(path, flag, current.slice(0, equals + 1))
  }
  if (current.startsWith("-")) return wordsOf(flagWords(command))
  const inner = position === 0 ? command.subcommands : []
  if (inner.length > 0) {
    const operands = command === tree && ownerOf(program, ["if="]) === "coreutils" ? operandWords("", []) : []
    return wordsOf([...inner.map(({ name, description = "" }) => ({ word: name, description })), ...operands])
  }
  const argument = command.arguments[position] ?? command.arguments.findLast(({ variadic }) => variadic)
  return argument === undefined ? wordsOf([]) : valuesOf(path, argument, "")
}

const wordsOf = (words: ReadonlyArray<Candidate>): Next => ({ _tag: "Words", words })

const valued = ({ flags }: Completions.CommandDescriptor, typed: string) =>
  flags.find(
    ({ aliases, name, type }) =>
      type._tag !== "Boolean" && (typed === `--${name}` || aliases.some((alias) => typed === `-${alias}`))
  )

const valuesOf = (
  command: string,
  { name, type }: Completions.FlagDescriptor | Completions.ArgumentDescriptor,
  before: string
): Next =>
  type._tag === "Choice"
    ? wordsOf(type.values.map((value) => ({ word: before + value, description: "" })))
    : { _tag: "Values", command, of: name, before }

const flagWords = ({ flags }: Completions.CommandDescriptor): ReadonlyArray<Candidate> =>
  flags.map(({ description = "", name }) => ({ word: `--${name}`, description }))

/** Operands of coreutils' `dd`; the shell completes file names. */
const operandWords = (current: string, typed: ReadonlyArray<string>): ReadonlyArray<Candidate> => {
  const [, name = "", listed = ""] = /^([a-z]+=)((?:.*,)?)/.exec(current) ?? []
  if (name !== "")
    return (operands[name]?.split(" ") ?? []).map((each) => ({ word: name + listed + each, description: "" }))
  const unused = Object.keys(operands).filter((operand) => !typed.some((word) => word.startsWith(operand)))
  return unused.map((word) => ({ word, description: "copy with coreutils' dd" }))
}

const flags = "append direct directory dsync sync fullblock nonblock noatime nocache noctty nofollow"
const operands: Readonly<Record<string, string | undefined>> = {
  "if=": undefined,
  "of=": undefined,
  "bs=": undefined,
  "ibs=": undefined,
  "obs=": undefined,
  "cbs=": undefined,
  "count=": undefined,
  "skip=": undefined,
  "seek=": undefined,
  "conv=": "ascii ebcdic ibm block unblock lcase ucase sparse swab sync excl nocreat notrunc noerror fdatasync fsync",
  "iflag=": flags,
  "oflag=": flags,
  "status=": "none noxfer progress"
}

/** Joins words that a shell splits at `=` and `:`. `cut`: the length of the part of the last word that the shell keeps. */
export const joined = (
  pieces: ReadonlyArray<string>
): { readonly words: ReadonlyArray<string>; readonly cut: number } => {
  const words: Array<string> = []
  let joins = false
  for (const piece of pieces) {
    const isBreak = /^[=:]+$/.test(piece)
    const last = words.length - 1
    if (last > 0 && (isBreak || joins)) words[last] += piece
    else words.push(piece)
    joins = isBreak
  }
  const last = words.at(-1) ?? ""
  return { words, cut: joins ? last.length : last.length - (pieces.at(-1) ?? "").length }
}
