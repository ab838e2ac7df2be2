/** Every rule dd ships, in the order in which a list of them is read. */
import type { Rule } from "../domain/Rule.ts"
import { boundsRules } from "./bounds.ts"
import { caseRules } from "./cases.ts"
import { cloneRules } from "./clones.ts"
import { conflictRules } from "./conflict.ts"
import { contractRules } from "./contracts.ts"
import { cryptoRules } from "./crypto.ts"
import { debugRules } from "./debug.ts"
import { driftRules } from "./drift.ts"
import { elixirRules } from "./elixir.ts"
import { fileRules } from "./files.ts"
import { goRules } from "./go.ts"
import { ignoredResultRules } from "./ignoredResults.ts"
import { importRules } from "./importStructure.ts"
import { injectionRules } from "./injection.ts"
import { javaRules } from "./java.ts"
import { lockRules } from "./locks.ts"
import { manifestRules } from "./manifests.ts"
import { markupRules } from "./markup.ts"
import { overrideRules } from "./overrides.ts"
import { pythonRules } from "./python.ts"
import { pythonTextRules } from "./pythonText.ts"
import { reactRules } from "./react.ts"
import { requestInputRules } from "./requestInput.ts"
import { retryRules } from "./retries.ts"
import { rubyRules } from "./ruby.ts"
import { runtimeFailureRules } from "./runtimeFailures.ts"
import { rustRules } from "./rust.ts"
import { detectorRules, secretRules } from "./secrets.ts"
import { suppressionRules } from "./suppressions.ts"
import { swiftRules } from "./swift.ts"
import { testGapRules } from "./testGaps.ts"
import { testRules } from "./tests.ts"
import { textRules } from "./text.ts"
import { typescriptRules } from "./typescript.ts"
import { workflowRules } from "./workflows.ts"

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
