import type { Exploration } from "../../domain/code/Exploration.ts"
import { plural } from "../../domain/text/plural.ts"

const table = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [head, head.map(() => "---"), ...rows]
    .map((cells) => `| ${cells.map((cell) => cell.replace(/\|/g, "\\|").replace(/\s+/g, " ")).join(" | ")} |`)
    .join("\n")

/** What was found around the change, as Markdown files: the name and the text of each. */
export const explorationFiles = (found: Exploration): ReadonlyArray<readonly [string, string]> => {
  const affected = table(
    ["file", "role", "what"],
    found.affectedFiles.map(({ path, role, summary }) => [path, role, summary])
  )
  const dependencies = table(
    ["source", "relationship", "target"],
    found.dependencies.map(({ source, relationship, target }) => [source, relationship, target])
  )
  const conventions = table(
    ["convention", "what", "stated in"],
    found.conventions.map(({ name, description, source }) => [name, description, source])
  )
  const omitted = found.omitted.map((reason) => `- ${reason}`).join("\n")
  const summary = [
    "# Exploration",
    `Tier: ${found.tier}. ${plural(found.affectedFiles.length, "affected file")}, ${plural(found.dependencies.length, "dependency", "dependencies")}, ${plural(found.conventions.length, "convention")}.`,
    ...(omitted === "" ? [] : [`## Not explored\n\n${omitted}`])
  ].join("\n\n")
  return [
    ["summary.md", `${summary}\n`],
    ["affected_files.md", `# Affected files\n\n${affected}\n`],
    ["dependencies.md", `# Dependencies\n\n${dependencies}\n`],
    ["conventions.md", `# Conventions\n\n${conventions}\n`]
  ]
}
