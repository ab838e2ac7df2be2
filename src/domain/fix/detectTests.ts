/**
 * The command that runs the tests of the packages with changed files, by the project's manifests and CI files.
 *
 * In the language of each changed file, the nearest package decides; for other files, the nearest package of any
 * language. Nothing of a file gets into the command but names of folders, crates and modules, quoted.
 */
import { nearestWith, type ProjectFiles, placeAbove, placeIn, placeInPipelines } from "../brief/runners/ProjectFiles.ts"
import {
  goProject,
  gradleProject,
  jvmBuild,
  mavenProject,
  type ProjectRun,
  phpProject,
  pythonProject,
  rustProject,
  targetRun
} from "../brief/runners/projectRun.ts"
import { packageTest, scriptRun } from "../brief/runners/scriptRun.ts"
import { folderOf, nameOf } from "../code/Repository.ts"
import { foldersAbove } from "../text/foldersAbove.ts"
import { commandText, type TestCommand } from "./TestCommand.ts"

/** More packages than this are tested by the command of the whole repository, if it has one. */
const mostPackages = 4

/** `changed`: relative paths; without any, the package at the root is tested. Null without evidence of a runner. */
export const detectTests = (changed: ReadonlyArray<string>, files: ProjectFiles): TestCommand | null => {
  const root = wholeRun(rootFile, files)
  const found = changed.map((path) => wholeRun(path, files)).filter((run) => run !== null)
  const runs = [...new Map(found.map((run) => [commandText(commandOf(run)), run])).values()]
  const [first] = runs
  if (first === undefined || (runs.length > mostPackages && root !== null))
    return root === null ? null : commandOf(root)
  if (runs.length === 1) return commandOf(first)
  const several = runs.slice(0, mostPackages).map(commandOf)
  return {
    command: several.map(commandText).join(" && "),
    directory: "",
    from: several.map(({ from }) => from).join(", ")
  }
}

/** Stands for any file at the root. */
const rootFile = ""

const commandOf = ({ command, folder, source }: ProjectRun): TestCommand => ({
  command,
  directory: folder.replace(/\/$/, ""),
  from: `${source.file}${isScript(source.file, command) ? ": scripts.test" : source.line > 0 ? `:${source.line}` : ""}`
})

const isScript = (file: string, command: string): boolean =>
  nameOf(file) === "package.json" && /^(?:npm test|pnpm test|yarn test|bun run test)$/.test(command)

/** A target `test` takes precedence over the runner of a language if a CI file calls it and not the runner. */
const wholeRun = (path: string, files: ProjectFiles): ProjectRun | null => {
  const own = ofLanguage(path, files) ?? nearestRun(path, files)
  const target = foldersAbove(path)
    .map((folder) => targetRun(folder, files))
    .find((run) => run !== null)
  if (own === null || target === undefined) return own ?? target ?? null
  const isCalled = (command: string) => placeInPipelines(files, new RegExp(literal(command))) !== null
  return isCalled(target.command) && !isCalled(own.command) ? target : own
}

const literal = (text: string): string => text.replace(/[^\w\s]/g, "\\$&")

const ofLanguage = (path: string, files: ProjectFiles): ProjectRun | null => {
  const ending = nameOf(path).split(".").at(-1) ?? ""
  return projects.find(({ endings }) => endings.test(ending))?.read(path, files) ?? null
}

/** Of the packages around a file, the one in the nearest folder. */
const nearestRun = (path: string, files: ProjectFiles): ProjectRun | null =>
  projects
    .map(({ read }) => read(path, files))
    .filter((run) => run !== null)
    .toSorted((a, b) => folderOf(b.source.file).length - folderOf(a.source.file).length)
    .at(0) ?? null

type Reader = (path: string, files: ProjectFiles) => ProjectRun | null

const script: Reader = (path, files) => {
  for (const folder of foldersAbove(path)) {
    const test = packageTest(folder, files)
    if (test !== null) return { ...test, folder, runner: test.command }
  }
  // A package without a script `test`, as it would run a test file of its own.
  const run = scriptRun(`${folderOf(path)}index.test.ts`, files)
  return run === null ? null : { ...run, command: run.command.replace(/ (?:--|--runTestsByPath)$/, "") }
}

