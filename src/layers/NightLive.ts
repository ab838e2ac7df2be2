/** A night of one repository: its corpus, the archive, and what keeps the machine awake. */
import { Layer } from "effect"
import type { Repository } from "../services/change/openRepository.ts"
import { LabelledReviews } from "../services/night/LabelledReviews.ts"
import { NightFiles } from "../services/night/NightFiles.ts"
import * as ArchiveLive from "./ArchiveLive.ts"
import * as Directory from "./night/corpus/Directory.ts"
import * as KeepAwake from "./night/KeepAwake.ts"

/** `home`: dd's own directory. `archive`: that of the archive. `roots`: the working trees of the repository. */
export const layer = (
  home: string,
  archive: string,
  repository: Repository & { readonly root: string },
  roots: ReadonlyArray<string>
) =>
  LabelledReviews.layer(repository, roots).pipe(
    Layer.provideMerge(Layer.mergeAll(ArchiveLive.layer(archive), Directory.layer(home, repository), KeepAwake.layer()))
  )

/** The directory of the report. `pointer`: the file that names the newest one. */
export const directory = (path: string, pointer: string | null) => NightFiles.layer(path, pointer)
