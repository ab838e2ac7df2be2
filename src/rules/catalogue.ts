/** Every rule dd ships, in the order in which a list of them is read. */
import type { Rule } from "../domain/finding/Rule.ts"
import { boundsRules } from "./bounds.ts"
import { elixirRules } from "./elixir.ts"
import { goRules } from "./go/go.ts"
import { ignoredResultRules } from "./ignoredResults.ts"
import { javaRules } from "./java.ts"
import { lockRules } from "./locks.ts"
import { pythonRules } from "./python/python.ts"
import { pythonTextRules } from "./python/pythonText.ts"
import { conflictRules } from "./repository/conflict.ts"
import { debugRules } from "./repository/debug.ts"
import { fileRules } from "./repository/files.ts"
import { manifestRules } from "./repository/manifests.ts"
import { suppressionRules } from "./repository/suppressions.ts"
import { testRules } from "./repository/tests.ts"
import { textRules } from "./repository/text.ts"
import { workflowRules } from "./repository/workflows.ts"
import { retryRules } from "./retries.ts"
import { rubyRules } from "./ruby.ts"
import { runtimeFailureRules } from "./runtimeFailures.ts"
import { rustRules } from "./rust.ts"
import { reactRules } from "./script/react.ts"
import { typescriptRules } from "./script/typescript.ts"
import { cryptoRules } from "./security/crypto.ts"
import { injectionRules } from "./security/injection.ts"
import { markupRules } from "./security/markup.ts"
import { requestInputRules } from "./security/requestInput.ts"
import { detectorRules, secretRules } from "./security/secrets.ts"
import { caseRules } from "./structure/cases.ts"
import { cloneRules } from "./structure/clones.ts"
import { contractRules } from "./structure/contracts.ts"
import { driftRules } from "./structure/drift.ts"
import { importRules } from "./structure/importStructure.ts"
import { overrideRules } from "./structure/overrides.ts"
import { testGapRules } from "./structure/testGaps.ts"
import { swiftRules } from "./swift.ts"

export const catalogue: ReadonlyArray<Rule> = [
  ...conflictRules,
  ...secretRules,
  ...detectorRules,
  ...textRules,
  ...injectionRules,
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
  ...boundsRules,
  ...lockRules,
  ...cryptoRules,
  ...requestInputRules,
  ...retryRules,
  ...ignoredResultRules,
  ...markupRules,
  ...runtimeFailureRules,
  ...suppressionRules,
  ...contractRules,
  ...importRules,
  ...caseRules,
  ...overrideRules,
  ...cloneRules,
  ...driftRules,
  ...testGapRules
]
