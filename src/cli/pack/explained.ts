/** Why a file is in a pack or not, in sentences. */
import { type ContextPack, selectionOf } from "../../domain/pack/ContextPack.ts"
import { signals } from "../../domain/pack/fuse.ts"
import { type Candidate, unreachable } from "../../domain/pack/Pack.ts"

/** `written`: readings of what the user wrote, of which the first that is a file counts. */
export const explained = (
  pack: ContextPack,
  written: readonly [string, ...ReadonlyArray<string>]
): ReadonlyArray<string> => {
  const known = new Set([...pack.changed, ...pack.omitted, ...selectionOf(pack)].map(({ path }) => path))
  const path = written.find((each) => known.has(each)) ?? written[0]
  const changed = pack.changed.find((each) => each.path === path)
  if (changed !== undefined) {
    return [`${path} is in the pack: it changed; ${changed.extent}, ${changed.tokens} tokens`]
  }
  const omitted = pack.omitted.find((each) => each.path === path)
  if (omitted !== undefined) return [`${path} changed and is not in the pack: ${omitted.reason}`]
  const selected = selectionOf(pack).find((each) => each.path === path)
  if (selected === undefined) {
    return [
      pack.status === "ok"
        ? `${path} is no file of this side of the change`
        : `${path} did not change, and related files were not looked for: core-over-budget`
    ]
  }
  const { candidate, decision, extent, rank, reason, tokens } = selected
  const first =
    decision === "included"
      ? `${path} is in the pack: ${extent}, ${tokens} tokens`
      : `${path} is not in the pack: ${reason}`
  if (candidate === null || rank === null) return [first]
  return [first, `Rank ${rank} of ${pack.ranked.length}`, ...signalLines(candidate)]
}

const meanings: Readonly<Record<(typeof signals)[number], string>> = {
  imports: "imports between it and the changed files",
  symbols: "names that it defines or uses together with the changed files",
  words: "words of the changed lines",
  history: "earlier commits that changed it together with the changed files",
  path: "similarity of its path"
}

const signalLines = ({ distance, frequency, ranks }: Candidate): ReadonlyArray<string> => [
  ...signals.map((signal) => `  ${meanings[signal]}: ${ranks[signal] === null ? "none" : `rank ${ranks[signal]}`}`),
  distance === unreachable
    ? "  no imports lead to it within three steps"
    : `  ${distance} ${distance === 1 ? "import" : "imports"} away, from ${frequency} changed ${frequency === 1 ? "file" : "files"}`
]
