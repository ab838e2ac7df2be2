/** The changed files of one language in their repository, and what was found to be broken there. */

import type { DiffFile } from "../change/Diff.ts"
import type { Breakage } from "./brokenUses.ts"
import { brokenCalls, incompleteUses, type Reader } from "./brokenUses.ts"
import type { ContractChange } from "./contractChanges.ts"
import type { Repository } from "./Repository.ts"
import { type Columns, type FileSymbols, type ImportedName, type Occurrence, wordPlaces } from "./Symbol.ts"

/** A changed file with its contract changes. */
export interface ChangedFile {
  readonly file: DiffFile
  /** The path on the head side; of a deleted file, on the base side. */
  readonly path: string
  readonly base: FileSymbols
  readonly head: FileSymbols | null
  readonly changes: ReadonlyArray<ContractChange>
}

/** The changed files of one language in their repository. */
export interface Scene {
  readonly head: Repository
  readonly base: Repository
  readonly changed: ReadonlyArray<ChangedFile>
  readonly byPath: ReadonlyMap<string, ChangedFile>
  /** Old paths without a file on the head side. */
  readonly gone: ReadonlyMap<string, DiffFile>
  /** Names by which other files use what changed. */
  readonly names: ReadonlySet<string>
  /** Removed and changed members, and the names of their classes. */
  readonly members: ReadonlySet<string>
  readonly containers: ReadonlySet<string>
  /** Head-side files that mention any of these names, or may. */
  readonly mentioning: ReadonlyArray<string>
  /** Are these all of them? */
  readonly isComplete: boolean
}

/** A place that the change breaks, and the cause; `contract` is null if the file itself was deleted or moved. */
export interface BrokenPlace {
  readonly file: DiffFile
  readonly contract: ContractChange | null
  readonly breakage: Breakage
  readonly line: number
  readonly columns?: Columns | undefined
  /** For an import: the places that use what it imports. */
  readonly uses?: ReadonlyArray<Pick<Occurrence, "columns" | "line">>
}

/** A contract change and its file. */
export interface ChangedContract {
  readonly changed: ChangedFile
  readonly contract: ContractChange
}

/** The contract changes that the text mentions. */
export const contractsIn = (text: string, { changed }: Scene): ReadonlyArray<ChangedContract> =>
  changed.flatMap((each) =>
    each.changes.flatMap((contract) =>
      wordPlaces(text, contract.name).length > 0 ? [{ changed: each, contract }] : []
    )
  )

/** The places that the change breaks, out of places that resolve to what changed. */
export const brokenBy = (
  file: DiffFile,
  contract: ContractChange,
  places: ReadonlyArray<Occurrence>,
  reader: Reader
): ReadonlyArray<BrokenPlace> => {
  if (contract._tag === "Signature") {
    return brokenCalls(contract, places, reader).map((use) => ({ file, contract, ...use }))
  }
  if (contract._tag === "Required") {
    return incompleteUses(contract, places, reader).map((use) => ({ file, contract, ...use }))
  }
  const breakage = contract.kept ? "unexported" : "removed"
  return places.map(({ columns, line }) => ({ file, contract, breakage, line, columns }))
}

/** The uses of a removed member's name, if no other member of the repository has it. */
export const namedBy = (
  file: DiffFile,
  contract: ContractChange,
  places: ReadonlyArray<Occurrence>
): ReadonlyArray<BrokenPlace> =>
  places.map(({ columns, line }) => ({ file, contract, breakage: "name-gone", line, columns }))

/** The import as an occurrence of the name that it imports. */
export const importPlace = ({ line }: ImportedName): Occurrence => ({
  line,
  kind: "import",
  receiver: null,
  call: null,
  value: "passed",
  self: null
})
