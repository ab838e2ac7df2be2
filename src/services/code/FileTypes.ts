/** The types that single files declare, on both sides of a change. Each file is read once. */
import { Context, Effect, Layer } from "effect"
import type { Change } from "../../domain/change/Change.ts"
import type { DiffFile } from "../../domain/change/Diff.ts"
import { filesOfDiff } from "../../domain/change/filesOfDiff.ts"
import type { HierarchyType, PlacedType } from "../../domain/code/Hierarchy.ts"
import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import { type GoClaim, goClaims } from "../../languages/go/hierarchy.ts"
import { hierarchyOf } from "../../languages/languages.ts"
import { reachingInto, runsOf } from "../../languages/tree.ts"
import { oncePerKey } from "../system/oncePerKey.ts"
import type { Which } from "./ImportGraph.ts"
import { SyntaxTrees } from "./SyntaxTrees.ts"

export class FileTypes extends Context.Service<
  FileTypes,
  {
    /** The types of a file on one side, by its path on the head side. */
    readonly in: (which: Which, path: string, change: Change) => Effect.Effect<ReadonlyArray<PlacedType>>
    /** Of a changed file, on both sides: every type that has a line of the change in it, and maybe others. */
    readonly touched: (file: DiffFile) => Effect.Effect<{
      readonly before: ReadonlyArray<HierarchyType>
      readonly after: ReadonlyArray<HierarchyType>
    }>
    /** Go: the assertions in a file that types of its package implement interfaces. */
    readonly claimsIn: (path: string) => Effect.Effect<ReadonlyArray<GoClaim>>
  }
>()("dd/services/code/FileTypes") {
  static readonly layer = Layer.effect(
    FileTypes,
    Effect.gen(function* () {
      const trees = yield* SyntaxTrees
      const typesOf = oncePerKey<string, ReadonlyArray<PlacedType>>()
      const claimsOf = oncePerKey<string, ReadonlyArray<GoClaim>>()

      const typesIn = (which: Which, path: string, change: Change): Effect.Effect<ReadonlyArray<PlacedType>> => {
        const file = filesOfDiff(change.diff).at(path)
        const old = which === "base" && file !== undefined ? file : null
        const reader = hierarchyOf(old === null ? path : (old.oldPath ?? ""))
        if (reader === null) return Effect.succeed([])
        const question = { marks: reader.marks, ask: (root: SyntaxNode) => reader.types(root) }
        const found = old === null ? trees.head(path, question) : trees.base(old, question)
        return typesOf(
          `${old === null ? "head" : "base"}\n${path}`,
          Effect.map(found, (types) => (types ?? []).map((type) => placedAt(path, type)))
        )
      }

      /** Names of the definitions that contain types and a changed line. */
      const touchedIn = (which: Which, file: DiffFile) => {
        const reader = hierarchyOf((which === "base" ? file.oldPath : file.newPath) ?? "")
        const rows = file.hunks.flatMap(({ lines }) =>
          lines.flatMap(({ kind, newLine, oldLine }) => {
            const line = which === "base" ? oldLine : newLine
            return kind === (which === "base" ? "deleted" : "added") && line !== null ? [line - 1] : []
          })
        )
        if (reader === null || rows.length === 0) return Effect.succeed([])
        const question = {
          marks: reader.marks,
          ask: (root: SyntaxNode) =>
            reachingInto(root, reader.nodes, runsOf(rows)).map((node) => node.childForFieldName("name")?.text ?? "")
        }
        const found = which === "base" ? trees.base(file, question) : trees.head(file.path, question)
        return Effect.map(found, (names) => names ?? [])
      }

      const touched = Effect.fn("FileTypes.touched")(function* (file: DiffFile) {
        if (file.oldPath === null || file.newPath === null) return { before: [], after: [] }
        const named = new Set([...(yield* touchedIn("head", file)), ...(yield* touchedIn("base", file))])
        const reader = hierarchyOf(file.path)
        if (named.size === 0 || reader === null) return { before: [], after: [] }
        const question = { marks: reader.marks, ask: (root: SyntaxNode) => reader.types(root, named) }
        const after = (yield* trees.head(file.path, question)) ?? []
        const before = after.length === 0 ? [] : ((yield* trees.base(file, question)) ?? [])
        return { before, after }
      })

      const claimsIn = (path: string) =>
        claimsOf(
          path,
          Effect.map(trees.head(path, { marks: /\bvar\b|\breturn\b/, ask: goClaims }), (claims) => claims ?? [])
        )

      return FileTypes.of({ in: typesIn, touched, claimsIn })
    })
  )
}

const placedAt = (path: string, type: HierarchyType): PlacedType => ({
  ...type,
  path,
  methods: type.methods.map((method) => ({ ...method, path }))
})
