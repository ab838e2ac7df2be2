import { conflictRules } from "../../src/rules/conflict.ts"
import { debugRules } from "../../src/rules/debug.ts"
import { fileRules } from "../../src/rules/files.ts"
import { manifestRules } from "../../src/rules/manifests.ts"
import { secretRules } from "../../src/rules/secrets.ts"
import { testRules } from "../../src/rules/tests.ts"
import { textRules } from "../../src/rules/text.ts"
import { workflowRules } from "../../src/rules/workflows.ts"
import { itHoldsForRules } from "../support/rules.ts"

itHoldsForRules([
  ...conflictRules,
  ...secretRules,
  ...textRules,
  ...debugRules,
  ...testRules,
  ...manifestRules,
  ...workflowRules,
  ...fileRules
])
