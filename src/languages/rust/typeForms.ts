/** The syntax of types in Rust. */
import type { TypeForms } from "../Language.ts"
import { unwrapped } from "../typeArguments.ts"

/** References and owning pointers are replaced by their target. */
const rustType = (type: string): string | null => {
  const plain = type.replace(/^(?:&(?:'\w+)?(?:mut(?=[A-Z&(]))?)+/, "")
  const inner = /^(?:\w+::)*(?:Box|Arc|Rc)<(.*)>$/s.exec(plain)?.[1]
  if (inner !== undefined) return rustType(inner)
  return /^((?:\w+::)*\w+)(?:<.*>)?$/s.exec(plain)?.[1] ?? null
}

const elementOf = (type: string): string | null => {
  const plain = type.replace(/^(?:&(?:'\w+)?(?:mut(?=[A-Z&([]))?)+/, "")
  return (
    /^(?:\w+::)*(?:Vec|VecDeque|HashSet|BTreeSet)<(.*)>$/s.exec(plain)?.[1] ??
    /^\[([^;]*)(?:;.*)?\]$/s.exec(plain)?.[1] ??
    null
  )
}

export const rustTypeForms: TypeForms = {
  plain: rustType,
  step: (type, step) => (step === "?" ? unwrapped(type) : step === "[]" ? elementOf(type) : null),
  given: () => []
}
