/** The changed files of one language in their repository, and what was found to be broken there. */

import type { DiffFile } from "../change/Diff.ts"
import type { Breakage } from "./brokenUses.ts"
import { brokenCalls, type Reader } from "./brokenUses.ts"
import type { ContractChange } from "./contractChanges.ts"
import type { Repository } from "./Repository.ts"
import { type FileSymbols, type ImportedName, type Occurrence, wordPlaces } from "./Symbol.ts"

/** A changed file with what it took away from its users. */
export interface ChangedFile {
  readonly file: DiffFile
  /** The head side's path; the base side's when the file is gone. */
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
  /** Old paths at which there is nothing any more. */
  readonly gone: ReadonlyMap<string, DiffFile>
  /** Names under which other files know what something happened to. */
  readonly names: ReadonlySet<string>
  /** Members that are gone or changed, and the names of the classes that have or had them. */
  readonly members: ReadonlySet<string>
  readonly containers: ReadonlySet<string>
  /** Head-side files that mention any of these, or may. */
  readonly mentioning: ReadonlyArray<string>
}

/** A place that the change breaks, and what did it; a `contract` of null is the file itself, deleted or moved. */
export interface BrokenPlace {
  readonly file: DiffFile
  readonly contract: ContractChange | null
  readonly breakage: Breakage
  readonly line: number
}

/** One thing that a change took away from the users of a file. */
export interface ChangedContract {
  readonly changed: ChangedFile
  readonly contract: ContractChange
}

/** What the text mentions of all that was taken away. */
export const contractsIn = (text: string, { changed }: Scene): ReadonlyArray<ChangedContract> =>
  changed.flatMap((each) =>
    each.changes.flatMap((contract) =>
      wordPlaces(text, contract.name).length > 0 ? [{ changed: each, contract }] : []
    )
  )

/** Places that are known to mean what was changed, as far as the change breaks them. */
export const brokenBy = (
  file: DiffFile,
  contract: ContractChange,
  places: ReadonlyArray<Occurrence>,
  reader: Reader
): ReadonlyArray<BrokenPlace> => {
  if (contract._tag === "Signature") {
    return brokenCalls(contract, places, reader).map((use) => ({ file, contract, ...use }))
  }
  const breakage = contract.kept ? "unexported" : "removed"
  return places.map(({ line }) => ({ file, contract, breakage, line }))
}

/** The import as a place that uses what it names. */
export const importPlace = ({ line }: ImportedName): Occurrence => ({
  line,
  kind: "import",
  receiver: null,
  call: null,
  value: "passed",
  self: null
})
