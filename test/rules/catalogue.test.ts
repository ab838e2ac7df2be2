import { catalogue } from "../../src/rules/catalogue.ts"
import { itHoldsForRules } from "../support/rules.ts"

itHoldsForRules(catalogue)
