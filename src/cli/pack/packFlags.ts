/** The flags of `dd pack` that choose a change and shape its pack, which `dd ask` has too. */
import { Flag } from "effect/cli"
import { packFormats } from "../../domain/pack/Block.ts"
import { encodings } from "../../services/pack/Tokenizer.ts"
import { reviewFlags } from "../review/reviewFlags.ts"
import { choiceFlag, formatFlag, repeatedFlag } from "../text/flags.ts"

const { target, base, branch, staged, commit, diffFile } = reviewFlags

export const packFlags = {
  target,
  base,
  branch,
  staged,
  commit,
  diffFile,
  encoding: choiceFlag("encoding", "NAME", encodings, "Count tokens of this encoding; default: o200k_base"),
  exclude: repeatedFlag("exclude", "GLOB", "Leave out matching files; repeatable"),
  include: repeatedFlag("include", "GLOB", "Keep matching files that a filter leaves out; repeatable"),
  focus: repeatedFlag("focus", "PATH|NAME", "Put a file, a folder or the file of a definition first; repeatable"),
  format: formatFlag(packFormats).pipe(Flag.withDescription("Write the pack in this format"))
}
