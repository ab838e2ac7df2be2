/** Whether a member that a change removed may still come from another place. */
import { Context, Effect, Layer } from "effect"
import type { ChangedFile, Scene } from "../../domain/code/ContractScene.ts"
import { folderOf } from "../../domain/code/Repository.ts"
import { type FileSymbols, wordPlaces } from "../../domain/code/Symbol.ts"
import { Sources } from "../change/Sources.ts"
import { SymbolIndex } from "./SymbolIndex.ts"

export class MemberSources extends Context.Service<
  MemberSources,
  {
    /** From a parent, an embedded type or a field; true if the type is unknown. */
    readonly hasOtherSource: (
      changed: ChangedFile,
      name: string,
      container: string,
      scene: Scene
    ) => Effect.Effect<boolean>
    /** Whether a member of this name is defined elsewhere, as by a mixin, a subclass or a protocol. */
    readonly isElsewhere: (name: string, scene: Scene) => Effect.Effect<boolean>
    /** The symbols of the head-side files that mention a word; null for a file whose symbols are unknown. */
    readonly symbolsMentioning: (
      paths: ReadonlyArray<string>,
      word: string
    ) => Effect.Effect<ReadonlyArray<FileSymbols | null>>
  }
>()("dd/services/code/MemberSources") {
  static readonly layer = Layer.effect(
    MemberSources,
    Effect.gen(function* () {
      const sources = yield* Sources
      const index = yield* SymbolIndex

      const symbolsMentioning = Effect.fnUntraced(function* (paths: ReadonlyArray<string>, word: string) {
        const found: Array<FileSymbols | null> = []
        for (const path of paths) {
          const source = yield* sources.head(path)
          if (source._tag !== "Text" || wordPlaces(source.text, word).length === 0) continue
          found.push(yield* index.symbols(path))
        }
        return found
      })

      const hasOtherSource = Effect.fnUntraced(function* (
        { base, head, path }: ChangedFile,
        name: string,
        container: string,
        scene: Scene
      ) {
        const isFrom = (symbols: FileSymbols | null | undefined) =>
          symbols?.types.find((type) => type.name === container)
        let type = isFrom(head)
        if (type === undefined && base.package !== "") {
          const beside = yield* symbolsMentioning(scene.head.byFolder.get(folderOf(path)) ?? [], container)
          type = beside.map(isFrom).find((found) => found !== undefined)
        }
        return type === undefined || type.open || type.fields.has(name)
      })

      const isElsewhere = Effect.fnUntraced(function* (name: string, { mentioning }: Scene) {
        const others = yield* symbolsMentioning(mentioning, name)
        return others.some(
          (symbols) =>
            symbols === null ||
            symbols.definitions.some((each) => each.name === name) ||
            symbols.types.some((type) => type.describes !== true && type.fields.has(name))
        )
      })

      return MemberSources.of({ hasOtherSource, isElsewhere, symbolsMentioning })
    })
  )
}
