/**
 * How a project runs one of its test files, by its manifests and CI files.
 *
 * Nothing of a script gets into a command but its name (`test`, `unit`, `test:…`). Null without evidence of a runner.
 */
import { folderOf, nameOf } from "../../code/Repository.ts"
import { foldersAbove } from "../../text/foldersAbove.ts"
import { nearestWith, type ProjectFiles, placeAbove, placeIn, placeInPipelines } from "./ProjectFiles.ts"
import { packageTest, scriptRun } from "./scriptRun.ts"
import { quoted } from "./shellQuote.ts"
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

const targets = [
  { name: /^(?:GNUm|M|m)akefile$/, target: /^test[ \t]*:(?!=)/m, command: "make test" },
  { name: /^\.?justfile$/i, target: /^@?test\b[^\n:=]*:(?!=)/m, command: "just test" }
] as const

/** All tests of the project, by its own command, where its runner is not evident. */
const wholeRun: (path: string, files: ProjectFiles) => TestRun | null = (path, files) => {
  for (const folder of foldersAbove(path)) {
    const whole = { folder, argument: null, separator: " ", takesFolder: false } as const
    const script = /\.[cm]?[jt]sx?$/.test(path) ? packageTest(folder, files) : null
    if (script !== null) return { ...whole, ...script, runner: script.command }
    for (const { command, name, target } of targets) {
      const [source] = files.in(folder, name).flatMap((file) => placeIn(files, file, target) ?? [])
      if (source !== undefined) return { ...whole, source, command, runner: command }
    }
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

const installers = [
  [/^uv\.lock$/, "uv run "],
  [/^poetry\.lock$/, "poetry run "],
  [/^pdm\.lock$/, "pdm run "],
  [/^Pipfile\.lock$/, "pipenv run "]
] as const

const python: Reader = (path, files) => {
  const installer = installers.find(([lock]) => nearestWith(files, path, lock) !== null)?.[1] ?? ""
  const configured =
    placeAbove(files, path, /^\.?pytest\.ini$/, /^\[pytest\]/m) ??
    placeAbove(files, path, /^pyproject\.toml$/, /^\[tool\.pytest\b/m) ??
    placeAbove(files, path, /^tox\.ini$/, /^\[pytest\]/m) ??
    placeAbove(files, path, /^setup\.cfg$/, /^\[tool:pytest\]/m)
  const named =
    placeAbove(
      files,
      path,
      /^(?:pyproject\.toml|tox\.ini|setup\.(?:cfg|py)|noxfile\.py|requirements.*|Makefile)$/,
      /\bpytest\b/
    ) ?? placeInPipelines(files, /\bpytest\b/)
  const source = configured ?? named
  if (source !== null) {
    const folder = folderOf(source.file)
    const root = path.startsWith(folder) ? folder : ""
    const argument = below(root, path)
    return {
      runner: "pytest",
      source,
      folder: root,
      command: `${installer}pytest`,
      argument,
      ...several,
      takesFolder: true
    }
  }
  const django = /\bmanage\.py test\b/
  const manager = nearestWith(files, path, /^manage\.py$/)
  const called =
    manager === null
      ? null
      : (placeAbove(files, path, /^(?:tox\.ini|Makefile|justfile)$/, django) ?? placeInPipelines(files, django))
  if (manager !== null && called !== null) {
    const folder = folderOf(manager)
    const argument = moduleOf(path.slice(folder.length))
    return {
      runner: "django",
      source: called,
      folder,
      command: `${installer}python manage.py test`,
      argument,
      ...several
    }
  }
  const unit = /\bunittest\b/
  const unittest =
    placeAbove(files, path, /^(?:tox\.ini|noxfile\.py|setup\.(?:cfg|py)|Makefile|justfile)$/, unit) ??
    placeInPipelines(files, unit)
  if (unittest === null) return null
  const command = `${installer}python -m unittest`
  return { runner: "unittest", source: unittest, folder: "", command, argument: below("", path), ...several }
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
  const module = nearestWith(files, path, /^go\.mod$/)
  if (module === null) return null
  const folder = folderOf(module)
  const source = placeIn(files, module, /^module\s/m) ?? { file: module, line: 0 }
  const argument = `./${folderOf(path).slice(folder.length).replace(/\/$/, "")}`.replace(/^\.\/$/, ".")
  return { runner: "go test", source, folder, command: `go test${goTag(text)}`, argument, ...several }
}

/** The name after `[package]`, and the targets after `[[test]]`. */
const cargoTables = (text: string) => {
  const tables = text.split(/^(?=\[)/m)
  const field = (table: string, key: string) =>
    new RegExp(`^${key}\\s*=\\s*["']([\\w./-]+)["']`, "m").exec(table)?.[1] ?? null
  const packaged = tables.find((table) => table.startsWith("[package]"))
  return {
    name: packaged === undefined ? null : field(packaged, "name"),
    targets: tables.flatMap((table) => {
      const [name, path] = [field(table, "name"), field(table, "path")]
      if (!table.startsWith("[[test]]") || name === null) return []
      const required = /^required-features\s*=\s*\[([^\]]*)\]/m.exec(table)?.[1] ?? ""
      const features = [...required.matchAll(/["']([\w-]+)["']/g)].map(([, feature]) => feature!)
      return [{ name, path: path ?? `tests/${name}.rs`, features }]
    })
  }
}

const rust: Reader = (path, files, text) => {
  const manifest = foldersAbove(path)
    .flatMap((folder) => files.in(folder, /^Cargo\.toml$/))
    .find((file) => placeIn(files, file, /^\[package\]/m) !== null)
  if (manifest === undefined) return null
  const { name, targets } = cargoTables(files.text(manifest))
  const source = placeIn(files, manifest, /^\[package\]/m)
  if (name === null || source === null) return null
  const crate = folderOf(manifest)
  const workspace = foldersAbove(manifest).find((folder) =>
    files.in(folder, /^Cargo\.toml$/).some((file) => placeIn(files, file, /^\[workspace\]/m) !== null)
  )
  const excluded = workspace !== undefined && workspace !== crate && isExcluded(workspace, crate, files)
  const folder = workspace === undefined || excluded ? crate : workspace
  const inside = path.slice(crate.length)
  const isListed = /^autotests\s*=\s*false/m.test(files.text(manifest))
  const target =
    targets.find((each) => each.path === inside) ?? targets.find((each) => isPartOf(inside, each.path, isListed))
  const package_ = folder === crate && workspace !== crate ? "" : ` -p ${quoted(name)}`
  const command = `cargo test${package_}${rustFeatures(text, target?.features ?? [])}`
  const run = { runner: "cargo test", source, folder, ...several }
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

const isExcluded = (workspace: string, crate: string, files: ProjectFiles): boolean => {
  const text = files.text(`${workspace}Cargo.toml`)
  const listed = /^exclude\s*=\s*\[([^\]]*)\]/m.exec(text)?.[1] ?? ""
  return listed.includes(`"${crate.slice(workspace.length).replace(/\/$/, "")}"`)
}

/** The class of a file below a folder of sources, and the folder's name: `src/test/java/a/BTest.java`. */
const sourceSet = /^(?<module>.*?)src\/(?<set>\w+)\/(?:java|kotlin|groovy|scala)\/(?<type>.+)\.\w+$/

const jvm: Reader = (path, files) => {
  const gradle = nearestWith(files, path, /^build\.gradle(?:\.kts)?$/)
  const maven = nearestWith(files, path, /^pom\.xml$/)
  const isMaven = maven !== null && (gradle === null || folderOf(maven).length > folderOf(gradle).length)
  const build = isMaven ? maven : gradle
  const found = sourceSet.exec(path)?.groups
  if (build === null || found === undefined) return null
  const { set = "", type = "" } = found
  if (!/^[\w/]+$/.test(type)) return null
  return isMaven ? mavenRun(path, build, type, files) : gradleRun(path, build, set, type, files)
}

const gradleRun = (path: string, build: string, set: string, type: string, files: ProjectFiles): TestRun | null => {
  const settings = nearestWith(files, path, /^settings\.gradle(?:\.kts)?$/)
  const root = settings === null ? folderOf(build) : folderOf(settings)
  const wrapper = files.in(root, /^gradlew$/).length > 0 ? "./gradlew" : "gradle"
  const module = folderOf(build)
    .slice(root.length)
    .split("/")
    .filter((part) => part !== "")
  const task = set === "commonTest" ? "jvmTest" : set
  if (!/test/i.test(task) || /android(?:Instrumented)?Test$/.test(task)) return null
  const project = module.length === 0 ? "" : `:${module.join(":")}:`
  const command = `${wrapper} ${quoted(`${project}${task}`)}`
  return {
    runner: "gradle",
    source: { file: build, line: 0 },
    folder: root,
    command,
    option: "--tests",
    argument: type.replaceAll("/", "."),
    ...several
  }
}

const mavenRun = (path: string, build: string, type: string, files: ProjectFiles): TestRun => {
  // The parents of a module are in the folders above it.
  const poms = foldersAbove(path).filter((folder) => files.in(folder, /^pom\.xml$/).length > 0)
  const root = poms.at(-1) ?? ""
  const module = folderOf(build).slice(root.length).replace(/\/$/, "")
  const program = files.in(root, /^mvnw$/).length > 0 ? "./mvnw" : "mvn"
  const part = module === "" ? "" : ` -pl ${quoted(module)} -am -Dsurefire.failIfNoSpecifiedTests=false`
  return {
    runner: "maven",
    source: { file: build, line: 0 },
    folder: root,
    command: `${program} test${part} -Dtest=`,
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
  const manifest = nearestWith(files, path, /^composer\.json$/)
  const configured = nearestWith(files, path, /^phpunit\.xml(?:\.dist)?$/)
  if (manifest === null) return null
  const folder = folderOf(manifest)
  const argument = below(folder, path)
  const pest = placeIn(files, manifest, /"pestphp\/pest"/)
  if (pest !== null) return { runner: "pest", source: pest, folder, command: "vendor/bin/pest", argument, ...single }
  const named = placeIn(files, manifest, /"phpunit\/phpunit"/)
  const source = named ?? (configured === null ? null : { file: configured, line: 0 })
  return source === null
    ? null
    : { runner: "phpunit", source, folder, command: "vendor/bin/phpunit", argument, ...single }
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
