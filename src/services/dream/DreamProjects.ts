/** Finds the repository of a recorded session. A port, because it depends on the platform. */
import { Context, type Effect } from "effect"
import type { DreamProject } from "./DreamStore.ts"

export class DreamProjects extends Context.Service<
  DreamProjects,
  {
    /** The project with this key around a folder; null if the folder is gone or belongs to another one. */
    readonly find: (key: string, folder: string) => Effect.Effect<DreamProject | null>
  }
>()("dd/services/dream/DreamProjects") {}
