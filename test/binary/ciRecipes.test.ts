/**
 * The action, the template and the recipes of docs/ci.md: each is of the documented form, and the shell in each runs here, with
 * the variables that its service sets and the compiled binary.
 */
import { describe, expect, test } from "bun:test"
import { chmodSync, copyFileSync, existsSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { YAML } from "bun"
import { dd } from "../support/binary.ts"
import { type CiWorld, ciWorld, services } from "../support/ciWorld.ts"
import { run } from "../support/inProcess.ts"
import { inside, systemPath } from "../support/process.ts"
import { releaseServer } from "../support/releaseServer.ts"
import { initRepository } from "../support/repository.ts"

const root = join(import.meta.dir, "../..")
const target = `${process.platform}-${process.arch}`
const page = readFileSync(join(root, "docs/ci.md"), "utf8")

/** The fenced blocks below a heading. */
const blocks = (heading: string, language: string): ReadonlyArray<string> => {
  const [, below = ""] = page.split(new RegExp(`^##+ ${heading}\\n`, "m"))
  const [section = ""] = below.split(/^##+ /m)
  return [...section.matchAll(new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``, "g"))].map(([, text]) => text ?? "")
}

interface Step {
  readonly id?: string
  readonly name?: string
  readonly if?: string
  readonly uses?: string
  readonly run?: string
  readonly shell?: string
  readonly env?: Record<string, string>
  readonly with?: Record<string, unknown>
}
interface Workflow {
  readonly on: unknown
  readonly permissions: Record<string, string>
  readonly jobs: Record<string, { readonly permissions: Record<string, string>; readonly steps: ReadonlyArray<Step> }>
}
interface GitLabJob {
  readonly variables: Record<string, string>
  readonly script: ReadonlyArray<string>
  readonly artifacts: { readonly when: string; readonly reports: { readonly codequality: string } }
}
interface Woodpecker {
  readonly clone: ReadonlyArray<unknown>
  readonly steps: ReadonlyArray<{ readonly commands: ReadonlyArray<string> }>
}
interface Action {
  readonly inputs: Record<string, { readonly description: string; readonly default: string }>
  readonly outputs: Record<string, { readonly description: string; readonly value: string }>
  readonly runs: { readonly using: string; readonly steps: ReadonlyArray<Step> }
}

const action = YAML.parse(readFileSync(join(root, "action.yml"), "utf8")) as Action
const workflows = [...blocks("GitHub", "yaml"), ...blocks("Comments on the pull request", "yaml")].map(
  (text) => YAML.parse(text) as Workflow
)
const [single, first, second] = workflows
const gitLab = YAML.parse(readFileSync(join(root, "templates/gitlab.yml"), "utf8")) as Record<string, GitLabJob>

/** A directory of programs: the binary as `daydream`, and scripts of the test. */
const programs = (at: CiWorld, scripts: Record<string, string> = {}): string => {
  const path = inside(at.place.path, "bin")
  for (const [name, text] of Object.entries({ daydream: `exec ${dd} "$@"`, ...scripts })) {
    writeFileSync(join(path, name), `#!/bin/sh\n${text}\n`)
    chmodSync(join(path, name), 0o755)
  }
  return path
}

const shell = (at: CiWorld, script: string, cwd: string, env: Record<string, string>, bash = false) => {
  const home = inside(at.place.path, "home")
  const command = bash ? ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script] : ["sh", "-e", "-c", script]
  return run(command, { cwd, env: { HOME: home, CI: "true", PATH: systemPath, ...env } })
}

const service = (name: string) => services.find((each) => each.name === name)!

