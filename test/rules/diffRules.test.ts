import { conflictRules } from "../../src/rules/repository/conflict.ts"
import { debugRules } from "../../src/rules/repository/debug.ts"
import { fileRules } from "../../src/rules/repository/files.ts"
import { manifestRules } from "../../src/rules/repository/manifests.ts"
import { testRules } from "../../src/rules/repository/tests.ts"
import { textRules } from "../../src/rules/repository/text.ts"
import { workflowRules } from "../../src/rules/repository/workflows.ts"
import { secretRules } from "../../src/rules/security/secrets.ts"
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
