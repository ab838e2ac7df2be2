/** Shows paths of the repository relative to the current directory. */
import { Effect, Path } from "effect"
import { KnownPaths } from "../../domain/finding/KnownPaths.ts"
import { visiblePath } from "../../domain/text/Printable.ts"
import type { Repository } from "../../services/change/openRepository.ts"
import { Sources } from "../../services/change/Sources.ts"
import type { Here } from "../review/render/RenderContext.ts"

export const hereIn = Effect.fnUntraced(function* (repository: Repository | null, inside?: string) {
  const paths = yield* Path.Path
  const root = repository?.root ?? null
  if (root === null || paths.relative(root, ".") === "") return null
  const known = new KnownPaths(yield* (yield* Sources).headPaths)
  const path = (name: string) => visiblePath(paths.relative(".", paths.join(root, name)))
  const here: Here = {
    path,
    description: (text) =>
      inside === undefined ? text : text.replace(`, only ${inside}`, () => `, only ${path(inside) || "."}`),
    prose: (text) => known.renamed(text, path)
  }
  return here
})