describe("the action", () => {
  /** Runs its scripts as a runner does: expressions in `env` are replaced, GITHUB_PATH and GITHUB_OUTPUT are read. */
  const runAction = async (at: CiWorld, inputs: Record<string, string>) => {
    const repository = at.clone([], "refs/pull/7/merge")
    const temp = inside(at.place.path, "temp")
    const source = inside(at.place.path, "action")
    copyFileSync(join(root, "install.sh"), join(source, "install.sh"))
    using server = await releaseServer("1.2.3", target, `#!/bin/sh\nexec ${dd} "$@"\n`)
    const files = ["path", "output", "summary"].map((name) => join(at.place.path, name))
    for (const file of files) writeFileSync(file, "")
    const [pathFile = "", outputFile = "", summary = ""] = files
    const given = Object.entries(action.inputs).map(
      ([name, { default: value }]) => [name, inputs[name] ?? value] as const
    )
    const values = new Map([
      ...given.map(([name, value]) => [`inputs.${name}`, value] as const),
      ["runner.temp", temp],
      ["github.server_url", "https://example.com"],
      ["github.action_repository || github.repository", "ada/dd"]
    ])
    const valued = (text: string) =>
      text.replaceAll(/\$\{\{ *(.*?) *\}\}/g, (whole, name: string) => values.get(name) ?? whole)
    const ended = []
    for (const step of action.runs.steps.filter((each) => each.run !== undefined)) {
      const own = new Map(Object.entries(step.env ?? {}).map(([name, value]) => [name, valued(value)]))
      if (own.has("DD_RELEASE_URL")) {
        expect(own.get("DD_RELEASE_URL")).toBe("https://example.com/ada/dd/releases")
        own.set("DD_RELEASE_URL", server.url)
      }
      const added = readFileSync(pathFile, "utf8").trim().split("\n").join(":")
      ended.push(
        await shell(
          at,
          step.run ?? "",
          repository.root,
          {
            ...service("GitHub Actions").pull(at),
            ...{ GITHUB_ACTION_PATH: source, GITHUB_PATH: pathFile, GITHUB_OUTPUT: outputFile },
            ...{ GITHUB_STEP_SUMMARY: summary, RUNNER_TEMP: temp, PATH: `${added}:${systemPath}` },
            ...Object.fromEntries(own)
          },
          true
        )
      )
    }
    return { ended, temp, summary: readFileSync(summary, "utf8"), output: readFileSync(outputFile, "utf8") }
  }

  test("has the keys of a composite action, pinned actions, and no expression in a script", () => {
    expect(Object.keys(action).sort()).toEqual(["description", "inputs", "name", "outputs", "runs"])
    expect(action.runs.using).toBe("composite")
    const known = ["env", "id", "if", "name", "run", "shell", "uses", "with"]
    for (const step of action.runs.steps) {
      expect(Object.keys(step).filter((key) => !known.includes(key))).toEqual([])
      expect(step.run === undefined).toBe(step.uses !== undefined)
      expect(step.shell).toBe(step.run === undefined ? undefined : "bash")
      expect(step.run ?? "").not.toContain("${{")
      expect(step.uses ?? "a/b@".padEnd(44, "0")).toMatch(/^[\w-]+(?:\/[\w-]+)+@[0-9a-f]{40}$/)
    }
    const text = JSON.stringify(action)
    expect(text).not.toMatch(/github\.token|secrets\./)
    const used = [...text.matchAll(/inputs\.([\w-]+)/g)].map(([, name]) => name)
    expect([...new Set(used)].sort()).toEqual(Object.keys(action.inputs).sort())
  })

  test("fails on a high finding, with annotations, a summary and a SARIF file", async () => {
    using at = ciWorld()
    const { ended, output, summary, temp } = await runAction(at, {})
    expect(ended.map(({ status }) => status)).toEqual([0, 1])
    expect(ended[0]?.stdout).toContain(`installed dd `)
    expect(ended[0]?.stdout).toContain(` as ${temp}/dd/bin/daydream`)
    expect(ended[1]?.stdout).toContain("::error file=b.py,line=5")
    expect(summary).toContain("py/yaml-load")
    expect(output).toBe(`sarif=${temp}/dd/dd.sarif\n`)
    expect(JSON.parse(readFileSync(join(temp, "dd/dd.sarif"), "utf8")).runs[0].results).toHaveLength(1)
    // What the cache keeps.
    expect(existsSync(join(temp, "dd/home/cache"))).toBe(true)
  })

  test("splits arguments at blanks and line ends, keeps quoted ones whole, and refuses a line end in quotes", async () => {
    const given = async (words: string) => {
      using at = ciWorld()
      const { ended } = await runAction(at, { "fail-on": "none", arguments: words })
      const status = ended.at(-1)?.status
      return { status, errors: ended.at(-1)?.stderr ?? "" }
    }
    expect((await given("--max-findings 3\n--output 'json=a b.json'\n")).status).toBe(0)
    expect((await given('--base "a\\"b')).errors).toContain('unknown commit "a\\b"')
    expect((await given('--base "a\nb"')).status).not.toBe(0)
  })

  test("passes its inputs on, and none of them becomes a part of the script", async () => {
    using at = ciWorld()
    using missing = ciWorld()
    const { ended } = await runAction(at, { "fail-on": "none", version: "1.2.3", arguments: "--max-findings 3" })
    expect(ended.map(({ status }) => status)).toEqual([0, 0])
    expect((await runAction(missing, { version: "9.9.9" })).ended[0]?.status).toBe(1)
    using other = ciWorld()
    const hostile = await runAction(other, {
      arguments: `"; touch ${other.place.path}/ran; $(touch ${other.place.path}/ran) "`
    })
    expect(hostile.ended[1]?.status).toBe(2)
    expect(existsSync(join(other.place.path, "ran"))).toBe(false)
  })
})

