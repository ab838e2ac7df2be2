/** The tests that are named after files, the nearest first. Pure: paths alone decide. */
import { testPart } from "../../code/habits/pathHabits.ts"
import { compareText } from "../../text/compareText.ts"
import { nameParts } from "../../text/foldersAbove.ts"
import { testFilesIn } from "./testFilesIn.ts"

const mostTests = 5

/** `paths`: all files of the repository. A file that is a test is its own. */
export const likelyTests = (
  paths: ReadonlyArray<string>
): ((files: ReadonlyArray<string>) => ReadonlyArray<string>) => {
  const tests = testFilesIn(paths)
  const bySubject = Map.groupBy(tests, (test) => testPart(nameParts(test).name).subject.toLowerCase())
  const isTest = new Set(tests)
  return (files) => {
    const found = files.flatMap((file) =>
      isTest.has(file)
        ? [file]
        : (bySubject.get(nameParts(file).stem.toLowerCase()) ?? []).toSorted(
            (a, b) => shared(b, file) - shared(a, file) || compareText(a, b)
          )
    )
    return [...new Set(found)].slice(0, mostTests)
  }
}

/** Folders that two paths share, from the root on. */
const shared = (path: string, other: string): number => {
  const [folders, others] = [path.split("/"), other.split("/")]
  const differs = folders.findIndex((folder, at) => folder !== others[at])
  return differs < 0 ? folders.length : differs
}
