/** The files of a project that decide how its tests are run: manifests, lock files and CI files. */
import { folderOf, nameOf } from "../../code/Repository.ts"
import { compareText } from "../../text/compareText.ts"
import { foldersAbove } from "../../text/foldersAbove.ts"
import type { Place } from "../Place.ts"

export interface ProjectFiles {
  /** In this folder, the files whose names match. */
  readonly in: (folder: string, name: RegExp) => ReadonlyArray<string>
  /** "" for a file that has no text or was not read. */
  readonly text: (path: string) => string
  /** CI files. */
  readonly pipelines: ReadonlyArray<string>
}

const manifest =
  /^(?:pytest\.ini|pyproject\.toml|tox\.ini|setup\.cfg|setup\.py|noxfile\.py|package\.json|go\.mod|Cargo\.toml|build\.gradle(?:\.kts)?|settings\.gradle(?:\.kts)?|pom\.xml|Gemfile|Rakefile|mix\.exs|composer\.json|Package\.swift|requirements[\w.-]*\.(?:txt|in)|(?:GNUm|M|m)akefile|\.?[jJ]ustfile)$/
/** Their presence is enough. */
const marker =
  /^(?:uv\.lock|poetry\.lock|pdm\.lock|Pipfile\.lock|pnpm-lock\.yaml|yarn\.lock|bun\.lockb?|package-lock\.json|gradlew|mvnw|manage\.py|conftest\.py|phpunit\.xml(?:\.dist)?|\.rspec|rails|\.mocharc\.\w+|(?:vitest|jest|playwright|ava)\.config\.\w+|(?:main|lib)\.rs|[^/]+\.(?:(?:cs|fs|vb)proj|slnx?))$/
const pipeline =
  /^(?:\.github\/workflows\/[^/]+\.ya?ml|\.gitlab-ci\.yml|\.circleci\/config\.yml|\.travis\.yml|azure-pipelines\.yml)$/

const pipelinesRead = 12
const manifestsRead = 80

/** The files about these tests: in the folders above them, and the CI files; and those of them whose text is needed. */
export const decidingFiles = (tests: ReadonlyArray<string>, paths: ReadonlyArray<string>) => {
  const above = new Set(["bin/", ...tests.flatMap(foldersAbove)])
  const pipelines = paths.filter((path) => pipeline.test(path)).slice(0, pipelinesRead)
  const near = paths.filter((path) => above.has(folderOf(path)))
  const manifests = near.filter((path) => manifest.test(nameOf(path))).slice(0, manifestsRead)
  const markers = near.filter((path) => marker.test(nameOf(path)))
  return { pipelines, read: [...manifests, ...pipelines], present: [...manifests, ...markers].toSorted(compareText) }
}

export const projectFiles = (
  { pipelines, present }: ReturnType<typeof decidingFiles>,
  texts: ReadonlyMap<string, string>
): ProjectFiles => {
  const byFolder = Map.groupBy(present, folderOf)
  return {
    in: (folder, name) => (byFolder.get(folder) ?? []).filter((path) => name.test(nameOf(path))),
    text: (path) => texts.get(path) ?? "",
    pipelines
  }
}

/** The nearest folder above a file with such a file in it. */
export const nearestWith = (files: ProjectFiles, path: string, name: RegExp): string | null =>
  foldersAbove(path)
    .flatMap((folder) => files.in(folder, name))
    .at(0) ?? null

/** The line of the first match; null without one. */
export const placeIn = (files: ProjectFiles, file: string, form: RegExp): Place | null => {
  const text = files.text(file)
  const at = text.search(form)
  return at < 0 ? null : { file, line: text.slice(0, at).split("\n").length }
}

/** In the files of such a name above the path, nearest first. */
export const placeAbove = (files: ProjectFiles, path: string, name: RegExp, form: RegExp): Place | null => {
  for (const folder of foldersAbove(path)) {
    for (const file of files.in(folder, name)) {
      const place = placeIn(files, file, form)
      if (place !== null) return place
    }
  }
  return null
}

export const placeInPipelines = (files: ProjectFiles, form: RegExp): Place | null => {
  for (const file of files.pipelines) {
    const place = placeIn(files, file, form)
    if (place !== null) return place
  }
  return null
}