describe("the workflows for GitHub", () => {
  test("give no permissions but those that a job names, and pin what they use", () => {
    expect(workflows).toHaveLength(3)
    for (const workflow of workflows) {
      expect(workflow.permissions).toEqual({})
      for (const job of Object.values(workflow.jobs)) {
        for (const { run: script, uses } of job.steps) {
          if (uses !== undefined) expect(uses).toMatch(/^(?:OWNER\/REPOSITORY@REF|[\w-]+(?:\/[\w-]+)+@[0-9a-f]{40})$/)
          expect(script ?? "").not.toContain("${{")
        }
      }
    }
  })

  test("are in the README as they are here", () => {
    const readme = readFileSync(join(root, "README.md"), "utf8")
    const shown = [...readme.matchAll(/```yaml\n(.*?)```/gs)].map(([, text]) => text)
    expect(shown).toEqual([...blocks("GitHub", "yaml")])
  })

  test("review with a token that only reads, and write without the code of the pull request", () => {
    for (const workflow of [single, first]) {
      expect(workflow?.jobs.review?.permissions).toEqual({ contents: "read" })
      const checkout = workflow?.jobs.review?.steps[0]
      expect(checkout?.with).toMatchObject({ "fetch-depth": 0, "persist-credentials": false })
      const inputs = workflow?.jobs.review?.steps[1]?.with ?? {}
      expect(Object.keys(inputs).filter((name) => !(name in action.inputs))).toEqual([])
      expect(JSON.stringify(workflow)).not.toMatch(/pull_request_target|github\.token|secrets\./)
    }
    expect(second?.jobs.post?.permissions["pull-requests"]).toBe("write")
    const [checkout, download] = second?.jobs.post?.steps ?? []
    expect(checkout?.with?.repository).toBe("OWNER/REPOSITORY")
    expect(download?.with?.path).toBe("${{ runner.temp }}/findings")
  })

  test("post the findings of the reviewed commit, and refuse those of another", async () => {
    using at = ciWorld()
    const repository = at.clone([], "topic")
    const findings = join(inside(at.place.path, "temp", "findings"), "findings.json")
    const env = { ...service("GitHub Actions").pull(at), GITHUB_REPOSITORY: "ada/shop" }
    const review = `${dd} review --ci --findings-out ${findings} --pr-number 7`
    expect((await shell(at, review, repository.root, env)).status).toBe(0)
    const script = second?.jobs.post?.steps.at(-1)?.run ?? ""
    const source = inside(at.place.path, "source")
    const installed = join(at.place.path, "installed")
    copyFileSync(join(root, "install.sh"), join(source, "install.sh"))
    using server = await releaseServer("1.2.3", target, `#!/bin/sh\necho "token \${GITHUB_TOKEN-none} $*"\n`)
    // Where there is no jq: the one expression that is used.
    const jq = programs(at, { jq: `exec sed -n 's/^.*"head_sha": *"\\([0-9a-f]*\\)".*$/\\1/p' "$3"` })
    const post = (head: string) =>
      shell(
        at,
        script,
        source,
        {
          ...{ PATH: `${jq}:${systemPath}`, RUNNER_TEMP: join(at.place.path, "temp"), DD_INSTALL_DIR: installed },
          ...{ GITHUB_TOKEN: "t0", HEAD_SHA: head, DD_RELEASE_URL: server.url }
        },
        true
      )
    const posted = await post(at.topic)
    expect(posted.stdout).toStartWith(`installed token none --version as ${installed}/daydream\n`)
    expect(posted.stdout).toEndWith(`\ntoken t0 post ${findings}\n`)
    const refused = await post(at.main)
    expect({ status: refused.status, words: refused.stderr.trim() }).toEqual({
      status: 1,
      words: "the findings are not those of the commit that was reviewed"
    })
  })
})

