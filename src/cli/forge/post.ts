/** `dd post`: publishes the findings of a review on a pull request. */
import { Console, Effect, FileSystem, Layer, Option, Result } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { type FindingsArtifact, largestArtifact, readFindingsArtifact } from "../../domain/review/FindingsArtifact.ts"
import { oneLine } from "../../domain/text/Printable.ts"
import { post } from "../../programs/post.ts"
import { Changes } from "../../services/change/Changes.ts"
import { Git } from "../../services/change/Git.ts"
import { layerTimeout } from "../../services/change/gitCall.ts"
import { archiveDirectory } from "../../services/run/Settings.ts"
import { Redactor } from "../../services/secret/Redactor.ts"
import { systemErrorText } from "../../services/system/systemErrorText.ts"
import { wordsFor } from "../review/render/Presentable.ts"
import { exclusive, UsageWrong } from "../review/reviewFlags.ts"
import { writeOut } from "../system/writeOut.ts"
import { jsonFlag, switchFlag, textFlag } from "../text/flags.ts"
import { plainJson } from "../text/plainJson.ts"
import { filesForge, gitHubTarget } from "./forgeTarget.ts"
import { postJson, postText } from "./postReport.ts"
import { labelsJson, labelsText, type TakenLabels, takeLabels } from "./takeLabels.ts"

const flags = {
  findings: Argument.String("findings").pipe(Argument.withDescription("File of dd review --findings-out")),
  pr: Flag.Int("pr").pipe(Flag.withMetavar("N"), Flag.withDescription("Number of the pull request"), Flag.optional),
  repo: textFlag("repo", "OWNER/NAME", "Repository; default: GITHUB_REPOSITORY, or the remote origin of this clone"),
  dryRun: switchFlag("dry-run", "Print what would be posted, and post nothing"),
  files: textFlag("files", "DIR", "Post to files in this directory instead of a forge"),
  json: jsonFlag
}

type Flags = Command.Command.Config.Infer<typeof flags>

const wrong = (reason: string) => new UsageWrong({ reason, command: "post" })

const handler = Effect.fnUntraced(function* (given: Flags) {
  yield* exclusive({ "--files": Option.isSome(given.files), "--repo": Option.isSome(given.repo) }, "post")
  const artifact = yield* artifactIn(given.findings)
  const { forge, name } = yield* targetOf(given, artifact)
  const isDryRun = given.dryRun
  const posted = yield* post({ artifact, repository: name, isDryRun }).pipe(Effect.provide(forge))
  const labels: TakenLabels =
    name === null || isDryRun
      ? { reason: name === null ? "the pull request is in files" : "this is a dry run" }
      : yield* takeLabels(yield* archiveDirectory, { repository: name, pullRequest: posted.pullRequest }).pipe(
          Effect.provide(forge)
        )
  if (given.json) {
    return yield* writeOut(`${plainJson({ ...postJson(posted, name, isDryRun), labels: labelsJson(labels) }, 2)}\n`)
  }
  yield* Console.log(
    [...postText(posted, isDryRun, wordsFor((yield* Redactor).text)), ...labelsText(labels)].join("\n")
  )
})

const targetOf = Effect.fnUntraced(function* (given: Flags, artifact: FindingsArtifact) {
  const number = Option.getOrElse(given.pr, () => artifact.pr_number ?? 0)
  if (Option.isSome(given.files)) return yield* filesForge(given.files.value, { number, base: artifact.base_sha })
  if (number < 1) return yield* wrong("the number of the pull request is missing, or not positive; add --pr N")
  return yield* gitHubTarget(given.repo, number)
})

const artifactIn = Effect.fnUntraced(function* (path: string) {
  const fs = yield* FileSystem.FileSystem
  const unreadable = (error: unknown) => wrong(`${path}: ${systemErrorText(error)}`)
  const { size } = yield* Effect.mapError(fs.stat(path), unreadable)
  const tooLarge = wrong(`${path}: larger than ${largestArtifact} bytes`)
  if (size > largestArtifact) return yield* tooLarge
  const text = yield* Effect.mapError(fs.readFileString(path), unreadable)
  if (text.length > largestArtifact) return yield* tooLarge
  const read = readFindingsArtifact(text)
  if (Result.isSuccess(read)) return read.success
  return yield* wrong(
    `${path} is not a file of dd review --findings-out: ${oneLine(read.failure).slice(0, 300)}; write it again with dd review --findings-out ${path}`
  )
})

export const postCommand = Command.make("post", flags).pipe(
  Command.withShortDescription("Post findings to a pull request"),
  Command.withDescription(`Post findings to a pull request on GitHub: one review with comments on lines of the diff, and a
  summary with the other findings.

  Posts nothing twice: on the next push, known findings keep their comment, fixed ones are
  answered and resolved, and only new ones are posted. Never approves or requests changes.
  Refuses findings of another commit than the head of the pull request. Posts nothing on one that
  is merged or closed, and labels its archived runs; see dd archive label.

  The token comes from GITHUB_TOKEN or GH_TOKEN, from an app (GITHUB_APP_ID and
  GITHUB_APP_PRIVATE_KEY), or from gh auth token. It needs the permission pull-requests: write.

  Exit codes: 0 posted, or nothing to post; 2 usage, or no credentials; 3 could not post.`),
  Command.withExamples([
    {
      command: "dd review --findings-out findings.json",
      description: "Review the checked-out head of the pull request"
    },
    { command: "dd post findings.json --pr 7", description: "Post the findings to pull request 7" },
    { command: "dd post findings.json --pr 7 --dry-run", description: "Show what would be posted" },
    { command: "dd post findings.json --files out", description: "Write what would be posted to files" }
  ]),
  Command.withHandler(handler),
  Command.provide(Layer.mergeAll(Changes.layer.pipe(Layer.provideMerge(Git.layer)), layerTimeout))
)
