/** Reviews by the compiled binary, in a repository and a home of their own, with a scripted model behind real protocols. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Asked } from "./Asked.ts"
import { dd } from "./binary.ts"
import { run } from "./inProcess.ts"
import { type Presence, type Script, startModel } from "./modelServer.ts"
import { inside, scratch, systemPath } from "./process.ts"
import { initRepository, type TestRepository } from "./repository.ts"

/** What no output and no file may show. */
export const key = "sk-ant-secret-0123456789abcdef"

/** Backends with the settings for each protocol. */
export const services = [
  ["anthropic", {}],
  ["openai", { DD_OPENAI_API: "responses" }],
  ["openai", { DD_OPENAI_API: "chat" }]
] as const

/** For the title of a test. */
export const nameOf = ([backend, env]: readonly [string, object]): string => [backend, ...Object.values(env)].join(", ")

export const modelReviews = async (
  fill: (repository: TestRepository) => unknown,
  script: Script,
  presence?: Presence
) => {
  const place = scratch()
  const asked: Array<Asked> = []
  const server = await startModel(
    (request, nth) => {
      asked.push(request)
      return script(request, nth)
    },
    undefined,
    0,
    presence
  )
  const repository = initRepository(join(place.path, "repo"))
  fill(repository)
  const [home, bin] = [inside(place.path, "home"), inside(place.path, "bin")]
  const own = inside(home, ".daydream")
  const root = `http://127.0.0.1:${server.port}`
  const env: Record<string, string> = {
    PATH: `${bin}:${systemPath}`,
    HOME: home,
    ANTHROPIC_API_KEY: key,
    OPENAI_API_KEY: key,
    DD_ANTHROPIC_BASE_URL: root,
    DD_OPENAI_BASE_URL: `${root}/v1`
  }
  const call = (args: ReadonlyArray<string>, over: Readonly<Record<string, string>> = {}) =>
    run([dd, ...args], { cwd: repository.root, env: { ...env, ...over } })
  const review = (args: ReadonlyArray<string>, over?: Readonly<Record<string, string>>) =>
    call(["review", ...args], over)
  /** A review as JSON. */
  const report = async (args: ReadonlyArray<string>, over?: Readonly<Record<string, string>>) => {
    const { status, stderr, stdout } = await review([...args, "--format", "json"], over)
    return { status, stderr, result: JSON.parse(stdout) }
  }
  /** The directory of an archived run, of the only one by default. */
  const bundle = (session?: string): string => {
    const runs = join(own, "archive", "runs")
    return join(runs, session ?? readdirSync(runs)[0] ?? "")
  }
  return {
    asked,
    bin,
    bundle,
    call,
    config: (text: string) => writeFileSync(join(own, "config.toml"), text),
    env,
    home,
    /** A JSON file of an archived run. */
    kept: (name: string, session?: string) => JSON.parse(readFileSync(join(bundle(session), name), "utf8")),
    place: place.path,
    report,
    repository,
    review,
    server,
    [Symbol.asyncDispose]: async () => {
      await server.close()
      place[Symbol.dispose]()
    }
  }
}

export type ModelReviews = Awaited<ReturnType<typeof modelReviews>>
