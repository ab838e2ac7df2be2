/**
 * Task 4: conventions of the project that the session followed or broke. See `domain/dream/tasks/conventions.ts`.
 *
 * The habits of a repository are counted once for each commit.
 */
import { Effect, Layer } from "effect"
import type { RepositoryView } from "../../../domain/dream/RepositoryView.ts"
import { conventionsOf, countRepository, type RepositoryHabits } from "../../../domain/dream/tasks/conventions.ts"
import { DreamTasks } from "../DreamTasks.ts"
import { inParts } from "../inParts.ts"

export const layer = Layer.effectDiscard(
  DreamTasks.use((tasks) => {
    const known = new WeakMap<ReadonlyArray<string>, RepositoryHabits>()
    const habitsOf = Effect.fnUntraced(function* (repository: RepositoryView) {
      const habits = known.get(repository.files) ?? (yield* inParts(countRepository(repository)))
      known.set(repository.files, habits)
      return habits
    })
    return tasks.add({
      place: 4,
      name: "conventions",
      version: 2,
      about: "names, tests, imports, commits and commands that nine of ten files or more have in common",
      always: false,
      budget: 500,
      run: Effect.fn("dream.conventions")(function* (input) {
        const contributions = conventionsOf(input, yield* habitsOf(input.repository))
        const broken = contributions.filter(({ f }) => f > 0).length
        return {
          part: {},
          contributions,
          summary:
            contributions.length === 0 ? "" : `${contributions.length - broken} conventions followed, ${broken} not`
        }
      })
    })
  })
)
