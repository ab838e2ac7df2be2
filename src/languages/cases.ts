/** Which languages' closed lists are known, and how each is read. */

import { type Grammar, grammarOf } from "../domain/change/Grammar.ts"
import type { SyntaxNode } from "../domain/code/Syntax.ts"
import type { CaseTable, VariantType } from "../domain/code/Variants.ts"
import { goTables, goVariants } from "./go/cases.ts"
import { javaTables, javaVariants } from "./java/cases.ts"
import { pythonTables, pythonVariants } from "./python/cases.ts"
import { rustTables, rustVariants } from "./rust/cases.ts"
import { scriptTables, scriptVariants } from "./script/cases.ts"

interface CaseReader {
  readonly variants: (root: SyntaxNode) => ReadonlyArray<VariantType>
  readonly tables: (root: SyntaxNode) => ReadonlyArray<CaseTable>
  /** A text without this has no such type. */
  readonly marks: RegExp
  /** How the names of files end in which cases may stand. */
  readonly endings: ReadonlyArray<string>
}

const script: CaseReader = {
  variants: scriptVariants,
  tables: scriptTables,
  marks: /\benum\b|\btype\b/,
  endings: [".ts", ".tsx", ".mts", ".cts"]
}

const readers: Readonly<Partial<Record<Grammar, CaseReader>>> = {
  python: { variants: pythonVariants, tables: pythonTables, marks: /Enum|Choices/, endings: [".py"] },
  typescript: script,
  tsx: script,
  go: { variants: goVariants, tables: goTables, marks: /\bconst\b/, endings: [".go"] },
  rust: { variants: rustVariants, tables: rustTables, marks: /\benum\b/, endings: [".rs"] },
  java: { variants: javaVariants, tables: javaTables, marks: /\benum\b/, endings: [".java"] }
}

/** Null for a file of a language without closed lists that can be read. */
export const caseReaderOf = (path: string): CaseReader | null => {
  const grammar = grammarOf(path)
  return grammar === null ? null : (readers[grammar] ?? null)
}
