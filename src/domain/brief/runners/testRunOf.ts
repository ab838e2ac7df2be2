/**
 * How a project runs one of its test files, by its manifests and CI files.
 *
 * Nothing of a script gets into a command but its name (`test`, `unit`, `test:…`). Null without evidence of a runner.
 */
import { folderOf, nameOf } from "../../code/Repository.ts"
import { quoted } from "../../system/shellQuote.ts"
import { foldersAbove } from "../../text/foldersAbove.ts"
import { nearestWith, type ProjectFiles, placeIn } from "./ProjectFiles.ts"
import {
  goProject,
  gradleProject,
  jvmBuild,
  mavenProject,
  phpProject,
  pythonProject,
  rustProject,
  targetRun
} from "./projectRun.ts"
import { packageTest, scriptRun } from "./scriptRun.ts"
import type { TestRun } from "./TestRun.ts"

/** `text`: the test's own, for the conditions under which it is compiled. */
type Reader = (path: string, files: ProjectFiles, text: string) => TestRun | null

export const testRunOf: Reader = (path, files, text) => {
  const ending = nameOf(path).split(".").at(-1) ?? ""
  const own = (Object.hasOwn(readers, ending) ? readers[ending] : null)?.(path, files, text) ?? null
  return own ?? (isTypeTest.test(path) ? null : wholeRun(path, files))
}

/** Tests of types, which a type checker runs. */
const isTypeTest = /-d\.[cm]?tsx?$/

/** All tests of the project, by its own command, where its runner is not evident. */
const wholeRun = (path: string, files: ProjectFiles): TestRun | null => {
  for (const folder of foldersAbove(path)) {
    const script = /\.[cm]?[jt]sx?$/.test(path) ? packageTest(folder, files) : null
    const whole = script === null ? targetRun(folder, files) : { ...script, folder, runner: script.command }
    if (whole !== null) return { ...whole, argument: null, separator: " ", takesFolder: false }
  }
  return null
}

/** The path below a folder; one that begins with a hyphen is not an option. */
const below = (folder: string, path: string): string => {
  const inside = path.slice(folder.length)
  return inside.startsWith("-") ? `./${inside}` : inside
}

const several = { separator: " ", takesFolder: false } as const
const single = { separator: "\n", takesFolder: false } as const

const python: Reader = (path, files) => {
  const project = pythonProject(path, files)
  if (project === null) return null
  const { folder, runner } = project
  if (runner === "django") return { ...project, argument: moduleOf(path.slice(folder.length)), ...several }
  const argument = below(folder, path)
  const direct = { call: `python3 -m ${runner}`, argument }
  return { ...project, direct, argument, ...several, takesFolder: runner === "pytest" }
}

const moduleOf = (path: string): string => path.replace(/\.py$/, "").replaceAll("/", ".")

/** The tag of a build constraint that is only one; an operating system is none that can be set. */
const goTag = (text: string): string => {
  const tag = /^\/\/go:build (\w+)\r?$/m.exec(text.slice(0, headLength))?.[1] ?? null
  return tag === null || systems.has(tag) ? "" : ` -tags ${tag}`
}
const systems = new Set("linux windows darwin unix freebsd openbsd netbsd amd64 arm64 cgo race ignore".split(" "))

/** Features that the whole file requires, and those that the manifest requires for its target. */
const rustFeatures = (text: string, ofTarget: ReadonlyArray<string>): string => {
  const condition = /^#!\[cfg\(([\s\S]*?)\)\]/m.exec(text.slice(0, headLength))?.[1] ?? ""
  const required = condition.replace(/\b(?:not|any)\([^()]*\)/g, "")
  const ofFile = [...required.matchAll(/\bfeature\s*=\s*"([\w-]+)"/g)].map(([, name]) => name)
  const features = new Set([...ofFile, ...ofTarget])
  return features.size === 0 ? "" : ` --features ${[...features].join(",")}`
}

/** Conditions are near the start of a file. */
const headLength = 4_000

const go: Reader = (path, files, text) => {
  const project = goProject(path, files)
  if (project === null) return null
  const argument = `./${folderOf(path).slice(project.folder.length).replace(/\/$/, "")}`.replace(/^\.\/$/, ".")
  return { ...project, command: `go test${goTag(text)}`, argument, ...several }
}

const rust: Reader = (path, files, text) => {
  const project = rustProject(path, files)
  if (project === null) return null
  const { crate, manifest, targets } = project
  const inside = path.slice(crate.length)
  const isListed = /^autotests\s*=\s*false/m.test(files.text(manifest))
  const target =
    targets.find((each) => each.path === inside) ?? targets.find((each) => isPartOf(inside, each.path, isListed))
  const command = `${project.command}${rustFeatures(text, target?.features ?? [])}`
  const { folder, runner, source } = project
  const run = { runner, source, folder, ...several }
  const isRoot = (root: string) => files.in(`${crate}${folderOf(root)}`, /\.rs$/).includes(`${crate}${root}`)
  if (inside.startsWith("tests/")) {
    const first = inside.slice("tests/".length).replace(/\.rs$/, "").split("/")[0] ?? ""
    const root =
      target?.path ?? [`tests/${first}.rs`, `tests/${first}/main.rs`].find((each) => each === inside || isRoot(each))
    if (root === undefined) return null
    const argument = target?.name ?? first
    if (root === inside) return { ...run, command, option: "--test", argument }
    return { ...run, command: `${command} --test ${quoted(argument)} --`, argument: `${modulesOf(root, inside)}::` }
  }
  if (!inside.startsWith("src/")) return { ...run, command, argument: null }
  const program = /^src\/bin\/([^/]+?)(?:\.rs$|\/)/.exec(inside)?.[1]
  if (program !== undefined) {
    const modules = modulesOf(`src/bin/${program}/main.rs`, inside)
    const isWhole = inside === `src/bin/${program}.rs` || modules === "main"
    const ofProgram = `${command} --bin ${quoted(program)}`
    return isWhole
      ? { ...run, command: ofProgram, argument: null }
      : { ...run, command: `${ofProgram} --`, argument: modules }
  }
  if (inside === "src/lib.rs") return { ...run, command: `${command} --lib`, argument: null }
  if (inside === "src/main.rs") return { ...run, command: `${command} --bins`, argument: null }
  const kinds = `${isRoot("src/lib.rs") ? " --lib" : ""}${isRoot("src/main.rs") ? " --bins" : ""}`
  return { ...run, command: `${command}${kinds} --`, argument: modulesOf("src/lib.rs", inside) }
}

