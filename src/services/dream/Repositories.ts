/** What the passes know of the repositories in which sessions took place. A port, because it reads files without waiting. */
import { Context, type Effect } from "effect"
import type { RepositoryView } from "../../domain/dream/RepositoryView.ts"
import type { DreamProject } from "./DreamStore.ts"

export class Repositories extends Context.Service<
  Repositories,
  {
    /** The project with this key around a folder; null if the folder is gone or belongs to another one. */
    readonly find: (key: string, folder: string) => Effect.Effect<DreamProject | null>
    /** Never fails: what cannot be read is empty. */
    readonly view: (root: string) => Effect.Effect<RepositoryView>
  }
>()("dd/services/dream/Repositories") {}