describe("the template for GitLab", () => {
  test("has keywords of GitLab, and leaves the report that it declares", async () => {
    using at = ciWorld()
    expect(Object.keys(gitLab)).toEqual(["dd-review"])
    const job = gitLab["dd-review"]!
    expect(Object.keys(job).sort()).toEqual(["artifacts", "image", "rules", "script", "stage", "variables"])
    const repository = at.clone([], "topic")
    const env = { ...service("GitLab CI/CD").pull(at), ...job.variables, PATH: `${programs(at)}:${systemPath}` }
    const { status, stdout } = await shell(at, job.script.join("\n"), repository.root, env)
    expect(status).toBe(1)
    expect(stdout).toContain("high[py/yaml-load]")
    expect(job.artifacts.when).toBe("always")
    expect(JSON.parse(readFileSync(repository.path(job.artifacts.reports.codequality), "utf8"))).toHaveLength(1)
    const [include = ""] = blocks("GitLab", "yaml")
    expect((YAML.parse(include) as { include: ReadonlyArray<{ local: string }> }).include[0]?.local).toBe(
      "templates/gitlab.yml"
    )
  })
})

describe("the recipe for", () => {
  test("Jenkins fails on the finding and leaves the file that the plugin reads", async () => {
    using at = ciWorld()
    const [text = ""] = blocks("Jenkins", "groovy")
    const repository = at.clone([], "topic")
    const env = { ...service("Jenkins").pull(at), PATH: `${programs(at)}:${systemPath}` }
    const script = /sh '(.*)'/.exec(text)?.[1] ?? ""
    expect((await shell(at, script, repository.root, env)).status).toBe(1)
    const pattern = /pattern: '(.*)'/.exec(text)?.[1] ?? "none"
    expect(existsSync(repository.path(pattern))).toBe(true)
    expect(text.split("{").length).toBe(text.split("}").length)
  })

  test("Buildkite annotates the build, and ends as the review does", async () => {
    using at = ciWorld()
    const [text = ""] = blocks("Buildkite", "yaml")
    const [step] = (YAML.parse(text) as { steps: ReadonlyArray<Record<string, string>> }).steps
    expect(Object.keys(step ?? {}).sort()).toEqual(["artifact_paths", "command", "label"])
    // The agent replaces variables when the pipeline is uploaded; `$$` is a dollar.
    const script = (step?.command ?? "").replaceAll("$$", "$")
    expect((step?.command ?? "").replaceAll("$$", "")).not.toContain("$")
    const note = join(at.place.path, "note")
    const agent = { "buildkite-agent": `echo "$@" > ${note}; cat >> ${note}` }
    const repository = at.clone([], "topic")
    const path = `${programs(at, agent)}:${systemPath}`
    const failed = await shell(at, script, repository.root, { ...service("Buildkite").pull(at), PATH: path })
    expect(failed.status).toBe(1)
    expect(readFileSync(note, "utf8")).toStartWith("annotate --context dd --style error\n## dd review\n")
    expect(existsSync(repository.path(step?.artifact_paths ?? ""))).toBe(true)
    repository.git("checkout", "--quiet", "--detach", "origin/main")
    const passed = await shell(at, script, repository.root, { ...service("Buildkite").push(at), PATH: path })
    expect(passed.status).toBe(0)
    expect(readFileSync(note, "utf8")).toStartWith("annotate --context dd --style success\n")
  })

  test("Woodpecker clones the history and runs the review", async () => {
    using at = ciWorld()
    const [text = ""] = blocks("Woodpecker", "yaml")
    const pipeline = YAML.parse(text) as Woodpecker
    expect(Object.keys(pipeline).sort()).toEqual(["clone", "steps", "when"])
    const settings = { depth: 0, partial: false, "fetch-target-branch": true }
    expect(pipeline.clone[0]).toMatchObject({ name: "git", settings })
    const step = pipeline.steps[0]!
    expect(Object.keys(step).sort()).toEqual(["commands", "image", "name"])
    // What the clone step does with these settings: the branch alone, and then its target.
    const repository = initRepository(join(at.place.path, "work"))
    repository.git("remote", "add", "origin", `file://${at.remote.root}`)
    repository.git("fetch", "--quiet", "--no-tags", "origin", "+topic:")
    repository.git("checkout", "--quiet", "--force", "FETCH_HEAD")
    repository.git("fetch", "--quiet", "origin", "main")
    const env = { ...service("Woodpecker CI").pull(at), PATH: `${programs(at)}:${systemPath}` }
    expect((await shell(at, step.commands.join("\n"), repository.root, env)).status).toBe(1)
  })
})

test("every file that docs/ci.md links to exists", () => {
  const targets = [...page.matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g)].map(([, target]) => target ?? "")
  expect(targets.filter((target) => !existsSync(join(dirname(join(root, "docs/ci.md")), target)))).toEqual([])
})