const python: Reader = (path, files) => {
  const project = pythonProject(path, files)
  if (project !== null) return project
  const tox = placeAbove(files, path, /^tox\.ini$/, /^\[testenv/m)
  if (tox !== null) return { runner: "tox", source: tox, folder: folderOf(tox.file), command: "tox" }
  const nox = placeAbove(files, path, /^noxfile\.py$/, /^def \w*tests?\w*\(/m)
  if (nox !== null) return { runner: "nox", source: nox, folder: folderOf(nox.file), command: "nox" }
  const configured = nearestWith(files, path, /^conftest\.py$/)
  const source = { file: configured ?? "", line: 0 }
  return configured === null ? null : { runner: "pytest", source, folder: rootOf(configured, files), command: "pytest" }
}

/** pytest is called at the folder of the manifest, so that the project's own modules can be imported. */
const rootOf = (conftest: string, files: ProjectFiles): string => {
  const manifest = nearestWith(files, conftest, /^(?:pyproject\.toml|setup\.(?:py|cfg)|requirements[\w.-]*\.txt)$/)
  return manifest === null ? "" : folderOf(manifest)
}

const go: Reader = (path, files) => {
  const project = goProject(path, files)
  return project === null ? null : { ...project, command: `${project.command} ./...` }
}

const jvm: Reader = (path, files) => {
  const build = jvmBuild(path, files)
  if (build === null) return null
  return build.isMaven ? mavenProject(path, build.file, files) : gradleProject(path, build.file, "test", files)
}

const ruby: Reader = (path, files) => {
  const gemfile = nearestWith(files, path, /^Gemfile$/)
  const rakefile = nearestWith(files, path, /^Rakefile$/)
  const folder = folderOf(gemfile ?? rakefile ?? "")
  const rspec = gemfile === null ? null : placeIn(files, gemfile, /\brspec/)
  const [options] = files.in(folder, /^\.rspec$/)
  const source = rspec ?? (options === undefined ? null : { file: options, line: 0 })
  const bundled = gemfile === null ? "" : "bundle exec "
  if (source !== null) return { runner: "rspec", source, folder, command: `${bundled}rspec` }
  if (files.in("bin/", /^rails$/).length > 0 && folder === "" && gemfile !== null) {
    return { runner: "rails test", source: { file: gemfile, line: 0 }, folder, command: "bin/rails test" }
  }
  const task =
    rakefile === null ? null : placeIn(files, rakefile, /\b(?:Rake::|Minitest::)TestTask\b|\btask\s+:?test\b/)
  return task === null
    ? null
    : { runner: "rake test", source: task, folder: folderOf(task.file), command: `${bundled}rake test` }
}

const php: Reader = (path, files) => {
  const manifest = nearestWith(files, path, /^composer\.json$/)
  const scripted = manifest === null ? null : placeIn(files, manifest, /^[ \t]*"test"\s*:/m)
  return scripted === null
    ? phpProject(path, files)
    : { runner: "composer test", source: scripted, folder: folderOf(scripted.file), command: "composer test" }
}

/** By the file that is enough to run a command. */
const byManifest =
  (name: RegExp, runner: string): Reader =>
  (path, files) => {
    const file = nearestWith(files, path, name)
    return file === null ? null : { runner, source: { file, line: 0 }, folder: folderOf(file), command: runner }
  }

/** A solution has the projects of the tests, too. */
const dotnet: Reader = (path, files) =>
  byManifest(/\.slnx?$/, "dotnet test")(path, files) ?? byManifest(/\.(?:cs|fs|vb)proj$/, "dotnet test")(path, files)

interface Project {
  readonly endings: RegExp
  readonly read: Reader
}

const projects: ReadonlyArray<Project> = [
  { endings: /^(?:[cm]?[jt]sx?|vue|svelte|astro)$/, read: script },
  { endings: /^pyi?$/, read: python },
  { endings: /^go$/, read: go },
  { endings: /^rs$/, read: (path, files) => rustProject(path, files) },
  { endings: /^(?:java|kts?|groovy|scala)$/, read: jvm },
  { endings: /^(?:rb|rake|erb)$/, read: ruby },
  { endings: /^(?:exs?|heex)$/, read: byManifest(/^mix\.exs$/, "mix test") },
  { endings: /^php$/, read: php },
  { endings: /^(?:cs|fs|vb)$/, read: dotnet },
  { endings: /^swift$/, read: byManifest(/^Package\.swift$/, "swift test") }
]
