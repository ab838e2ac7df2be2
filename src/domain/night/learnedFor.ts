/**
 * What of the corpus a review of some files can use: the conventions of their folders whose rules read them, as many as a night
 * measures, and the playbooks of all rules. The same corpus and files give the same list.
 */
import type { LearnedArtifact } from "../brief/Learned.ts"
import { isInFolder } from "../text/foldersAbove.ts"
import { oneLine } from "../text/Printable.ts"
import { conventionsFor } from "./conventionsFor.ts"
import type { Generation, LearnedConvention } from "./Generation.ts"
import { wilson } from "./statistics.ts"

/** `reads`: is the rule applied to files of this path? */
export const learnedFor = (
  { conventions, playbooks }: Pick<Generation, "conventions" | "playbooks">,
  paths: ReadonlyArray<string>,
  reads: (rule: string, path: string) => boolean
): ReadonlyArray<LearnedArtifact> => {
  const filesOf = ({ folder, rule }: LearnedConvention) =>
    paths.filter((path) => isInFolder(path, folder) && reads(rule, path))
  const applying = conventions.filter((each) => filesOf(each).length > 0)
  return [
    ...conventionsFor(paths, applying).map((each) => ({
      ...shared(each, each.accepted, each.accepted + each.rejected),
      kind: "convention" as const,
      files: filesOf(each),
      rule: null
    })),
    ...playbooks.map((each) => ({
      ...shared(each, each.passed, each.passed + each.failed),
      kind: "repair" as const,
      files: [],
      rule: each.rule
    }))
  ]
}

const shared = ({ id, text }: { readonly id: string; readonly text: string }, agreeing: number, judged: number) => ({
  id,
  // It has a title of findings, which names parts of the repository.
  title: oneLine(text).slice(0, longest),
  habit: null,
  confidence: wilson(agreeing, judged).lo,
  from: { agreeing, judged }
})

const longest = 400
