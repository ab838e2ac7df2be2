/**
 * The habits that the path of one source file shows: how it is named, and for a test, its suffix and its place.
 *
 * A file whose name is forced by a tool or a language shows none: machine-written files, Go's `_test.go`, examples.
 */
import { isGeneratedPath, isMachineWritten, isTestPath } from "../../change/PathKind.ts"
import { testNames } from "../../change/TestFile.ts"
import { foldersAbove, nameParts } from "../../text/foldersAbove.ts"
import { remembered } from "../Repository.ts"
import { type Habit, oneWord } from "./Habit.ts"

const sourceEnding =
  /^(?:[cm]?[jt]sx?|vue|svelte|astro|py|go|rs|rb|java|kt|swift|cs|php|exs?|dart|scala|c|h|cc|cpp|hpp|css|scss|less)$/

/** Languages whose compilers or tools prescribe the names and places of tests. */
const prescribesTests = /^(?:go|rs)$/

/** Slots of folders go this deep. */
const deepestFolder = 4
/** Other names are not written into a slot. */
const plainFolder = /^[\w./@-]{0,80}$/

/**
 * Reads the habits of paths in a repository with these files. The naming slots of a file are ordered from its own folder to
 * the whole repository. What follows from a folder is decided once.
 */
export const pathHabitsAmong = (paths: Iterable<string>): PathHabits => {
  const subjects = new Set<string>()
  for (const path of paths) {
    const { ending, folder, name } = nameParts(path)
    if (sourceEnding.test(ending)) subjects.add(`${folder}/${name.slice(0, name.lastIndexOf("."))}`)
  }
  const aboutFolder = remembered(folderHabits)
  return (path) => {
    const { ending, folder, name, stem } = nameParts(path)
    if (!sourceEnding.test(ending) || stem === "" || name.endsWith(".d.ts")) return []
    const { isOurs, isTests, slots } = aboutFolder(folder)
    if (!isOurs || isGeneratedPath(name)) return []
    if (testNames.some((form) => form.test(name))) {
      const { marker, subject } = testPart(name)
      if (prescribesTests.test(ending) || marker === "") return []
      const place = placeOf(folder, subjects.has(`${folder}/${subject}`))
      return [
        { slot: `testing:suffix:${ending}`, value: marker },
        ...(place === null ? [] : [{ slot: `testing:location:${ending}`, value: place }])
      ]
    }
    // The configuration of a tool has the name that the tool wants.
    if (isTests || isTestPath(name) || /\.config\.|^\.|rc\.[cm]?js$/.test(name)) return []
    const value = caseOf(stem)
    return value === null ? [] : slots.map((each) => ({ slot: `naming:${ending}:${each}`, value }))
  }
}

export type PathHabits = (path: string) => ReadonlyArray<Habit>

/** The folders are those whose names are counted, this one first. */
const folderHabits = (folder: string) => {
  const file = folder === "" ? "a.ts" : `${folder}/a.ts`
  const slots = foldersAbove(file)
    .map((each) => each.replace(/\/$/, ""))
    .filter((each) => plainFolder.test(each) && (each === "" || each.split("/").length <= deepestFolder))
  return { isOurs: !isMachineWritten(file), isTests: isTestPath(file), slots }
}

/** What marks the name of a test, and the name of what it tests; the marker is "" if the whole name is prescribed. */
export const testPart = (name: string): { readonly marker: string; readonly subject: string } => {
  const stem = name.slice(0, name.lastIndexOf("."))
  const prefix = /^(test_)(.+)$/.exec(stem)
  if (prefix !== null) return { marker: "test_*", subject: prefix[2]! }
  const suffix = /^(.+?)([._-](?:tests?|spec|cy|e2e|test-d|spec-d)|Tests?|IT|TestCase|Spec)$/.exec(stem)
  return suffix === null ? { marker: "", subject: stem } : { marker: suffix[2]!, subject: suffix[1]! }
}

/** Where a test is: `beside` its subject, or below the outermost folder of tests; null if neither is certain. */
const placeOf = (folder: string, isBeside: boolean): string | null => {
  const parts = folder.split("/")
  if (parts.at(-1) === "__tests__") return "__tests__"
  if (isBeside) return "beside"
  const found = parts.find((part) => /^(?:tests?|specs?|__tests__|e2e|unit|integration)$/.test(part))
  return found ?? null
}

/** Null for a name that has no case, or several. */
export const caseOf = (stem: string): string | null =>
  /^[a-z][a-z0-9]*$/.test(stem)
    ? oneWord
    : /^[a-z][a-z0-9]*(?:-[a-z0-9]+)+$/.test(stem)
      ? "kebab-case"
      : /^[a-z][a-z0-9]*(?:_[a-z0-9]+)+$/.test(stem)
        ? "snake_case"
        : /^[a-z][A-Za-z0-9]*[A-Z][A-Za-z0-9]*$/.test(stem)
          ? "camelCase"
          : /^[A-Z][A-Za-z0-9]*$/.test(stem) && /[a-z]/.test(stem)
            ? "PascalCase"
            : null
