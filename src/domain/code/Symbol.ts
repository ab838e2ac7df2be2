/**
 * What a file defines, imports and uses, read from its syntax tree alone.
 *
 * Nothing here is resolved: `services/code/NameResolver` finds the file that an imported name comes from.
 */

export interface Parameter {
  readonly name: string
  /** `rest` takes any further positional arguments, `keywords` any further named ones. */
  readonly kind: "positional-only" | "positional" | "keyword" | "rest" | "keywords"
  readonly required: boolean
  /** Its declared type without white space; absent where none is written. */
  readonly type?: string
}

export interface Signature {
  readonly parameters: ReadonlyArray<Parameter>
  readonly async: boolean
  /** False where the language lets a caller pass more than it asks for (JavaScript). */
  readonly strict: boolean
  /** A Rust method: called through its type (`T::m(x)`), the object is an argument as well. */
  readonly receiver?: boolean
  /** How many values a call returns; absent if the syntax does not show it. */
  readonly results?: number
}

/** From the widest to the narrowest. `internal` is the same module, package, crate or assembly; `parent` is Rust's `pub(super)`. */
export type Visibility = "public" | "protected" | "internal" | "parent" | "private"

export interface Definition {
  readonly name: string
  readonly kind: "function" | "method" | "class" | "type" | "constant" | "module"
  /** The class or receiver type of a method; null at the top of the file. */
  readonly container: string | null
  /** Null for what is not called, and where the syntax does not show how (decorators, overloads, two definitions). */
  readonly signature: Signature | null
  /** Who may use it, in languages with visibility; the default where the file declares none. */
  readonly visibility?: Visibility
  /** From 1. */
  readonly line: number
  readonly endLine: number
  /** The source without white space and with its own name left out: equal for a definition that only changed its name. */
  readonly shape: string
  /** The type of the value it holds or of the first one that a call of it gives, as the file names it. */
  readonly type?: string
  /** Where its value, or what a call of it gives, comes from, when no type is written and all that it gives comes from one place. */
  readonly gives?: Origin
  /** Replaces what a parent has (`@Override`, a trait's method): without it, the parent's is there. */
  readonly inherited?: boolean
}

/** One name that an import statement brings into the file. */
export interface ImportedName {
  /** As the statement names it. */
  readonly module: string
  /** What is taken from the module: a name, `default`, or null for the module itself. */
  readonly name: string | null
  /** What the file calls it; a dotted path for Python's `import a.b`. Empty for a re-export that binds nothing. */
  readonly local: string
  readonly line: number
  /** The statement expects that it may fail (`except ImportError`). */
  readonly guarded: boolean
  /** The inline module that contains the statement (Rust's `mod tests { }`). */
  readonly within?: string
  /** Java's `import static`: a member of the class that `module` names. */
  readonly member?: boolean
}

/** What the file offers under a name. `local` is its own name for it, `from` the module it is passed on from. */
export interface Exported {
  readonly name: string
  readonly local: string | null
  readonly from: { readonly module: string; readonly name: string | null } | null
  readonly line: number
}

/** A class or struct, as far as it matters for its methods. */
export interface TypeShape {
  readonly name: string
  /** Describes objects and brings no member to any: TypeScript's interfaces and types. */
  readonly describes?: true
  /** Has parents, embeds something or answers for any name: its methods may come from elsewhere. */
  readonly open: boolean
  /** Its fields by name. */
  readonly fields: ReadonlySet<string>
  /** The declared types of fields, as far as they are plainly written; `name()` is what a call of one gives. */
  readonly fieldTypes?: ReadonlyArray<readonly [field: string, type: string]>
  /** Attributes or annotations by which code may be made for it. */
  readonly marks?: string
  /** Classes, interfaces, protocols and mixins it is made of, as the file writes them, less their type arguments. */
  readonly parents?: ReadonlyArray<string>
  /** The names of its type parameters. */
  readonly parameters?: ReadonlyArray<string>
  /** What it gives to those of its parents: a list of types for each parent that has one, in their order. */
  readonly parentArguments?: ReadonlyArray<ReadonlyArray<string>>
}

