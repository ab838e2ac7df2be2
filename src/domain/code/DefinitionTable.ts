/** The definitions of a file by name and container, because a generated file may have thousands. */
import type { Definition, FileSymbols } from "./Symbol.ts"

export interface DefinitionTable {
  /** In the order of the file. */
  readonly all: (name: string, container: string | null) => ReadonlyArray<Definition>
  /** The only definition of this name and container; undefined if there are none or several. */
  readonly only: (name: string, container: string | null) => Definition | undefined
}

export const definitionTable = ({ definitions }: FileSymbols): DefinitionTable => {
  const byKey = Map.groupBy(definitions, ({ name, container }) => keyOf(name, container))
  const all = (name: string, container: string | null) => byKey.get(keyOf(name, container)) ?? []
  const only = (name: string, container: string | null) => {
    const found = all(name, container)
    return found.length === 1 ? found[0] : undefined
  }
  return { all, only }
}

const keyOf = (name: string, container: string | null): string => (container === null ? name : `${container}\0${name}`)
