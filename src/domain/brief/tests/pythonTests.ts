/** Which Python files pytest collects, by `python_files` and `testpaths` of its configuration. */
import { nameOf } from "../../code/Repository.ts"
import { matchesGlob } from "../../text/matchesGlob.ts"

/** The files at the root that may have the configuration; the first that has it counts. */
export const pytestFiles = ["pytest.ini", ".pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg"] as const

/** Of Django or of nothing: whether it is a test depends on its text. */
export const mayHavePythonTests = (path: string): boolean => /(?:^|\/)tests?\.py$/.test(path)

/** `texts`: of the configuration, and of files that may have tests. */
export const pythonTests = (texts: ReadonlyMap<string, string>): ((path: string) => boolean) => {
  const sections = pytestFiles.map((file) => sectionOf(texts.get(file) ?? ""))
  const section = sections.find((each) => each !== "") ?? ""
  const patterns = valuesOf(section, "python_files")
  const folders = valuesOf(section, "testpaths").map((folder) => folder.replace(/^\.\/|\/$/g, ""))
  const left = valuesOf(section, "norecursedirs")
  const isLeft = (folder: string) => left.some((pattern) => matchesGlob(pattern, folder))
  const names = patterns.length === 0 ? ["test_*.py", "*_test.py"] : patterns
  const isInside = (path: string) => folders.length === 0 || folders.some((folder) => path.startsWith(`${folder}/`))
  return (path) => {
    const name = nameOf(path)
    if (/^(?:conftest|__init__)\.py$/.test(name) || path.split("/").slice(0, -1).some(isLeft)) return false
    if (names.some((pattern) => matchesGlob(pattern, pattern.includes("/") ? path : name))) return true
    return isInside(path) && /^(?:class \w*Test|\s*(?:async )?def test)/m.test(texts.get(path) ?? "")
  }
}

const sectionOf = (text: string): string =>
  text.split(/^(?=\[)/m).find((part) => /^\[(?:pytest|tool:pytest|tool\.pytest(?:\.ini_options)?)\]/.test(part)) ?? ""

/** The words of a setting in INI, on one line or on indented ones, or the strings of one in TOML. */
const valuesOf = (section: string, key: string): ReadonlyArray<string> => {
  const value = new RegExp(`^${key}[ \\t]*=[ \\t]*(\\[[^\\]]*\\]|.*(?:\\n[ \\t]+.*)*)`, "m").exec(section)?.[1] ?? ""
  return value.match(/[^\s"',[\]]+/g) ?? []
}
