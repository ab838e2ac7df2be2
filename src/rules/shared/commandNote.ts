import type { SyntaxNode } from "../../domain/code/Syntax.ts"

/** What a claim says about the command that it found: in one line, without the quotes of a template, which are those of a note. */
export const commandNote = ({ text, type }: SyntaxNode): string => {
  const line = (type === "template_string" ? text.slice(1, -1) : text).replace(/\s+/g, " ").trim()
  const [shown = ""] = line.slice(0, longestCommand).split("`", 1)
  return `The command is \`${shown}${shown === line ? "" : "…"}\`.`
}

const longestCommand = 200
