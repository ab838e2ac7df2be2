/** The flags of `dd pack` that choose a change and shape its pack, which `dd ask` has too. */
import { Flag } from "effect/cli"
import { packFormats } from "../../domain/pack/Block.ts"
import { encodings } from "../../services/pack/Tokenizer.ts"
import { reviewFlags } from "../review/reviewFlags.ts"
import { choiceFlag, formatFlag, repeatedFlag } from "../text/flags.ts"

const { target, base, branch, staged, commit, diffFile } = reviewFlags

const change = { base, branch, staged, commit, diffFile }

const content = {
  exclude: repeatedFlag("exclude", "GLOB", "Leave out matching files; repeatable"),
  include: repeatedFlag("include", "GLOB", "Keep matching files that a filter leaves out; repeatable"),
  focus: repeatedFlag("focus", "PATH|NAME", "Put a file, a folder or the file of a definition first; repeatable"),
  encoding: choiceFlag("encoding", "NAME", encodings, "Count tokens of this encoding; default: o200k_base")
}

export const packFlags = {
  target,
  ...change,
  ...content,
  format: formatFlag(packFormats).pipe(Flag.withDescription("Write the pack in this format"))
}

/** The headings in the help. */
export const packGroups = (budget: Flag.Flag<unknown>) => ({
  "WHICH CHANGE": change,
  "WHAT IS IN THE PACK": { ...content, budget }
})
