/** Classifies a file by its path: test, fixture, generated, vendored, lock file. Forward slashes, as git prints them. */

import { foldersAbove } from "../text/foldersAbove.ts"
import { globFault, pathGlob } from "../text/PathGlob.ts"
import { gitWords } from "../text/quotePath.ts"
import { isTestFile } from "./TestFile.ts"

const careless = new Set([
  "__mocks__",
  "testing",
  "testdata",
  "testfixtures",
  "test-data",
  "fixture",
  "fixtures",
  "example",
  "examples",
  "sample",
  "samples",
  "demo",
  "demos",
  "benchmark",
  "benchmarks",
  "bench",
  "benches",
  "stories"
])

/** Source sets of Gradle (`jvmTest`, `integrationTest`), and `t/unit` of projects with a test folder named `t`. */
const testSources = /(?:^|\/)(?:[a-z][A-Za-z]*Test|t\/(?:unit|integration|smoke))\//

/** Tests, examples, fixtures and benchmarks, which some rules skip. */
export const isTestPath = (path: string): boolean => {
  // Below `src/main` a folder is part of the name of a package.
  const own = path.replace(/((?:^|\/)src\/main\/).*\//, "$1")
  return (
    isTestFile(own) ||
    testSources.test(own) ||
    /[.-](?:stories|bench)\.[cm]?[jt]sx?$/.test(own) ||
    own
      .split("/")
      .slice(0, -1)
      .some((folder) => careless.has(folder.toLowerCase()))
  )
}

const fixtureWords = new Set(["fixture", "fixtures", "testdata", "testfixtures"])
/** Below a folder of tests. */
const dataWords = new Set(["data", "resources", "golden", "goldens", "corpus", "inputs", "snapshots"])
const exampleWords = new Set(["example", "examples", "playground", "playgrounds", "sample", "samples", "demo", "demos"])
const testWords = new Set(["test", "tests", "testing", "spec", "specs", "e2e", "template", "templates"])

const manifests = new Set(["package.json", "go.mod", "Cargo.toml", "pyproject.toml", "setup.py"])

/**
 * Are all these files in one fixture tree? A folder of fixtures is one, and a folder of data in a folder of tests; a
 * folder of tests or examples is one if it contains several packages. A finding that also concerns a file outside of the
 * tree is about the project.
 */
export const isWithinFixtures = (files: ReadonlyArray<string>, repository: Iterable<string>): boolean => {
  const [first] = files
  if (first === undefined) return false
  return foldersAbove(first).some((folder) => {
    if (!files.every((file) => file.startsWith(folder))) return false
    const [name = "", ...above] = folder.toLowerCase().split("/").slice(0, -1).reverse()
    if (dataWords.has(name) && above.some((each) => testWords.has(each))) return true
    const words = [name.replace(/[_-]/g, ""), ...name.split(/[_.-]+/)]
    if (words.some((word) => fixtureWords.has(word))) return true
    const isExample = words.some((word) => exampleWords.has(word))
    if (!isExample && !words.some((word) => testWords.has(word))) return false
    const roots = packagesIn(folder, repository, isExample)
    return roots.size > 1 && files.every((file) => foldersAbove(file).some((above) => roots.has(above)))
  })
}

/** Packages below a folder. Tests are often Python packages themselves, so `__init__.py` counts only below examples. */
const packagesIn = (folder: string, repository: Iterable<string>, isExample: boolean): ReadonlySet<string> => {
  const roots = new Set<string>()
  for (const path of repository) {
    const at = path.lastIndexOf("/") + 1
    if (at <= folder.length || !path.startsWith(folder)) continue
    const name = path.slice(at)
    if (manifests.has(name) || (isExample && name === "__init__.py")) roots.add(path.slice(0, at))
  }
  return roots
}

/** Folders of third-party code, at any depth. */
export const vendoredFolders: ReadonlySet<string> = new Set([
  "node_modules",
  "bower_components",
  "vendor",
  "vendored",
  "_vendor",
  "third_party",
  "thirdparty",
  "third-party",
  "site-packages",
  "Pods",
  "Carthage",
  "Godeps"
])

/** Elixir's dependencies, only at the top of a project: elsewhere it is an ordinary folder name. */
export const vendoredAtTop = "deps"

/** Lock files, generated and vendored code: checked by rules, and shown to a model only on request. */
export const isMachineWritten = (path: string): boolean =>
  isLockfile(path) || isGeneratedPath(path) || isVendoredPath(path)

const vendored = new RegExp(
  `^${vendoredAtTop}/|(?:^|/)(?:${[...vendoredFolders].map((name) => RegExp.escape(name)).join("|")})/`
)

/** Third-party code in the repository. */
export const isVendoredPath = (path: string): boolean => vendored.test(path)

const generatedFolders = new Set(["dist", "__generated__", ".next", ".nuxt", ".svelte-kit", ".turbo"])

const generatedFile = [
  /\.min\.(js|css|mjs|cjs)$/,
  /\.bundle\.js$/,
  /\.(js|css|mjs|cjs)\.map$/,
  /\.pb\.(go|swift|cc|h)$/,
  /_pb2(_grpc)?\.pyi?$/,
  /_pb\.(js|d\.ts)$/,
  /\.(g|freezed)\.dart$/,
  /\.designer\.(cs|vb)$/i,
  /^zz_generated\..*\.go$/,
  /\.snap$/
]

/** Generated, and overwritten at the next build. */
export const isGeneratedPath = (path: string): boolean => {
  const segments = path.split("/")
  const name = segments.pop() ?? ""
  return segments.some((segment) => generatedFolders.has(segment)) || generatedFile.some((form) => form.test(name))
}

/** Does the path end with one of these, in any case? */
export const hasEnding = (path: string, endings: ReadonlyArray<string>): boolean => {
  const name = path.toLowerCase()
  return endings.some((ending) => name.endsWith(ending.toLowerCase()))
}

/** Code that nobody reviewed where it was: that of others, or of a generator. */
export const isUnreviewedPath = (path: string): boolean =>
  isVendoredPath(path) || isGeneratedPath(path) || /(?:^|\/)generated\//i.test(path)

/** The lines at the start of a file that may have the marker of a generated file: a licence may precede it. */
const headerLines = 40

const generatedMark = [
  // Go's convention, which most generators for other languages copied.
  /^\W*Code generated .* DO NOT EDIT\.?\W*$/,
  /^\W*@generated\b/,
  /^\W*(This (file|code)|Auto-?generated|Autogenerated)\b.*\b(do not (edit|modify)|automatically generated|auto-?generated)\b/i,
  /^\W*Generated by\b.*\bdo not edit\b/i
]

/** Does the header contain a marker of a generated file? */
export const isMarkedGenerated = (lines: ReadonlyArray<string>): boolean =>
  lines.slice(0, headerLines).some((line) => line.length < 300 && generatedMark.some((mark) => mark.test(line)))

/** The files that a `.gitattributes` file gives this attribute; the last pattern that matches decides. */
export const markedInAttributes = (
  text: string,
  attribute: "linguist-generated" | "linguist-vendored" = "linguist-generated"
): ((path: string) => boolean) => {
  const named = new RegExp(`^[-!]?${attribute}(?:=|$)`)
  const given = new RegExp(`^${attribute}(?:=true)?$`)
  const marks = text.split("\n").flatMap((line) => {
    const [pattern = "", ...attributes] = gitWords(line).map(({ word }) => word)
    const mark = attributes.find((each) => named.test(each))
    if (mark === undefined || pattern.startsWith("#") || globFault(pattern) !== null) return []
    return [{ matches: pathGlob(pattern), isGiven: given.test(mark) }]
  })
  return (path) => marks.findLast(({ matches }) => matches(path))?.isGiven === true
}

const lockfiles = new Set([
  "package-lock.json",
  "npm-shrinkwrap.json",
  "yarn.lock",
  "pnpm-lock.yaml",
  "bun.lock",
  "bun.lockb",
  "deno.lock",
  "poetry.lock",
  "pdm.lock",
  "uv.lock",
  "Pipfile.lock",
  "pixi.lock",
  "Cargo.lock",
  "go.sum",
  "go.work.sum",
  "mix.lock",
  "Gemfile.lock",
  "composer.lock",
  "Podfile.lock",
  "Package.resolved",
  "Cartfile.resolved",
  "pubspec.lock",
  "gradle.lockfile",
  "flake.lock",
  "packages.lock.json"
])

/** A package manager's record of exact versions. */
export const isLockfile = (path: string): boolean => lockfiles.has(path.slice(path.lastIndexOf("/") + 1))

/** The columns of a long line, and the size from which the shape of a file is significant. */
const longLine = 1_000
const leastSize = 4_000

/** Some bundlers break lines at 500 columns: these have few spaces, unlike prose and code. */
const packedLine = 350
const isPacked = (line: string): boolean => (line.match(/\s/g) ?? []).length * 12 < line.length

/** Does the file consist mostly of very long lines? Then it is a bundle or data, and a finding would have no useful position. */
export const isMinified = (lines: ReadonlyArray<string>): boolean => {
  let all = 0
  let long = 0
  for (const line of lines) {
    const { length } = line
    all += length
    if (length > longLine || (length > packedLine && isPacked(line))) long += length
  }
  return all > leastSize && long * 2 > all
}

/** By its name: a file that nobody writes as text. */
export const isBinaryPath = (path: string): boolean =>
  /\.(?:png|jpe?g|gif|webp|avif|bmp|tiff?|ico|icns|psd|woff2?|[to]tf|eot|mp[34]|m4a|mov|avi|webm|wav|flac|ogg|pdf|docx|xlsx|pptx|zip|gz|tgz|xz|bz2|zst|7z|rar|jar|war|class|pyc|so|dll|dylib|exe|[ao]|obj|lib|wasm|bin|dat|npy|npz|pkl|pth?|onnx|safetensors|parquet|sqlite3?)$/i.test(
    path
  )
