/** A task's prompt as texts for a coding CLI: its role, the task, its directory, the form of the answer. */
import type { Prompt } from "../../../../prompts/Prompt.ts"
import type { HeadFiles } from "./HeadCopy.ts"

export interface CliPrompt {
  readonly system: ReadonlyArray<string>
  readonly user: ReadonlyArray<string>
}

/** `takesSchema`: the CLI gets the reply's schema separately, and enforces it. */
export const cliPrompt = (prompt: Prompt, files: HeadFiles, takesSchema: boolean): CliPrompt => ({
  system: prompt.system,
  user: [...prompt.user.map(({ text }) => text), place(prompt, files), answer(prompt, takesSchema)]
})

const place = ({ tools }: Prompt, { omitted, written }: HeadFiles): string => {
  if (tools === "none") return "Answer from the text above; there are no files to read."
  if (written === 0) return "There are no files to read: use only the text above."
  const missing =
    omitted === 0 ? "" : ` ${omitted} others are left out: too many, too large, not text, or settings of tools.`
  return `Your current directory contains ${written} files in their state after the change, without history.${missing} You may read and search them; change nothing and run nothing. Paths in your answer are relative to this directory.`
}

const answer = ({ reply }: Prompt, takesSchema: boolean): string => {
  const form = "When you are done, answer with JSON only: one value, without other text and without a code fence."
  return takesSchema ? form : `${form} It must fit this JSON Schema:\n\n${JSON.stringify(reply)}`
}
