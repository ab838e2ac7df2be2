/**
 * Skill files from the user's own folders: `<home>/skills/<name>/SKILL.md` first, then those of the user's plugins of
 * Claude Code (`plugins/installed_plugins.json`, user scope, `<plugin>/skills/<name>/SKILL.md`).
 *
 * Their text instructs a model, so a folder inside the repository under review is not read, even through a link.
 * Bounded; what cannot be read is reported and does not affect other skills.
 */
import { Effect, FileSystem, Layer, Path, Result, Schema } from "effect"
import { type Skill, skillOf } from "../../../domain/agent/SkillFile.ts"
import { compareText } from "../../../domain/text/compareText.ts"
import { Skills } from "../../../services/agent/Skills.ts"
import { isInside } from "../../system/isInside.ts"

export interface Options {
  /** `DD_HOME`, or `~/.daydream`; null: the user has no home. */
  readonly home: string | null
  /** `CLAUDE_CONFIG_DIR`, or `~/.claude`; null: none. */
  readonly claude: string | null
  /** The repository under review; null if there is none. */
  readonly reviewed: string | null
  /** The skill of `--skill`; null: there is none. */
  readonly chosen: string | null
}

const mostSkills = 200
const largestFile = 200_000

export const layer = ({ chosen, claude, home, reviewed }: Options) =>
  Layer.effect(
    Skills,
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path

      const realPath = (file: string) =>
        fs
          .realPath(file)
          .pipe(Effect.catch((error) => (error.reason._tag === "NotFound" ? Effect.succeed(null) : Effect.fail(error))))

      const read = Effect.fnUntraced(function* (file: string, name: string, repository: string | null) {
        const real = yield* realPath(file)
        if (real === null) return null
        if (repository !== null && isInside(path, repository, real)) {
          return yield* new SkillRefused({ file, why: "it is in the repository under review" })
        }
        const { size, type } = yield* fs.stat(real)
        if (type !== "File") return yield* new SkillRefused({ file, why: "it is not a file" })
        if (size > largestFile) return yield* new SkillRefused({ file, why: `it has more than ${largestFile} bytes` })
        return skillOf(name, file, yield* fs.readFileString(real))
      })

      /** The skills in the subfolders of `directory`, by name. */
      const inFolder = Effect.fnUntraced(function* (directory: string, repository: string | null) {
        const skills: Array<Skill> = []
        const problems: Array<string> = []
        if ((yield* realPath(directory)) === null) return { skills, problems }
        const names = (yield* fs.readDirectory(directory)).filter((name) => !name.startsWith(".")).toSorted(compareText)
        for (const name of names.slice(0, mostSkills)) {
          const skill = yield* Effect.result(read(path.join(directory, name, "SKILL.md"), name, repository))
          if (Result.isFailure(skill))
            problems.push(`${path.join(directory, name, "SKILL.md")}: ${skill.failure.message}`)
          else if (skill.success !== null) skills.push(skill.success)
        }
        if (names.length > mostSkills)
          problems.push(`${directory}: only the first ${mostSkills} of ${names.length} skills`)
        return { skills, problems }
      })

      /** The folders of the user's plugins, without those of single projects. */
      const pluginFolders = Effect.fnUntraced(function* (directory: string) {
        const file = path.join(directory, "plugins", "installed_plugins.json")
        if ((yield* realPath(file)) === null) return []
        const { plugins } = yield* decodePlugins(yield* fs.readFileString(file))
        return Object.entries(plugins)
          .toSorted(([a], [b]) => compareText(a, b))
          .flatMap(([, installed]) => installed)
          .filter(({ scope }) => scope === undefined || scope === "user")
          .map(({ installPath }) => path.join(installPath, "skills"))
          .filter((folder) => path.isAbsolute(folder))
      })

      const find = Effect.gen(function* () {
        const repository = reviewed === null ? null : yield* Effect.result(realPath(reviewed))
        const around = repository === null || Result.isFailure(repository) ? reviewed : repository.success
        const skills: Array<Skill> = []
        const problems: Array<string> = []
        const folders = home === null ? [] : [path.join(home, "skills")]
        if (claude !== null) {
          const plugins = yield* Effect.result(pluginFolders(claude))
          if (Result.isSuccess(plugins)) folders.push(...plugins.success)
          else problems.push(`${path.join(claude, "plugins")}: ${firstLine(plugins.failure.message)}`)
        }
        for (const folder of folders) {
          const found = yield* Effect.result(inFolder(folder, around))
          if (Result.isFailure(found)) problems.push(`${folder}: ${firstLine(found.failure.message)}`)
          else {
            skills.push(...found.success.skills)
            problems.push(...found.success.problems)
          }
        }
        return { skills, problems }
      })

      return Skills.of({ found: yield* Effect.cached(find), chosen })
    })
  )

class SkillRefused extends Schema.TaggedError<SkillRefused>()("SkillRefused", {
  file: Schema.String,
  why: Schema.String
}) {
  override get message() {
    return this.why
  }
}

const Installation = Schema.Struct({ scope: Schema.optionalKey(Schema.String), installPath: Schema.String })

/** In version 2, a plugin has a list of installations; in version 1, one. */
const decodePlugins = Schema.decodeUnknownEffect(
  Schema.fromJsonString(
    Schema.Struct({
      plugins: Schema.Record(Schema.String, Schema.Union([Schema.Array(Installation), Installation]))
    })
  )
)

const firstLine = (text: string): string => text.split("\n", 1)[0] ?? ""
