/** The syntax of types in Python. */
import type { TypeForms } from "../Language.ts"

export const pythonTypeForms: TypeForms = {
  plain: (type) => {
    const plain = type.replace(/^["']|["']$/g, "")
    const optional = /^(?:typing\.)?Optional\[(.*)\]$/s.exec(plain)?.[1] ?? plain
    return /^(?:None\|)?([A-Za-z_]\w*(?:\.\w+)?)(?:\|None)?$/.exec(optional)?.[1] ?? null
  },
  step: (type, step) =>
    step === "[]"
      ? (/^["']?(?:typing\.|t\.|collections\.abc\.)?(?:[Ll]ist|[Ss]et|[Ff]rozen[Ss]et|Sequence|Iterable|Iterator|Collection)\[(.*)\]["']?$/s.exec(
          type
        )?.[1] ?? null)
      : null,
  given: () => []
}
