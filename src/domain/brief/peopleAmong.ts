/** The people who mostly worked on the changed files, and their owners. */
import { type PastCommit, touching } from "../change/PastCommit.ts"
import { compareText } from "../text/compareText.ts"
import { globFault, pathGlob } from "../text/PathGlob.ts"
import type { Person } from "./History.ts"

const mostPeople = 3
/** A larger commit is no sign of knowledge of its files. */
const largestCommit = 30
/** The time after which a commit counts half, in seconds. */
const halfLife = 365 * 86_400

const isProgram = (name: string): boolean => /\[bot\]|\bbot$|^(?:dependabot|renovate|github|pre-commit)/i.test(name)

/** `changed`: paths on the base side; `owners`: the text of CODEOWNERS. */
export const peopleAmong = (
  commits: ReadonlyArray<PastCommit>,
  changed: ReadonlyArray<string>,
  owners: string | null
): ReadonlyArray<Person> => {
  const wanted = new Set(changed)
  const now = commits[0]?.time ?? 0
  const authors = new Map<string, { score: number; commits: number; readonly latest: string }>()
  for (const { commit, names } of touching(commits, changed)) {
    const { author, date, files, time } = commit
    if (files.length > largestCommit || author === "" || isProgram(author)) continue
    const touched = names.filter((name) => wanted.has(name)).length
    const known = authors.get(author) ?? { score: 0, commits: 0, latest: date }
    authors.set(author, known)
    known.commits++
    known.score += touched * 0.5 ** ((now - time) / halfLife)
  }
  const ranked = [...authors].sort(([a, x], [b, y]) => y.score - x.score || compareText(a, b))
  const [owner] = owners === null ? [] : ownersOf(owners, changed)
  const isOwner = (name: string) => owner !== undefined && plain(name) === plain(owner)
  const isKnown = ranked.slice(0, mostPeople).some(([name]) => isOwner(name))
  const kept = ranked.slice(0, owner === undefined || isKnown ? mostPeople : mostPeople - 1)
  const people = kept.map(([name, { commits, latest }]): Person => ({ name, commits, latest, owner: isOwner(name) }))
  return owner === undefined || isKnown ? people : [...people, { name: owner, commits: 0, latest: null, owner: true }]
}

/** An account often has the person's name without spaces. */
const plain = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "")

/** Who owns the most of these files, first; the last pattern that matches decides. */
const ownersOf = (text: string, paths: ReadonlyArray<string>): ReadonlyArray<string> => {
  const rules = text.split("\n").flatMap((line) => {
    const [pattern = "", ...names] = line
      .replace(/(?:^|\s)#.*/, "")
      .trim()
      .split(/\s+/)
    return globFault(pattern) === null ? [{ matches: pathGlob(pattern), names }] : []
  })
  const counts = new Map<string, number>()
  for (const path of paths) {
    for (const name of rules.findLast(({ matches }) => matches(path))?.names ?? []) {
      counts.set(name, (counts.get(name) ?? 0) + 1)
    }
  }
  return [...counts].sort(([a, x], [b, y]) => y - x || compareText(a, b)).map(([name]) => name)
}
