/**
 * The dismissals in the user's archive: the findings whose last label is `rejected`, in whichever run it was given. Reads bundles, not the index, so that a review
 * opens no database. A run whose files cannot be read has none.
 */
import { Effect, Layer, Option } from "effect"
import { repoSlug } from "../../domain/change/remote/repoSlug.ts"
import type { FindingLabel } from "../../domain/record/FindingLabel.ts"
import { winning } from "../../domain/record/LabelObservation.ts"
import { decodeFindingsFile, numberedIn } from "../../domain/review/FindingsFile.ts"
import type { SessionId } from "../../domain/run/SessionId.ts"
import { compareText } from "../../domain/text/compareText.ts"
import { type Dismissal, Dismissals } from "../agent/Dismissals.ts"
import type { Repository } from "../change/openRepository.ts"
import { Bundles } from "./Bundles.ts"

/** Of runs of this repository: its directory, or the same `owner/name`. */
export const layer = ({ remoteUrl, root }: Pick<Repository, "remoteUrl" | "root">) =>
  Layer.effect(
    Dismissals,
    Effect.gen(function* () {
      const bundles = yield* Bundles
      const slug = remoteUrl === null ? null : repoSlug(remoteUrl)

      const isSame = Effect.fnUntraced(function* (session: SessionId) {
        const manifest = Option.getOrNull(yield* bundles.manifest(session))
        return (
          manifest !== null &&
          (manifest.git.source_path === root ||
            (slug !== null && manifest.git.repo_slug?.toLowerCase() === slug.toLowerCase()))
        )
      })

      const labelsIn = (session: SessionId) =>
        Effect.flatMap(isSame(session), (same) =>
          same ? Effect.map(bundles.labels(session), ({ findings }) => findings) : Effect.succeed([])
        )

      const dismissalOf = Effect.fnUntraced(function* (label: FindingLabel) {
        const file = Option.flatMap(yield* bundles.read(label.session_id, "findings.json"), decodeFindingsFile)
        const found = Option.map(file, numberedIn)
          .pipe(Option.getOrElse(() => []))
          .find(({ id }) => id === label.finding)
        if (found === undefined) return []
        const { fingerprint, line, note } = label
        const dismissal: Dismissal = { file: label.file, line, title: found.title, fingerprint, reason: note }
        return [dismissal]
      })

      const rejected = yield* Effect.cached(
        Effect.gen(function* () {
          const labels = (yield* Effect.forEach(yield* bundles.labelled, labelsIn)).flat()
          return [...Map.groupBy(labels, ({ fingerprint }) => fingerprint).values()]
            .flatMap((each) => winning(each) ?? [])
            .filter(({ verdict }) => verdict === "rejected")
            .toSorted((a, b) => compareText(b.observed_at, a.observed_at))
        })
      )
      return (isMeant, most) =>
        Effect.flatMap(rejected, (labels) => {
          const some = labels.filter(isMeant).slice(0, most)
          return Effect.map(Effect.forEach(some, dismissalOf), (found) => found.flat())
        })
    })
  )
