/**
 * Assigns the files of a change to stacks.
 *
 * Every path is in `structure` and in exactly one other stack; the order of the paths has no effect. A change of documents
 * only has no `structure`.
 */

import { nameOf } from "../domain/code/Repository.ts"
import type { Stack, StackName, StackRule } from "../domain/code/Stack.ts"
import { compareText } from "../domain/text/compareText.ts"
import { foldersAbove } from "../domain/text/foldersAbove.ts"
import { matchesGlob } from "../domain/text/matchesGlob.ts"
import { languages } from "./languages.ts"
import { readingOf } from "./reading.ts"

export interface StackHints {
  readonly stackRules: ReadonlyArray<StackRule>
  /** Texts of marker files at the head, by path; `stackMarkers` lists them. */
  readonly markers: ReadonlyMap<string, string>
  /** Lines of the files of which the text decides what their code is. */
  readonly texts: ReadonlyMap<string, ReadonlyArray<string>>
}

const stackFiles = Object.values(languages).flatMap(({ stack }) => stack ?? [])

/** The possible stacks of files that belong to a stack only if the change has other files of it. */
const owners = Map.groupBy(
  stackFiles.flatMap(({ name, owned }) => owned.map((file) => ({ file, name }))),
  ({ file }) => file
)

export const detectStacks = (paths: ReadonlyArray<string>, hints: StackHints): ReadonlyArray<Stack> => {
  const files = [...new Set(paths)].sort(compareText)
  if (files.length === 0) return []
  const claimed = new Map<string, StackName>()
  for (const file of files) {
    const stack = ownStack(file, hints)
    if (stack !== null) claimed.set(file, stack)
  }
  const present = new Set([...claimed.values()].filter((stack) => stack !== "generic"))
  const folders = stacksByFolder(claimed)
  const stacks = new Map<StackName, Array<string>>()
  for (const file of files) {
    const stack = claimed.get(file) ?? promoted(file, present, hints) ?? neighbours(file, present, folders)
    const members = stacks.get(stack)
    if (members === undefined) stacks.set(stack, [file])
    else members.push(file)
  }
  const named = [...stacks].map(([name, members]): Stack => ({ name, files: members }))
  const languages = named.filter(isLanguage).sort((a, b) => compareText(a.name, b.name))
  const generic = named.filter(({ name }) => name === "generic")
  const docsOnly = languages.length === 0 && files.every(isDocument)
  return [...languages, ...generic, ...(docsOnly ? [] : [{ name: "structure", files }])]
}

/** The marker files for these paths: the nearest `package.json` above each script. */
export const stackMarkers = (paths: ReadonlyArray<string>, headPaths: ReadonlySet<string>): ReadonlyArray<string> => {
  const markers = new Set<string>()
  for (const path of paths) {
    const isScript = stackOf(path, undefined) === "typescript"
    if (!isScript && nameOf(path) !== "package.json") continue
    const marker = foldersAbove(path)
      .map((folder) => `${folder}package.json`)
      .find((at) => headPaths.has(at))
    if (marker !== undefined) markers.add(marker)
  }
  return [...markers].sort(compareText)
}

export interface Collapsed {
  /** A tiny change: no arbiter and no merging of several reviewers. */
  readonly single: boolean
  readonly stacks: ReadonlyArray<Stack>
}

/**
 * A change of at most `threshold` files has one reviewer besides `structure`: a single language gets the generic files,
 * several languages become `generic`. `react` and `typescript` are one language here. A threshold of 0
 * turns this off.
 */
export const collapseTiny = (stacks: ReadonlyArray<Stack>, threshold: number): Collapsed => {
  const files = [...new Set(stacks.flatMap((stack) => stack.files))].sort(compareText)
  if (files.length === 0 || files.length > threshold) return { single: false, stacks }
  const readers = stacks.filter(({ name }) => name !== "structure")
  if (readers.length <= 1) return { single: true, stacks }
  const languages = new Set(readers.filter(isLanguage).map(({ name }) => name))
  if (languages.has("react")) languages.delete("typescript")
  const [language, ...others] = languages
  const name = language !== undefined && others.length === 0 ? language : "generic"
  return { single: true, stacks: [{ name, files }, ...stacks.filter((stack) => stack.name === "structure")] }
}

/** The stack of the code of a file. */
const stackOf = (path: string, lines: ReadonlyArray<string> | undefined): StackName | null => {
  const code = readingOf(path, lines ?? null)
  return code === null || typeof code === "string" ? null : (languages[code.grammar].stack?.name ?? null)
}

const isLanguage = ({ name }: Stack): boolean => name !== "generic" && name !== "structure"

const isDocument = (path: string): boolean => /\.mdx?$/i.test(path)

/** The stack of a path; null if it depends on the rest of the change. */
const ownStack = (path: string, hints: StackHints): StackName | null => {
  const { markers, stackRules, texts } = hints
  const rule = stackRules.find(({ patterns }) => patterns.some((pattern) => matchesGlob(pattern, path)))
  if (rule !== undefined) return rule.name === "structure" ? "generic" : rule.name
  if (/\.md$/i.test(path)) return "generic"
  if (owners.has(nameOf(path))) return null
  const stack = stackOf(path, texts.get(path))
  return stack === "typescript" && nearestDependsOnReact(path, markers) ? "react" : stack
}

/** The stack of ownership and configuration files: their owner if it is present, else `generic`; null for other files. */
const promoted = (path: string, present: ReadonlySet<StackName>, { markers }: StackHints): StackName | null => {
  const name = nameOf(path)
  const known = owners.get(name)
  if (known !== undefined) {
    const there = [...new Set(known.map((each) => each.name))].filter((stack) => present.has(stack))
    return there.length < 2 ? (there[0] ?? "generic") : nearestDependsOnReact(path, markers) ? "react" : "typescript"
  }
  const isConfiguration =
    /\.(?:ya?ml|toml)$/i.test(name) || /^Dockerfile/.test(name) || /(?:^|\/)\.github\/workflows\//.test(path)
  return isConfiguration || /(?:^|\/)CODEOWNERS$/.test(path) ? "generic" : null
}

/** The only stack of the change, or of the nearest folder above with any. */
const neighbours = (
  path: string,
  present: ReadonlySet<StackName>,
  folders: ReadonlyMap<string, ReadonlySet<StackName>>
): StackName => {
  if (present.size <= 1) return [...present][0] ?? "generic"
  for (const folder of foldersAbove(path)) {
    const living = folders.get(folder)
    if (living !== undefined) return living.size === 1 ? [...living][0]! : "generic"
  }
  return "generic"
}

const stacksByFolder = (claimed: ReadonlyMap<string, StackName>): ReadonlyMap<string, ReadonlySet<StackName>> => {
  const folders = new Map<string, Set<StackName>>()
  for (const [path, stack] of claimed) {
    if (stack === "generic") continue
    for (const folder of foldersAbove(path)) {
      const living = folders.get(folder) ?? new Set()
      folders.set(folder, living.add(stack))
    }
  }
  return folders
}

const nearestDependsOnReact = (path: string, markers: ReadonlyMap<string, string>): boolean => {
  const marker = foldersAbove(path)
    .map((folder) => markers.get(`${folder}package.json`))
    .find((text) => text !== undefined)
  return marker !== undefined && dependsOnReact(marker)
}

/** Does the package depend on React? False if package.json cannot be parsed. */
const dependsOnReact = (packageJson: string): boolean =>
  /"(?:react|react-dom|react-native|preact|next)"\s{0,20}:\s{0,20}"/.test(packageJson)
