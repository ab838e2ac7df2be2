/** What a reviewer of some changed files is told beside the diff: facts of the brief and of the exploration, one line each. */
import type { Brief } from "../../domain/brief/Brief.ts"
import { briefSections, learnedLines, placeText, testText } from "../../domain/brief/briefLines.ts"
import type { LearnedFact } from "../../domain/brief/Learned.ts"
import type { Change } from "../../domain/change/Change.ts"
import type { Exploration } from "../../domain/code/Exploration.ts"
import { isForReviewers } from "../../languages/conventions.ts"

const mostFacts = 60
const mostTests = 12
const mostExplored = 40
/** Of one file. */
const mostImporters = 6

/** Sections for people: commands that a reviewer cannot run, the time that reading takes, and what was learned, in short. */
const forPeople: ReadonlySet<string> = new Set(["Tests", "Size", "Learned"])

/** Facts about other changed files are left out, and those that the diff shows. */
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
      .filter(({ place }) => !forPeople.has(label) && (place === null || !others.has(place.file)))
      .map(({ place, text }) => `${label}: ${text}${place === null ? "" : ` (${placeText(place)})`}`)
  )
  return [
    ...limited(facts, mostFacts),
    ...learnedFactLines(brief.learned ?? [], own),
    ...limited(testsOf(brief, own, others), mostTests),
    ...limited(
      [
        ...importersOf(dependencies, own),
        ...conventions
          .filter(isForReviewers)
          .map(({ description, name, source }) => `convention in ${source}: ${name}: ${description}`)
      ],
      mostExplored
    )
  ]
}

/** What was learned that applies to these files. */
export const learnedFactLines = (
  learned: ReadonlyArray<LearnedFact>,
  own: ReadonlySet<string>
): ReadonlyArray<string> =>
  learnedLines({ learned: learned.filter(({ files }) => files.some((file) => own.has(file))) }).map(
    ({ text }) => `learned before: ${text}`
  )

/** Tests of these files that the change does not edit, the most likely first. */
const testsOf = ({ definitions, tests }: Brief, own: ReadonlySet<string>, others: ReadonlySet<string>) => {
  const isOfOwn = (of: string): boolean => {
    const homes = definitions.filter(({ name }) => name === of)
    return homes.length === 0 ? !others.has(of) : homes.some(({ file }) => own.has(file))
  }
  return tests.files
    .filter(({ by, of }) => by !== "change" && isOfOwn(of))
    .map((each) => `test ${each.file}: ${testText(each)}`)
}

/** For each of these files, the files beside them that import it. */
const importersOf = (dependencies: Exploration["dependencies"], own: ReadonlySet<string>): ReadonlyArray<string> => {
  const imports = dependencies.filter(
    ({ relationship, source, target }) => relationship === "imports" && own.has(target) && !own.has(source)
  )
  return [...Map.groupBy(imports, ({ target }) => target)].map(([target, from]) => {
    const named = from.slice(0, mostImporters).map(({ source }) => source)
    const more = from.length > named.length ? ` and ${from.length - named.length} more` : ""
    return `${target} is imported by ${named.join(", ")}${more}`
  })
}

const limited = (lines: ReadonlyArray<string>, most: number): ReadonlyArray<string> =>
  lines.length > most ? [...lines.slice(0, most), `(${lines.length - most} more of these)`] : lines