/** Is the file a module of this target? `isListed`: the manifest lists all targets in `tests`. */
const isPartOf = (path: string, root: string, isListed: boolean): boolean => {
  const folder = folderOf(root)
  return folder === "tests/" ? isListed && folderOf(path) === folder : path.startsWith(folder)
}

/** The path of a module below the root of its target. */
const modulesOf = (root: string, path: string): string =>
  path
    .slice(folderOf(root).length)
    .replace(/\.rs$/, "")
    .split("/")
    .filter((part) => part !== "mod")
    .join("::")

/** The class of a file below a folder of sources, and the folder's name: `src/test/java/a/BTest.java`. */
const sourceSet = /^(?<module>.*?)src\/(?<set>\w+)\/(?:java|kotlin|groovy|scala)\/(?<type>.+)\.\w+$/

const jvm: Reader = (path, files) => {
  const build = jvmBuild(path, files)
  const found = sourceSet.exec(path)?.groups
  if (build === null || found === undefined) return null
  const { set = "", type = "" } = found
  if (!/^[\w/]+$/.test(type)) return null
  return build.isMaven ? mavenRun(path, build.file, type, files) : gradleRun(path, build.file, set, type, files)
}

const gradleRun = (path: string, build: string, set: string, type: string, files: ProjectFiles): TestRun | null => {
  const task = set === "commonTest" ? "jvmTest" : set
  if (!/test/i.test(task) || /android(?:Instrumented)?Test$/.test(task)) return null
  const project = gradleProject(path, build, task, files)
  return { ...project, option: "--tests", argument: type.replaceAll("/", "."), ...several }
}

const mavenRun = (path: string, build: string, type: string, files: ProjectFiles): TestRun => {
  const project = mavenProject(path, build, files)
  const part = project.command.includes(" -pl ") ? " -Dsurefire.failIfNoSpecifiedTests=false" : ""
  return {
    ...project,
    command: `${project.command}${part} -Dtest=`,
    argument: type.split("/").at(-1) ?? type,
    separator: ",",
    takesFolder: false
  }
}

const ruby: Reader = (path, files) => {
  const gemfile = nearestWith(files, path, /^(?:Gemfile|Rakefile)$/)
  if (gemfile === null) return null
  const folder = folderOf(gemfile)
  const source = { file: gemfile, line: 0 }
  const argument = below(folder, path)
  if (path.endsWith("_spec.rb")) {
    const named = placeIn(files, gemfile, /\brspec/) ?? source
    return {
      runner: "rspec",
      source: named,
      folder,
      command: "bundle exec rspec",
      argument,
      ...several,
      takesFolder: true
    }
  }
  if (folder === "" && files.in("bin/", /^rails$/).length > 0) {
    return { runner: "rails test", source, folder, command: "bin/rails test", argument, ...several, takesFolder: true }
  }
  const command = "bundle exec ruby -Ilib:test"
  return { runner: "minitest", source, folder, command, argument, ...single }
}

const elixir: Reader = (path, files) => {
  const manifest = nearestWith(files, path, /^mix\.exs$/)
  if (manifest === null) return null
  const folder = folderOf(manifest)
  const source = { file: manifest, line: 0 }
  return {
    runner: "mix test",
    source,
    folder,
    command: "mix test",
    argument: below(folder, path),
    ...several,
    takesFolder: true
  }
}

const php: Reader = (path, files) => {
  const project = phpProject(path, files)
  return project === null ? null : { ...project, argument: below(project.folder, path), ...single }
}

const dotnet: Reader = (path, files) => {
  const project = nearestWith(files, path, /\.(?:cs|fs|vb)proj$/)
  if (project === null) return null
  const type = nameOf(path).replace(/\.\w+$/, "")
  return {
    runner: "dotnet test",
    source: { file: project, line: 0 },
    folder: "",
    command: `dotnet test ${quoted(below("", project))} --filter`,
    argument: `FullyQualifiedName~${type}`,
    separator: "|",
    takesFolder: false
  }
}

const swift: Reader = (path, files) => {
  const manifest = nearestWith(files, path, /^Package\.swift$/)
  if (manifest === null) return null
  const type = nameOf(path).replace(/\.swift$/, "")
  const source = { file: manifest, line: 0 }
  return {
    runner: "swift test",
    source,
    folder: folderOf(manifest),
    command: "swift test --filter",
    argument: type,
    separator: "|",
    takesFolder: false
  }
}

const readers: Readonly<Record<string, Reader>> = {
  py: python,
  go,
  rs: rust,
  java: jvm,
  kt: jvm,
  groovy: jvm,
  scala: jvm,
  rb: ruby,
  exs: elixir,
  php,
  cs: dotnet,
  fs: dotnet,
  vb: dotnet,
  swift,
  ...Object.fromEntries(
    ["js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts"].map((ending) => [ending, scriptRun] as const)
  )
}
