import type { StepOutline } from "../../src/domain/run/Step.ts"
import type { Registry } from "../../src/services/run/Registry.ts"

export const emptyRegistry = <T extends StepOutline>(): Registry<T> => ({
  steps: new Map(),
  flows: new Map(),
  prompts: new Map(),
  stackRules: []
})
