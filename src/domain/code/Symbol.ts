/**
 * What a file defines, imports and uses, read from its syntax tree alone.
 *
 * Nothing is resolved: `services/code/NameResolver` finds the file that an imported name comes from.
 */

export interface Parameter {
  readonly name: string
  /** `rest` accepts any further positional arguments, `keywords` any further named ones. */
  readonly kind: "positional-only" | "positional" | "keyword" | "rest" | "keywords"
  readonly required: boolean
  /** Its declared type without white space; absent if none is declared. */
  readonly type?: string
}

export interface Signature {
  readonly parameters: ReadonlyArray<Parameter>
  readonly async: boolean
  /** False if the language allows too many arguments (JavaScript). */
  readonly strict: boolean
  /** A Rust method: in a call through its type (`T::m(x)`), the object is an argument as well. */
  readonly receiver?: boolean
  /** The number of values that a call returns; absent if the syntax does not show it. */
  readonly results?: number
}

/** From widest to narrowest. `internal` is the same module, package, crate or assembly; `parent` is Rust's `pub(super)`. */
export type Visibility = "public" | "protected" | "internal" | "parent" | "private"

export interface Definition {
  readonly name: string
  readonly kind: "function" | "method" | "class" | "type" | "constant" | "module"
  /** The class or receiver type of a method; null at the top of the file. */
  readonly container: string | null
  /** Null if it is not callable, or the syntax does not show how (decorators, overloads, two definitions). */
  readonly signature: Signature | null
  /** Who may use it, in languages with visibility; the language's default if the file declares none. */
  readonly visibility?: Visibility
  /** From 1. */
  readonly line: number
  readonly endLine: number
  /** Where the body or the value begins, on a line from 1; null without one. Absent: the syntax does not show it. */
  readonly body?: { readonly line: number; readonly column: number } | null
  /** The source without white space and its own name: equal for a definition that was only renamed. */
  readonly shape: string
  /** The type of its value, or of the first value that a call returns, as the file names it. */
  readonly type?: string
  /** The origin of its value or of what a call returns, if no type is written and every value has the same origin. */
  readonly valueOrigin?: Origin
  /** Overrides a parent's method (`@Override`, a trait's method): without it, the parent's is used. */
  readonly inherited?: boolean
}

/** Of a line, in UTF-16 units from 1; the end is that after the last unit. */
export interface Columns {
  readonly column: number
  readonly endColumn: number
}

/** One name that an import statement adds to the file. */
export interface ImportedName {
  /** The module as the statement names it. */
  readonly module: string
  /** The imported name: a name of the module, `default`, or null for the module itself. */
  readonly name: string | null
  /** The name in the importing file; a dotted path for Python's `import a.b`. Empty for a re-export that binds nothing. */
  readonly local: string
  readonly line: number
  /** The code handles a failure of the import (`except ImportError`). */
  readonly guarded: boolean
  /** The inline module that contains the statement (Rust's `mod tests { }`). */
  readonly within?: string
  /** Rust's `pub use`: other files can import it from here. */
  readonly public?: boolean
  /** Java's `import static`: a member of the class that `module` names. */
  readonly member?: boolean
  /** It binds the name in a function only. */
  readonly inner?: true
}

/** An exported name. `local` is the name in the file, `from` the module of a re-export. */
export interface Exported {
  readonly name: string
  readonly local: string | null
  readonly from: { readonly module: string; readonly name: string | null } | null
  readonly line: number
}

/** The parts of a class or struct that decide about its methods. */
export interface TypeShape {
  readonly name: string
  /** Describes objects without adding members to them: TypeScript's interfaces and types. */
  readonly describes?: true
  /** Has parents, embeds a type or handles any name, so its methods may come from elsewhere. */
  readonly open: boolean
  /** Its fields with their lines; 0 if another type may declare them, such as a parent of the standard library. */
  readonly fields: ReadonlyMap<string, number>
  /** The fields that every literal of the type must have; absent if the type may have others. */
  readonly required?: ReadonlyArray<string>
  /** The declared types of fields, if they are plain; `name()` is the result of calling one. */
  readonly fieldTypes?: ReadonlyArray<readonly [field: string, type: string]>
  /** Attributes or annotations that may generate code for it. */
  readonly marks?: string
  /** Its classes, interfaces, protocols and mixins as the file writes them, without type arguments. */
  readonly parents?: ReadonlyArray<string>
  /** The names of its type parameters. */
  readonly parameters?: ReadonlyArray<string>
  /** The type arguments of its parents: one list for each parent that has any, in order. */
  readonly parentArguments?: ReadonlyArray<ReadonlyArray<string>>
}

export interface FileSymbols {
  readonly definitions: ReadonlyArray<Definition>
  readonly types: ReadonlyArray<TypeShape>
  /**
   * Those to which no name is resolved: in Rust's inline modules and `extern` blocks, where the container begins with the
   * module, and functions that statements of a CommonJS module assign.
   */
  readonly inner?: ReadonlyArray<Definition>
  readonly imports: ReadonlyArray<ImportedName>
  /** Modules whose names the file imports and exports as a whole: `from m import *`, `export * from "m"`. */
  readonly stars: ReadonlyArray<string>
  /** Null if every top-level name is exported (Python) or capitals decide (Go). */
  readonly exports: ReadonlyArray<Exported> | null
  /** Names bound at the top of the file in any other way. */
  readonly bound: ReadonlySet<string>
  /** May export names that its syntax does not show, or could not be parsed completely. */
  readonly open: boolean
  /** All members of its types are known, even if it is open. */
  readonly hasAllMembers?: boolean
  /** The parts that the parser did not understand. */
  readonly unread?: ReadonlyArray<Span>
  /** Go's, Java's and Kotlin's package clause, the namespace of PHP and C#; "" elsewhere. */
  readonly package: string
  /** Python's `__all__` if it is a plain list; null if there is none or it is computed. */
  readonly listed?: ReadonlyArray<string> | null
  /** Definitions of the same name are overloads, distinguished by their parameters (Java). */
  readonly overloads?: boolean
}

