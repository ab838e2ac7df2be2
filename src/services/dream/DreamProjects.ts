/** Finds the repository of a recorded session. A port, because it depends on the platform. */
import { Context, type Effect } from "effect"
import type { DreamProject } from "./DreamStore.ts"

/** `gone`: no folder is there, or they are of other projects. `outside`: one is there, and in no repository. */
export type ProjectFault = "gone" | "outside"

export const isFound = (found: DreamProject | ProjectFault): found is DreamProject => typeof found !== "string"

export class DreamProjects extends Context.Service<
  DreamProjects,
  {
    /** The project with this key around the first of these folders that is in it. */
    readonly find: (key: string, folders: ReadonlyArray<string>) => Effect.Effect<DreamProject | ProjectFault>
  }
>()("dd/services/dream/DreamProjects") {}
