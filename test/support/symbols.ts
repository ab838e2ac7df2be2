/** What the symbol readers say of a text, written down so that a test can compare it at a glance. */
import { Effect, ManagedRuntime } from "effect"
import { signatureText } from "../../src/domain/code/brokenUses.ts"
import type { FileSymbols, Occurrence } from "../../src/domain/code/Symbol.ts"
import type { SyntaxNode } from "../../src/domain/code/Syntax.ts"
import type { Language } from "../../src/languages/Language.ts"
import { grammarFor, languageOf } from "../../src/languages/languages.ts"
import { namesIn } from "../../src/languages/scopes.ts"
import * as TreeSitter from "../../src/layers/code/syntax/TreeSitter.ts"
import { SyntaxParser } from "../../src/services/code/SyntaxParser.ts"

/** All occurrences of the word in code, in source order. */
export const occurrencesIn = (
  { imports, occurrence, scopes }: Language,
  root: SyntaxNode,
  text: string,
  word: string
): ReadonlyArray<Occurrence> =>
  namesIn(scopes, root, text, occurrence, imports(root))
    .all(word)
    .map((place) => place.occurrence)

/** Grammars are loaded once for a test file; close it with `dispose`. */
export const symbolReader = () => {
  const parsing = ManagedRuntime.make(TreeSitter.layer)

  const ask = <A>(path: string, text: string, question: (root: SyntaxNode) => A): Promise<A> =>
    parsing.runPromise(
      SyntaxParser.use((parser) => parser.parse(grammarFor(path, text) ?? "python", text)).pipe(
        Effect.map(({ root }) => question(root)),
        Effect.scoped
      )
    )

  const languageFor = (path: string) => {
    const language = languageOf(path)
    if (language === null) throw new Error(`no symbols for ${path}`)
    return language
  }

  const symbolsOf = (path: string, text: string): Promise<FileSymbols> =>
    ask(path, text, (root) => languageFor(path).symbols(root, path))

  /** `line kind Container.name(parameters)`, with who may use it in front where that is not everybody. */
  const definitions = async (path: string, text: string): Promise<ReadonlyArray<string>> =>
    (await symbolsOf(path, text)).definitions.map(({ container, kind, line, name, signature, visibility }) => {
      const full = container === null ? name : `${container}.${name}`
      const shown = signature === null ? full : signatureText(full, signature)
      const who = visibility === undefined || visibility === "public" ? "" : `${visibility} `
      return `${line} ${who}${kind} ${signature?.async === true ? "async " : ""}${shown}`
    })

  /** `module name as local` of each import. */
  const imports = (path: string, text: string): Promise<ReadonlyArray<string>> =>
    ask(path, text, (root) =>
      languageFor(path)
        .imports(root)
        .map(({ guarded, local, module, name }) =>
          [module, name, ...(local === "" ? [] : ["as", local]), guarded ? "?" : null].filter(Boolean).join(" ")
        )
    )

  /** `line kind receiver(positional keywords) self` of each place of the word. */
  const places = (path: string, text: string, word: string): Promise<ReadonlyArray<string>> =>
    ask(path, text, (root) =>
      occurrencesIn(languageFor(path), root, text, word).map(({ call, kind, line, receiver, self }) =>
        [
          line,
          kind,
          receiver,
          call === null ? null : `(${[call.positional, ...call.keywords, ...(call.spread ? ["..."] : [])].join(" ")})`,
          self === null ? null : `in ${self}`
        ]
          .filter((part) => part !== null)
          .join(" ")
      )
    )

  return { ask, symbolsOf, definitions, imports, places, dispose: () => parsing.dispose() }
}