export interface FileSymbols {
  readonly definitions: ReadonlyArray<Definition>
  readonly types: ReadonlyArray<TypeShape>
  readonly imports: ReadonlyArray<ImportedName>
  /** Modules whose names the file imports and exports as a whole: `from m import *`, `export * from "m"`. */
  readonly stars: ReadonlyArray<string>
  /** Null where every top-level name is offered (Python) or capitals decide (Go). */
  readonly exports: ReadonlyArray<Exported> | null
  /** Names bound at the top of the file in any other way. */
  readonly bound: ReadonlySet<string>
  /** Offers names that its syntax does not show, or could not be parsed as a whole. */
  readonly open: boolean
  /** Go's, Java's and Kotlin's package clause, the namespace of PHP and C#; "" elsewhere. */
  readonly package: string
  /** Python's `__all__`, when it is a plain list; null when there is none or it is put together. */
  readonly listed?: ReadonlyArray<string> | null
  /** Several definitions under one name are all meant, and told apart by their parameters (Java). */
  readonly overloads?: boolean
}

/** As JSON can hold it. */
export const packSymbols = (symbols: FileSymbols): unknown => ({
  ...symbols,
  types: symbols.types.map((type) => ({ ...type, fields: [...type.fields] })),
  bound: [...symbols.bound]
})

/** From what `packSymbols` made, and nothing else. */
export const unpackSymbols = (packed: unknown): FileSymbols => {
  const symbols = packed as FileSymbols
  return {
    ...symbols,
    types: symbols.types.map((type) => ({ ...type, fields: new Set(type.fields) })),
    bound: new Set(symbols.bound)
  }
}

export interface CallShape {
  readonly positional: number
  readonly keywords: ReadonlyArray<string>
  /** Hands over a list or a table whose size is not known here. */
  readonly spread: boolean
  /** The last line of the call; absent: the line it begins on. */
  readonly lastLine?: number
}

/** An object whose type can be followed: what it begins with, and the members that lead on from there. */
export interface Origin {
  readonly root: /** An object of a type, as the file names it. */
    | { readonly _tag: "Typed"; readonly type: string }
    /** What a name holds, or gives when it is called: a function's result, a class's object. */
    | { readonly _tag: "Value"; readonly name: string }
  readonly steps: ReadonlyArray<string>
}

/** One place of a word in code. */
export interface Occurrence {
  readonly line: number
  /** `binding` makes the word mean something else in this file or in a part of it. */
  readonly kind: "use" | "member" | "binding" | "import" | "definition"
  /** The expression before the dot of a member; null for anything but a plain path of names. */
  readonly receiver: string | null
  /** How it is called here; null when it is not. */
  readonly call: CallShape | null
  /** What becomes of the call's value: waited for, thrown away, looked into at once, kept in a variable, or handed on. */
  readonly value: "awaited" | "dropped" | "read" | "stored" | "passed"
  /** The class or receiver type of the method around it, if `receiver` is the object itself. */
  readonly self: string | null
  /** Where a member's object comes from, when that is plainly written. */
  readonly origin?: Origin
  /** How many values the call's place takes; absent where any number fits. */
  readonly taken?: number
  /** The path before `::`, as it is written; "" for anything but plain names. */
  readonly path?: string
  /** Classes (Java) or inline modules (Rust) around it, from the inside out. */
  readonly within?: ReadonlyArray<string>
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

/** The places of a word in a text, as a whole word. Linear in the text. */
export const wordPlaces = (text: string, word: string): ReadonlyArray<number> => {
  const places: Array<number> = []
  if (word === "") return places
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) {
    if (!isWordUnit(text.charCodeAt(at - 1)) && !isWordUnit(text.charCodeAt(at + word.length))) places.push(at)
  }
  return places
}

/** Letters, digits, `_`, `$`, and everything beyond ASCII. */
const isWordUnit = (unit: number): boolean =>
  unit >= 0x80 ||
  (unit >= 0x61 && unit <= 0x7a) ||
  (unit >= 0x41 && unit <= 0x5a) ||
  (unit >= 0x30 && unit <= 0x39) ||
  unit === 0x5f ||
  unit === 0x24
