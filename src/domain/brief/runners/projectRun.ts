/**
 * How a project runs its tests, by its manifests and CI files, before an argument that chooses some of them.
 *
 * Nothing of a script gets into a command but its name. Null without evidence of a runner.
 */
import { folderOf } from "../../code/Repository.ts"
import { quoted } from "../../system/shellQuote.ts"
import { foldersAbove } from "../../text/foldersAbove.ts"
import { nearestWith, type ProjectFiles, placeAbove, placeIn, placeInPipelines } from "./ProjectFiles.ts"
import type { TestRun } from "./TestRun.ts"

export type ProjectRun = Pick<TestRun, "runner" | "source" | "folder" | "command">

const targets = [
  { name: /^(?:GNUm|M|m)akefile$/, target: /^test[ \t]*:(?!=)/m, command: "make test" },
  { name: /^\.?justfile$/i, target: /^@?test\b[^\n:=]*:(?!=)/m, command: "just test" }
] as const

/** The target `test` of a file in this folder. */
export const targetRun = (folder: string, files: ProjectFiles): ProjectRun | null => {
  for (const { command, name, target } of targets) {
    const [source] = files.in(folder, name).flatMap((file) => placeIn(files, file, target) ?? [])
    if (source !== undefined) return { folder, source, command, runner: command }
  }
  return null
}

const installers = [
  [/^uv\.lock$/, "uv run "],
  [/^poetry\.lock$/, "poetry run "],
  [/^pdm\.lock$/, "pdm run "],
  [/^Pipfile\.lock$/, "pipenv run "]
] as const

export const pythonProject = (path: string, files: ProjectFiles): ProjectRun | null => {
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
    return { runner: "pytest", source, folder: path.startsWith(folder) ? folder : "", command: `${installer}pytest` }
  }
  const django = /\bmanage\.py test\b/
  const manager = nearestWith(files, path, /^manage\.py$/)
  const called =
    manager === null
      ? null
      : (placeAbove(files, path, /^(?:tox\.ini|Makefile|justfile)$/, django) ?? placeInPipelines(files, django))
  if (manager !== null && called !== null) {
    const command = `${installer}python manage.py test`
    return { runner: "django", source: called, folder: folderOf(manager), command }
  }
  const unit = /\bunittest\b/
  const unittest =
    placeAbove(files, path, /^(?:tox\.ini|noxfile\.py|setup\.(?:cfg|py)|Makefile|justfile)$/, unit) ??
    placeInPipelines(files, unit)
  const command = `${installer}python -m unittest`
  return unittest === null ? null : { runner: "unittest", source: unittest, folder: "", command }
}

export const goProject = (path: string, files: ProjectFiles): ProjectRun | null => {
  const module = nearestWith(files, path, /^go\.mod$/)
  if (module === null) return null
  const source = placeIn(files, module, /^module\s/m) ?? { file: module, line: 0 }
  return { runner: "go test", source, folder: folderOf(module), command: "go test" }
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

/** The tests of the crate, with its manifest, its folder and the targets that the manifest lists. */
export const rustProject = (path: string, files: ProjectFiles) => {
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
  const command = `cargo test${folder === crate && workspace !== crate ? "" : ` -p ${quoted(name)}`}`
  return { runner: "cargo test", source, folder, command, manifest, crate, targets }
}

const isExcluded = (workspace: string, crate: string, files: ProjectFiles): boolean => {
  const text = files.text(`${workspace}Cargo.toml`)
  const listed = /^exclude\s*=\s*\[([^\]]*)\]/m.exec(text)?.[1] ?? ""
  return listed.includes(`"${crate.slice(workspace.length).replace(/\/$/, "")}"`)
}

/** The nearest build file of a tool for the JVM. */
export const jvmBuild = (path: string, files: ProjectFiles) => {
  const gradle = nearestWith(files, path, /^build\.gradle(?:\.kts)?$/)
  const maven = nearestWith(files, path, /^pom\.xml$/)
  const isMaven = maven !== null && (gradle === null || folderOf(maven).length > folderOf(gradle).length)
  const file = isMaven ? maven : gradle
  return file === null ? null : { file, isMaven }
}

export const gradleProject = (path: string, build: string, task: string, files: ProjectFiles): ProjectRun => {
  const settings = nearestWith(files, path, /^settings\.gradle(?:\.kts)?$/)
  const root = settings === null ? folderOf(build) : folderOf(settings)
  const wrapper = files.in(root, /^gradlew$/).length > 0 ? "./gradlew" : "gradle"
  const module = folderOf(build)
    .slice(root.length)
    .split("/")
    .filter((part) => part !== "")
  const project = module.length === 0 ? "" : `:${module.join(":")}:`
  const command = `${wrapper} ${quoted(`${project}${task}`)}`
  return { runner: "gradle", source: { file: build, line: 0 }, folder: root, command }
}

export const mavenProject = (path: string, build: string, files: ProjectFiles): ProjectRun => {
  // The parents of a module are in the folders above it.
  const poms = foldersAbove(path).filter((folder) => files.in(folder, /^pom\.xml$/).length > 0)
  const root = poms.at(-1) ?? ""
  const module = folderOf(build).slice(root.length).replace(/\/$/, "")
  const program = files.in(root, /^mvnw$/).length > 0 ? "./mvnw" : "mvn"
  const part = module === "" ? "" : ` -pl ${quoted(module)} -am`
  return { runner: "maven", source: { file: build, line: 0 }, folder: root, command: `${program} test${part}` }
}

export const phpProject = (path: string, files: ProjectFiles): ProjectRun | null => {
  const manifest = nearestWith(files, path, /^composer\.json$/)
  const configured = nearestWith(files, path, /^phpunit\.xml(?:\.dist)?$/)
  if (manifest === null) return null
  const folder = folderOf(manifest)
  const pest = placeIn(files, manifest, /"pestphp\/pest"/)
  if (pest !== null) return { runner: "pest", source: pest, folder, command: "vendor/bin/pest" }
  const named = placeIn(files, manifest, /"phpunit\/phpunit"/)
  const source = named ?? (configured === null ? null : { file: configured, line: 0 })
  return source === null ? null : { runner: "phpunit", source, folder, command: "vendor/bin/phpunit" }
}