/** Lines from 1, both included. */
export interface Span {
  readonly line: number
  readonly endLine: number
}

/** Converts symbols to JSON. */
export const packSymbols = (symbols: FileSymbols): unknown => ({
  ...symbols,
  types: symbols.types.map((type) => ({ ...type, fields: [...type.fields] })),
  bound: [...symbols.bound]
})

/** Only for the output of `packSymbols`. */
export const unpackSymbols = (packed: unknown): FileSymbols => {
  const symbols = packed as FileSymbols
  return {
    ...symbols,
    types: symbols.types.map((type) => ({ ...type, fields: new Map(type.fields) })),
    bound: new Set(symbols.bound)
  }
}

export interface CallShape {
  readonly positional: number
  readonly keywords: ReadonlyArray<string>
  /** Passes a list or a table of unknown size. */
  readonly spread: boolean
  /** The last line of the call; absent: its first line. */
  readonly lastLine?: number
}

/** An object whose type can be resolved: the root, and the members that follow. */
export interface Origin {
  readonly root: /** An object of a type; the name is the file's. */
    | { readonly _tag: "Type"; readonly type: string }
    /** The value of a name, or the result of calling it: of a function, or an object of a class. */
    | { readonly _tag: "Value"; readonly name: string }
  readonly steps: ReadonlyArray<string>
}

/** One occurrence of a word in code. */
export interface Occurrence {
  readonly line: number
  /** Those of the word; absent for a place that stands for a whole statement. */
  readonly columns?: Columns | undefined
  /** `binding` gives the word another meaning in this file or in a part of it. */
  readonly kind: "use" | "member" | "binding" | "import" | "definition"
  /** The expression before the dot of a member; null if it is not a plain path of names. */
  readonly receiver: string | null
  /** The arguments of the call; null if it is not called. */
  readonly call: CallShape | null
  /** The use of the call's result: awaited, discarded, accessed at once, stored in a variable, or passed on. */
  readonly value: "awaited" | "dropped" | "read" | "stored" | "passed"
  /** The class or receiver type of the method around it, if `receiver` is the object itself. */
  readonly self: string | null
  /** The origin of a member's object, if it is plain. */
  readonly origin?: Origin
  /** The fields in a literal of the type, or the attributes of a component, by their names. */
  readonly members?: CallShape
  /** The number of results that the caller expects; absent if any number fits. */
  readonly taken?: number
  /** The path before `::` as written; "" if it is not made of plain names. */
  readonly path?: string
  /** Classes (Java) or inline modules (Rust) around it, from the inside out. */
  readonly within?: ReadonlyArray<string>
  /**
   * What binds it, or the first name of the object of a member: the line of an import in a function, something else in a part
   * of the file, or one of several imports and definitions. Absent: the file.
   */
  readonly inner?: number | "local" | "unclear"
}

/** The imports of a file, and the places where it uses words; without the places of names that are local. */
export interface Uses {
  readonly imports: ReadonlyArray<ImportedName>
  /** The places of each requested word. */
  readonly occurrences: ReadonlyMap<string, ReadonlyArray<Occurrence>>
}

/** Does the call fit? Unknown shapes fit. */
export const fits = ({ parameters, strict }: Signature, call: CallShape): boolean => {
  if (call.spread) return true
  const positional = parameters.filter(({ kind }) => kind === "positional" || kind === "positional-only")
  const takesRest = parameters.some(({ kind }) => kind === "rest")
  const takesKeywords = parameters.some(({ kind }) => kind === "keywords")
  if (strict && !takesRest && call.positional > positional.length) return false
  const filled = new Set(positional.slice(0, call.positional))
  for (const keyword of call.keywords) {
    const wanted = parameters.find(
      ({ name, kind }) => name === keyword && (kind === "positional" || kind === "keyword")
    )
    if (wanted === undefined) {
      if (!takesKeywords) return false
    } else if (filled.has(wanted)) return false
    else filled.add(wanted)
  }
  return parameters.every((parameter) => !parameter.required || filled.has(parameter))
}

/** The indexes of a whole word in a text. Linear in the text. */
export const wordPlaces = (text: string, word: string): ReadonlyArray<number> => {
  const places: Array<number> = []
  if (word === "") return places
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) {
    if (!isWordUnit(text.charCodeAt(at - 1)) && !isWordUnit(text.charCodeAt(at + word.length))) places.push(at)
  }
  return places
}

/** Letters, digits, `_`, `$`, and all characters beyond ASCII. */
const isWordUnit = (unit: number): boolean =>
  unit >= 0x80 ||
  (unit >= 0x61 && unit <= 0x7a) ||
  (unit >= 0x41 && unit <= 0x5a) ||
  (unit >= 0x30 && unit <= 0x39) ||
  unit === 0x5f ||
  unit === 0x24
