/**
 * The conventions that a session needs for the files that it has changed: those of their folders and languages, of the commit in
 * which they will be, and for code, of the commands that check it. Pure.
 */
import { isDocument, isTestFile } from "../../change/TestFile.ts"
import { domainOf } from "../../code/habits/Habit.ts"
import { nameParts } from "../../text/foldersAbove.ts"
import type { Artifact, ProjectConvention } from "../Artifact.ts"

/** One of each domain before a second one; of each, the nearest to the files first, then the most certain. */
export const conventionsForFiles = (
  artifacts: ReadonlyArray<Artifact>,
  files: ReadonlyArray<string>,
  most: number
): ReadonlyArray<ProjectConvention> => {
  const near = artifacts
    .flatMap((artifact) =>
      artifact.type === "ProjectConvention"
        ? [{ artifact, nearness: Math.max(0, ...files.map((file) => nearnessOf(artifact.key, file))) }]
        : []
    )
    .filter(({ nearness }) => nearness > 0)
    .toSorted((a, b) => b.nearness - a.nearness || b.artifact.confidence - a.artifact.confidence)
    .map(({ artifact }) => artifact)
  const first = new Set(
    Map.groupBy(near, ({ key }) => domainOf(slotOf(key)))
      .values()
      .map(([best]) => best)
  )
  return near.toSorted((a, b) => Number(first.has(b)) - Number(first.has(a))).slice(0, most)
}

const slotOf = (key: string): string => key.split("=", 1)[0]!

/** 0: it does not apply to the file. */
const nearnessOf = (key: string, file: string): number => {
  const [domain = "", subject = "", rest = ""] = slotOf(key).split(":")
  const { ending, folder } = nameParts(file)
  switch (domain) {
    case "naming":
      if (subject !== ending || !`${folder}/`.startsWith(rest === "" ? "" : `${rest}/`)) return 0
      return rest === "" ? 3 : 5 + rest.split("/").length
    case "testing":
    case "structure":
      return !isOf(rest, ending) ? 0 : isTestFile(file) ? 5 : 2
    case "imports":
      return isOf(rest, ending) ? 4 : 0
    case "commands":
      return isDocument(file) ? 0 : 1
    default:
      return domain === "commits" ? 1 : 0
  }
}

/** Does a slot of this language, or of this ending, concern files with an ending? */
const isOf = (language: string, ending: string): boolean => languages[language]?.test(ending) ?? language === ending

const languages: Readonly<Record<string, RegExp>> = {
  script: /^[cm]?[jt]sx?$/,
  ts: /^[cm]?tsx?$/,
  js: /^[cm]?jsx?$/
}
