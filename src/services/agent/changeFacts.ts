/** What a reviewer of some changed files is told beside the diff: facts of the brief and of the exploration, one line each. */
import type { Brief } from "../../domain/brief/Brief.ts"
import { briefSections, placeText } from "../../domain/brief/briefLines.ts"
import type { Change } from "../../domain/change/Change.ts"
import type { Exploration } from "../../domain/code/Exploration.ts"

const mostFacts = 60
const mostExplored = 40

/** Facts about other changed files are left out. */
export const changeFacts = (
  brief: Brief,
  { diff }: Change,
  paths: ReadonlyArray<string>,
  { conventions, dependencies }: Exploration
): ReadonlyArray<string> => {
  const own = new Set(paths)
  const others = new Set(diff.files.flatMap(({ path }) => (own.has(path) ? [] : [path])))
  const facts = briefSections(brief, "short").flatMap(({ label, lines }) =>
    lines
      .filter(({ place }) => place === null || !others.has(place.file))
      .map(({ place, text }) => `${label}: ${text}${place === null ? "" : ` (${placeText(place)})`}`)
  )
  const imports = dependencies.filter(
    ({ relationship, source, target }) => relationship === "imports" && (own.has(source) || own.has(target))
  )
  return [
    ...limited(facts, mostFacts),
    ...limited(
      [
        ...imports.map(({ source, target }) => `${source} imports ${target}`),
        ...conventions.map(({ description, name, source }) => `convention in ${source}: ${name}: ${description}`)
      ],
      mostExplored
    )
  ]
}

const limited = (lines: ReadonlyArray<string>, most: number): ReadonlyArray<string> =>
  lines.length > most ? [...lines.slice(0, most), `(${lines.length - most} more of these)`] : lines
