/**
 * Where the files of one trajectory are: the journal while the run works, the document after it, siblings beside it.
 *
 * `trajectory.json` has its siblings in `trajectories/`, any other `x.json` in `x.trajectories/`. A name that ends in
 * `.partial` is not the record of a run that ended well: `trajectory.jsonl.partial` is the journal,
 * `trajectory.json.partial` a document as good as the record goes. Paths have forward slashes.
 */
export interface TrajectoryPlaces {
  readonly document: string
  readonly journal: string
  /** The directory of the siblings, by itself and relative to the document. */
  readonly siblings: string
  readonly siblingsName: string
}

const journalEnd = ".jsonl.partial"

export const placesOf = (document: string): TrajectoryPlaces => {
  const base = document.replace(/\.json$/, "")
  const slash = base.lastIndexOf("/")
  const name = base.slice(slash + 1)
  const siblingsName = name === "trajectory" ? "trajectories" : `${name}.trajectories`
  return { document, journal: base + journalEnd, siblings: base.slice(0, slash + 1) + siblingsName, siblingsName }
}

/** The places of a journal; null for a path that is none. */
export const placesOfJournal = (path: string): TrajectoryPlaces | null =>
  path.endsWith(journalEnd) ? placesOf(`${path.slice(0, -journalEnd.length)}.json`) : null

/** The name a document gets by how its run ended. */
export const documentName = (name: string, partial: boolean): string => (partial ? `${name}.partial` : name)
