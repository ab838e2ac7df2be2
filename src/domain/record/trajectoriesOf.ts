/** Builds all trajectories from a complete journal. */
import { Trajectory, type TrajectoryStep } from "./Trajectory.ts"
import { TrajectoryFold } from "./TrajectoryFold.ts"
import { endsWell, type JournalLine } from "./TrajectoryJournal.ts"

export const trajectoriesOf = (
  lines: ReadonlyArray<JournalLine | null>,
  siblingPath: (name: string) => string = (name) => `trajectories/${name}.json`
): { readonly root: Trajectory; readonly siblings: ReadonlyMap<string, Trajectory> } => {
  const partial = !lines.some((line) => line !== null && endsWell(line))
  const fold = new TrajectoryFold({ partial, siblingPath })
  const all = [...lines.flatMap((line) => fold.push(line)), ...fold.finish()]
  const steps = Map.groupBy(all, ({ trajectory }) => trajectory)
  const trajectoryOf = (name: string | null): Trajectory => {
    const [first, ...rest] = (steps.get(name) ?? []).map(({ step }): TrajectoryStep => step)
    if (first === undefined) throw new Error("a trajectory has no step")
    return Trajectory.make({ ...fold.head(name), steps: [first, ...rest], ...fold.tail(name) })
  }
  return { root: trajectoryOf(null), siblings: new Map(fold.siblings.map((name) => [name, trajectoryOf(name)])) }
}
