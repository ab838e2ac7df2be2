import wasm from "tree-sitter-python/tree-sitter-python.wasm" with { type: "file" }
import { lexicons } from "../../domain/code/Comment.ts"
import { type Language, languageDefaults } from "../Language.ts"
import { hasOpenBracket } from "../lines.ts"
import { at, type Reader, scalar, sentence, settings, toml } from "../settings.ts"
import { pythonScopes } from "./bindings.ts"
import { pythonTables, pythonVariants } from "./cases.ts"
import { pythonTypes } from "./hierarchy.ts"
import { loadedPython } from "./loading.ts"
import { missingPython, resolvePython } from "./modules.ts"
import { pythonMutations } from "./mutations.ts"
import { pythonBuiltins, pythonImports, pythonOccurrence, pythonSymbols } from "./symbols.ts"
import { pythonTypeForms } from "./typeForms.ts"

const ruff = (options: unknown): string => {
  const selected = at(options, "lint", "select") ?? at(options, "select")
  const rules = Array.isArray(selected) ? `select ${selected.filter((rule) => typeof rule === "string").join(" ")}` : ""
  return [settings(options, ["line-length", "target-version", "format.quote-style", "indent-width"]), rules]
    .filter((part) => part !== "")
    .join(", ")
}

const pyproject: Reader = (text) => {
  const root = toml(text)
  const python =
    scalar(at(root, "project", "requires-python")) ?? scalar(at(root, "tool", "poetry", "dependencies", "python"))
  return [
    ...sentence("Python version", python === null ? "" : `requires Python ${python}`),
    ...sentence("ruff", ruff(at(root, "tool", "ruff"))),
    ...sentence("black", settings(at(root, "tool", "black"), ["line-length"])),
    ...sentence("mypy", settings(at(root, "tool", "mypy"), ["strict", "disallow_untyped_defs", "python_version"])),
    ...sentence("pyright", settings(at(root, "tool", "pyright"), ["typeCheckingMode", "pythonVersion"])),
    ...sentence("pytest", at(root, "tool", "pytest") === undefined ? "" : "tests run with pytest")
  ]
}

export const python: Language = {
  ...languageDefaults,
  family: "python",
  wasm,
  comments: lexicons.hash,
  stack: { name: "python", owned: ["pyproject.toml", "setup.cfg"] },
  conventions: [
    { file: /^pyproject\.toml$/, read: pyproject },
    { file: /^\.?ruff\.toml$/, read: (text) => sentence("ruff", ruff(toml(text))) }
  ],
  tests: {
    namesFor: (stem) => [`test_${stem}.py`, `${stem}_test.py`],
    styles: [{ header: /^\s*(?:async )?def (?<name>test_?\w*)\(/ }]
  },
  sharesNames: "none",
  importWord: ({ folder, stem }) => (stem === "__init__" ? folder : stem),
  statements: { start: /^\s*(?:from|import)\s/, isOpen: hasOpenBracket, longString: /"""|'''/g },
  resolve: resolvePython,
  missing: missingPython,
  loaded: loadedPython,
  contracts: { builtins: pythonBuiltins },
  symbols: pythonSymbols,
  imports: pythonImports,
  nested: {
    definitions: { function_definition: ["name", "function"], class_definition: ["name", "class"] },
    holders: { function_definition: "name", class_definition: "name" }
  },
  scopes: pythonScopes,
  occurrence: pythonOccurrence,
  types: pythonTypeForms,
  cases: { variants: pythonVariants, tables: pythonTables, marks: /Enum|Choices/, endings: [".py"], lookup: "import" },
  mutations: pythonMutations,
  hierarchy: {
    types: pythonTypes,
    nodes: ["class_definition"],
    marks: /^class\b/m,
    endings: [".py"],
    fit: "call",
    keyOf: ({ name }) => name,
    derives: (name) => new RegExp(`^class \\w+\\([^)]{0,600}\\b${RegExp.escape(name)}\\b`, "m"),
    bare: new Set(["object", "ABC", "abc.ABC", "Generic", "typing.Generic"])
  }
}
