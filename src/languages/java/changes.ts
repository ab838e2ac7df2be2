/** What users of a changed Java class can still access. */
import type { ChangedContract, ChangedFile, Scene } from "../../domain/code/ContractScene.ts"
import type { ContractChange } from "../../domain/code/contractChanges.ts"
import type { FileSymbols } from "../../domain/code/Symbol.ts"
import { typeOfFile } from "./names.ts"

interface User {
  readonly path: string
  readonly symbols: FileSymbols
}

/** The class may now be defined in Kotlin, Groovy or Scala, or in another file of this change. */
export const isDefinedElsewhere = (gone: string, { changed, head }: Scene): boolean => {
  const name = typeOfFile(gone)
  return (
    ["kt", "groovy", "scala"].some((ending) => head.byName.has(`${name}.${ending}`)) ||
    changed.some((each) => {
      const isNew = each.path !== gone && !each.base.definitions.some((definition) => definition.name === name)
      const defines = each.head?.definitions.some((definition) => definition.name === name) === true
      return isNew && defines && typeOfFile(each.path) !== name
    })
  )
}

/** An annotation may generate the removed member, or a new parent of the class may have it. */
export const mayStillExist = ({ base, head }: ChangedFile, { container, name }: ContractChange): boolean => {
  const typeOf = (symbols: FileSymbols | null) => symbols?.types.find((type) => type.name === container)
  const [was, is] = [typeOf(base), typeOf(head)]
  if (is === undefined) return true
  if (is.open && /^(?:get|set|is|has|with|builder|toBuilder|of|equals|hashCode|toString)/.test(name)) return true
  return JSON.stringify(was?.parents) !== JSON.stringify(is.parents) || was?.marks !== is.marks
}

/** Is the definition still visible from the package and file that use it? */
export const isVisibleTo = ({ path, symbols }: User, { changed, contract }: ChangedContract): boolean => {
  const hidden = contract._tag === "Gone" ? contract.hidden : undefined
  if (hidden === undefined || path === changed.path) return true
  const isNear = symbols.package === changed.base.package
  switch (hidden.visibility) {
    case "private":
      return false
    case "internal":
      return isNear
    case "protected":
      return isNear || symbols.types.some(({ parents = [] }) => parents.length > 0)
    default:
      return true
  }
}
