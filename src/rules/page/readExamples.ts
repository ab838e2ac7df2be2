/**
 * Reads the examples in a section of a page.
 *
 * A rule that checks files has one example for each fence: ```java, or ```yaml PATH if the path matters; the text above the
 * fence explains it. A rule that checks changes has one example for each `###` heading, with a fence for each side of each
 * file: ```python shop/cart.py before. A fence that ends with the word fixed, ```java fixed, is the code above it (or the
 * file of that path) after the suggestion of the rule.
 */

import type { WrittenExample, WrittenText } from "./Page.ts"
import type { Fence, Report, Section } from "./readMarkdown.ts"

interface Reading {
  readonly isOfChanges: boolean
  /** Does an example of a file need a path? */
  readonly needsPath: boolean
  /** Placeholders in examples, and their replacements. */
  readonly placeholders: ReadonlyArray<readonly [string, string]>
}

type ExampleFile = WrittenExample["files"][number]

export const readExamples = (
  section: Section,
  { isOfChanges, needsPath, placeholders }: Reading,
  report: Report
): ReadonlyArray<WrittenExample> => {
  const isReported = section.name === "Reported"
  const textOf = ({ text }: Fence) => placeholders.reduce((all, [from, to]) => all.replaceAll(from, to), text)
  if (!isOfChanges) {
    return section.fences.flatMap((fence, at) => {
      if (isFixed(fence)) {
        if (at === 0 || !isReported) report(fence.line, "it fixes nothing; put it below the code that the rule reports")
        return []
      }
      const [, path = null] = fence.info.split(/\s+/)
      if (needsPath && path === null)
        report(fence.line, "the example needs a path; write it after the language: ```ts src/a.ts")
      const fix = section.fences[at + 1]
      const fixed = fix !== undefined && isFixed(fix) ? { fixed: textOf(fix) } : {}
      return { isReported, name: fence.note, files: [{ path, before: null, after: textOf(fence), ...fixed }] }
    })
  }
  const groups = [...Map.groupBy(section.fences, ({ group }) => group).values()]
  return groups.map((fences) => {
    const [first] = fences
    if (first?.heading === "") report(first.line, "an example of a change needs a heading; write ### and what it shows")
    const files = new Map<string, ExampleFile>()
    for (const fence of fences.filter((each) => !isFixed(each))) {
      const { path, ...side } = sideOf(fence, textOf(fence), report)
      const known = files.get(path)
      files.set(path, known === undefined ? { path, ...side } : joined(known, side))
    }
    for (const fence of fences.filter(isFixed)) {
      const [, path = ""] = fence.info.split(/\s+/)
      const file = files.get(path)
      if (file === undefined) report(fence.line, `the example has no file ${path}; name one of its files`)
      else files.set(path, { ...file, fixed: textOf(fence) })
    }
    return { isReported, name: first?.heading ?? "", files: [...files.values()] }
  })
}

const isFixed = ({ info }: Fence): boolean => /\sfixed$/.test(info)

const sides = ["before", "after", "unchanged", "added", "deleted"]

const plainMode = "100644"

type Side = Omit<ExampleFile, "path">

/** The header of one fence: ```text bin/run after executable */
const sideOf = ({ info, line }: Fence, code: string, report: Report): Side & { readonly path: string } => {
  const [, path = "", side = "", ...words] = info.split(/\s+/)
  if (path === "" || !sides.includes(side)) {
    report(line, `write the path and one of ${sides.join(", ")} after the language: \`\`\`ts src/a.ts after`)
  }
  const more = words.join(" ")
  const [, mode = "", count = ""] = /^(link|executable)? ?(?:(\d+) times)?$/.exec(more) ?? []
  if (more !== "" && mode === "" && count === "")
    report(line, `"${more}" is not known; write link, executable or 3 times`)
  // The target of a link has no line end.
  const plain = mode === "link" ? code.replace(/\n$/, "") : code
  const text: WrittenText = count === "" ? plain : { text: plain, times: Number(count) }
  const bits = mode === "link" ? "120000" : mode === "executable" ? "100755" : plainMode
  return {
    path,
    before: side === "added" || side === "after" ? null : text,
    after: side === "deleted" || side === "before" ? null : text,
    ...(bits === plainMode && side !== "before" && side !== "after" ? {} : { modes: [bits, bits] })
  }
}

/** Joins the two sides of a file. */
const joined = (one: Side & Pick<ExampleFile, "path">, other: Side): ExampleFile => {
  const [before, after] = one.before === null ? [other, one] : [one, other]
  const modes = [before.modes?.[0] ?? plainMode, after.modes?.[1] ?? plainMode] as const
  return {
    path: one.path,
    before: before.before,
    after: after.after,
    ...(modes.every((mode) => mode === plainMode) ? {} : { modes })
  }
}
