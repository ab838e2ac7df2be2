/** Every rule dd ships, in the order in which a list of them is read. */
import type { Rule } from "../domain/Rule.ts"
import { caseRules } from "./cases.ts"
import { conflictRules } from "./conflict.ts"
import { contractRules } from "./contracts.ts"
import { debugRules } from "./debug.ts"
import { elixirRules } from "./elixir.ts"
import { fileRules } from "./files.ts"
import { goRules } from "./go.ts"
import { importRules } from "./importStructure.ts"
import { javaRules } from "./java.ts"
import { manifestRules } from "./manifests.ts"
import { overrideRules } from "./overrides.ts"
import { pythonRules } from "./python.ts"
import { pythonTextRules } from "./pythonText.ts"
import { reactRules } from "./react.ts"
import { rubyRules } from "./ruby.ts"
import { rustRules } from "./rust.ts"
import { secretRules } from "./secrets.ts"
import { swiftRules } from "./swift.ts"
import { testRules } from "./tests.ts"
import { textRules } from "./text.ts"
import { typescriptRules } from "./typescript.ts"
import { workflowRules } from "./workflows.ts"

export const catalogue: ReadonlyArray<Rule> = [
  ...conflictRules,
  ...secretRules,
  ...textRules,
  ...workflowRules,
  ...manifestRules,
  ...testRules,
  ...fileRules,
  ...debugRules,
  ...pythonRules,
  ...pythonTextRules,
  ...typescriptRules,
  ...reactRules,
  ...goRules,
  ...rustRules,
  ...elixirRules,
  ...swiftRules,
  ...javaRules,
  ...rubyRules,
  ...contractRules,
  ...importRules,
  ...caseRules,
  ...overrideRules
]
