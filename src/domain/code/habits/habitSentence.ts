/** A habit in words, for an assistant and for a reader: "test files use the suffix .spec.ts". Null for an unknown slot. */
import type { Habit } from "./Habit.ts"

export const habitSentence = ({ slot, value }: Habit): string | null => {
  const [domain = "", subject = "", rest = ""] = slot.split(":")
  return sentences[`${domain}:${subject}`]?.(rest, value) ?? (domain === "naming" ? naming(subject, rest, value) : null)
}

const naming = (ending: string, folder: string, value: string): string =>
  `names of .${ending} files${folder === "" ? "" : ` in ${folder}`}${value === "PascalCase" ? "" : ", if they have several words,"} are in ${value}`

const languageNames: Readonly<Record<string, string>> = {
  ts: "TypeScript",
  js: "JavaScript",
  script: "JavaScript and TypeScript",
  py: "Python"
}
const language = (id: string): string => languageNames[id] ?? id

const sentences: Readonly<Record<string, (rest: string, value: string) => string>> = {
  "testing:suffix": (ending, value) =>
    value === "none"
      ? `.${ending} test files have no suffix, only their folder marks them`
      : value === "test_*"
        ? `test files are named test_*.${ending}`
        : `test files use the suffix ${value}.${ending}`,
  "testing:location": (ending, value) =>
    value === "beside"
      ? `.${ending} test files are next to their sources`
      : `.${ending} test files are below a folder ${value}`,
  "testing:runner": (id, value) =>
    value === "globals"
      ? `${language(id)} tests use the test functions as globals`
      : value === "pytest" || value === "unittest"
        ? `${language(id)} tests are written for ${value}`
        : `${language(id)} tests import ${value}`,
  "structure:calls": (id, value) =>
    id === "py"
      ? `tests are ${value}`
      : `tests are written with ${value.replace(" alone", "")}${value.endsWith(" alone") ? ", without describe" : ""}`,
  "imports:extension": (id, value) =>
    value === "none"
      ? `relative imports in ${language(id)} have no file extension`
      : `relative imports in ${language(id)} end in ${value}`,
  "imports:path": (id, value) =>
    id === "py"
      ? `imports within a package are ${value}`
      : value === "relative"
        ? `${language(id)} files in other folders are imported by relative paths`
        : `${language(id)} files in other folders are imported with ${value}`,
  "imports:order": (id) => `${language(id)} imports name packages before files of the project`,
  "imports:node": (_, value) =>
    value === "bare" ? "modules of Node are imported without node:" : "modules of Node are imported with node:",
  "imports:modules": (_, value) => `JavaScript files load modules with ${value}`,
  "commits:prefix": (_, value) =>
    value === "conventional"
      ? "commit subjects begin with a conventional type, such as fix: or feat(area):"
      : value === "area"
        ? "commit subjects begin with the area that changes, such as cli:"
        : "commit subjects have no prefix",
  "commits:case": (_, value) =>
    `commit subjects begin with ${value === "upper" ? "an upper-case" : "a lower-case"} letter, after the prefix if there is one`,
  "commits:length": (_, value) => `commit subjects have at most ${value} characters`,
  "commands:manager": (_, value) => `packages are managed with \`${value}\``,
  "commands:test": (_, value) => `tests are run with \`${value}\``,
  "commands:build": (_, value) => `the project is built with \`${value}\``,
  "commands:check": (_, value) => `the code is checked with \`${value}\``
}
