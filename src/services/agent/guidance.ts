/**
 * The notes of a project for its contributors (AGENTS.md, CLAUDE.md, REVIEW.md and others), and its skills for
 * reviewers.
 *
 * Read from the base of the change, so that a change cannot alter the notes for its own review, and treated as data.
 * Links are not followed.
 */
import { Effect } from "effect"
import { frontMatter, skillNames, skillOf } from "../../domain/agent/SkillFile.ts"
import type { Change } from "../../domain/change/Change.ts"
import { compareText } from "../../domain/text/compareText.ts"
import { foldersAbove } from "../../domain/text/foldersAbove.ts"
import { matchesGlob } from "../../domain/text/matchesGlob.ts"
import { builtInProfiles } from "../../prompts/profiles.ts"
import { Sources } from "../change/Sources.ts"

export interface Note {
  readonly path: string
  readonly text: string
}

const readAll = Effect.fnUntraced(function* (paths: ReadonlyArray<string>) {
  const sources = yield* Sources
  yield* sources.preload([], paths)
  const notes: Array<Note> = []
  for (const path of paths) {
    const source = yield* sources.base(path)
    if (source._tag === "Text" && source.text.trim() !== "") notes.push({ path, text: source.text })
  }
  return notes
})

/** Notes, each with the files it applies to. */
const scoped = Effect.fnUntraced(function* (subjects: ReadonlyArray<string>) {
  const sources = yield* Sources
  const paths = yield* Effect.forEach(scopedFolders, sources.baseFolder)
  const wanted = paths.flat().filter((path) => /\.(?:instructions\.md|mdc)$/.test(path))
  const notes = yield* readAll(wanted.slice(0, scopedRead))
  return notes.flatMap(({ path, text }) => {
    const { body, fields } = frontMatter(text)
    const globs = fields.get("applyto") ?? fields.get("globs") ?? ""
    const applies = fields.get("alwaysapply") === "true" || subjects.some((each) => isMatched(globs, each))
    return applies && body.trim() !== "" ? [{ path, text: body.trim() }] : []
  })
})

/** Notes for these files, the nearest first, without duplicates. */
export const notesFor = Effect.fn("Guidance.notesFor")(function* (change: Change, paths: ReadonlyArray<string>) {
  if (change.base._tag === "Unknown" || change.base._tag === "Empty") return []
  const subjects = subjectsOf(change, paths)
  const near = yield* readAll(notePaths(subjects))
  return distinct([...near, ...(yield* scoped(subjects))])
})

/** Skills of the project, from `.daydream/skills` and `.claude/skills`. */
export const skills = Effect.fn("Guidance.skills")(function* (change: Change) {
  if (change.base._tag === "Unknown" || change.base._tag === "Empty") return []
  // Folders in a folder cannot be listed, so all possible names are tried.
  const names = [...builtInProfiles.keys()].flatMap(skillNames)
  const files = skillFolders.flatMap((folder) => names.map((name) => ({ name, path: `${folder}/${name}/SKILL.md` })))
  const notes = new Map((yield* readAll(files.map(({ path }) => path))).map((note) => [note.path, note.text]))
  return files.flatMap(({ name, path }) => {
    const text = notes.get(path)
    return text === undefined ? [] : [skillOf(name, path, text)]
  })
})

/** In order of precedence within a folder. */
const noteNames = ["REVIEW.md", "AGENTS.md", "CLAUDE.md", "GEMINI.md", "BUGBOT.md"]
/** At the top of the repository only. */
const topNotes = [
  ".github/copilot-instructions.md",
  ".claude/CLAUDE.md",
  ".cursor/BUGBOT.md",
  ".cursorrules",
  ".windsurfrules"
]
const scopedFolders = [".github/instructions", ".cursor/rules"]
const scopedRead = 40
const foldersRead = 80
const skillFolders = [".daydream/skills", ".claude/skills"]

/** The names on both sides, so that moving a file does not avoid its notes. */
const subjectsOf = ({ diff }: Change, paths: ReadonlyArray<string>): ReadonlyArray<string> => {
  const given = new Set(paths)
  return [
    ...new Set(
      diff.files
        .filter(({ path }) => given.has(path))
        .flatMap(({ newPath, oldPath }) => [newPath, oldPath])
        .filter((path) => path !== null)
    )
  ]
}

/** Paths of possible notes: the deepest folders first, then those with more of the files. */
export const notePaths = (subjects: ReadonlyArray<string>): ReadonlyArray<string> => {
  const files = new Map<string, number>()
  for (const path of subjects) {
    for (const folder of foldersAbove(path)) files.set(folder, (files.get(folder) ?? 0) + 1)
  }
  const depth = (folder: string) => folder.split("/").length
  const folders = [...files]
    .toSorted(([a, of], [b, than]) => depth(b) - depth(a) || than - of || compareText(a, b))
    .map(([folder]) => folder)
  // The root is always included.
  const near = folders.filter((folder) => folder !== "").slice(0, foldersRead)
  return [...[...near, ""].flatMap((folder) => noteNames.map((name) => `${folder}${name}`)), ...topNotes]
}

const isMatched = (globs: string, path: string): boolean =>
  globs
    .replace(/^[[\]"'\s]+|[[\]"'\s]+$/g, "")
    .split(",")
    .map((glob) =>
      glob
        .trim()
        .replace(/^["']|["']$/g, "")
        .replaceAll("**/", "*")
        .replaceAll("**", "*")
    )
    .some((glob) => glob !== "" && matchesGlob(glob, path))

/** Drops notes that repeat another note or only refer to it (`@AGENTS.md`). */
const distinct = (notes: ReadonlyArray<Note>): ReadonlyArray<Note> => {
  const known = new Set<string>()
  return notes.filter(({ text }) => {
    const words = text.replace(/\s+/g, " ").trim()
    if (known.has(words) || /^@[\w./-]+$/.test(words)) return false
    known.add(words)
    return true
  })
}
