/**
 * A coding CLI that does what it is told by `scenario` in its own directory: answers in the real one's format, or breaks
 * in one of the ways of processes. What it was started with is left in `started-N.json` there.
 */
import {
  appendFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  unlinkSync,
  writeFileSync
} from "node:fs"
import { dirname, join } from "node:path"
import { type CliName, failureOf, linesOf, versionOf, type Work } from "./protocols.ts"

const [, , directory = "", name = "", ...args] = process.argv
const cli = name as CliName

const write = (text: string) => writeFileSync(1, text)
const say = (lines: ReadonlyArray<string>) => {
  for (const line of lines) write(`${line}\n`)
}

const forever = async (): Promise<never> => {
  for (;;) await Bun.sleep(50)
}

if (args.includes("--version")) {
  const version = join(directory, "version")
  console.log(existsSync(version) ? readFileSync(version, "utf8") : versionOf[cli])
  process.exit(0)
}

const scenario = readFileSync(join(directory, "scenario"), "utf8").trim()
const input = await Bun.stdin.text()
leave(JSON.stringify({ args, input, environment: process.env, cwd: process.cwd(), files: filesBelow(".") }))

/** Under the first number that is free, whole or not at all: others of a review are started at the same moment. */
function leave(started: string) {
  const written = join(directory, `starting-${process.pid}`)
  writeFileSync(written, started)
  for (let turn = 0; ; turn++) {
    try {
      linkSync(written, join(directory, `started-${turn}.json`))
      break
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error
    }
  }
  unlinkSync(written)
}

function filesBelow(path: string): ReadonlyArray<string> {
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
}

/** What dd asked: by the mark of a test's prompt, else by the shape of the answer. */
const schema = () => {
  const file = args.find((arg) => arg.startsWith("--output-schema="))?.slice("--output-schema=".length)
  return file === undefined ? [...args, input].join("\n") : readFileSync(file, "utf8")
}
const shapes = [
  ["Verify", '"unverified_assumptions"'],
  ["Fix", '"outcomes"'],
  ["Arbitrate", '"arb_id"'],
  ["Merge", '"notes"'],
  ["StackReview", '"coverage"'],
  ["Alternatives", '"recommendation"'],
  ["ParseReview", '"issues"']
] as const
const asked = /TASK (\w+)/.exec(input)?.[1] ?? shapes.find(([, key]) => schema().includes(key))?.[0] ?? "Intent"
const replies = JSON.parse(readFileSync(join(directory, "replies.json"), "utf8"))
const work: Work = { text: "Here is what I found.", reply: replies[asked] }
const tools: NonNullable<Work["tools"]> = [
  { name: "Read", input: { file_path: "src/a.py" }, output: "1\timport os" },
  { name: "Grep", input: { pattern: "open" }, output: "no such file", failed: true }
]
const pid = () => appendFileSync(join(directory, "pids"), `${process.pid}\n`)
const answer = linesOf[cli](work)

/** What it writes in its working directory to fix something. */
const edit = () => {
  if (asked !== "Fix") return
  const edits: Record<string, string | null> = JSON.parse(readFileSync(join(directory, "edits.json"), "utf8"))
  for (const [path, text] of Object.entries(edits)) {
    if (text === null) unlinkSync(path)
    else {
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, text)
    }
  }
}

// Its answer comes when the file `go` does.
if (scenario === "told") {
  pid()
  while (!existsSync(join(directory, "go"))) await Bun.sleep(20)
}

switch (scenario) {
  case "edit":
    edit()
    say(answer)
    break
  case "edit-cut":
    edit()
    write(answer.join("\n").slice(0, Math.floor(answer.join("\n").length * 0.6)))
    break
  case "edit-hang":
    edit()
    say(answer.slice(0, 2))
    pid()
    await forever()
    break
  case "answer":
    say(answer)
    break
  case "told":
  case "prose":
    say(linesOf[cli]({ text: `I think this:\n\`\`\`json\n${JSON.stringify(replies[asked])}\n\`\`\`\nand no more.` }))
    break
  case "leaks": {
    const { words } = replies.Leak
    const leaks = tools.map((tool) => ({ ...tool, input: { file_path: words }, output: words }))
    say(linesOf[cli]({ ...work, text: words, thinking: [words], tools: leaks }))
    break
  }
  case "tools":
    say(linesOf[cli]({ ...work, thinking: ["Let me look."], tools }))
    break
  case "thinking":
    say(linesOf[cli]({ ...work, thinking: Array.from({ length: 10_000 }, (_, i) => `thought ${i}`) }))
    break
  case "slow":
    for (const piece of `${answer.join("\n")}\n`.match(/[\s\S]{1,40}/g) ?? []) {
      write(piece)
      await Bun.sleep(1)
    }
    break
  case "cut":
    write(answer.join("\n").slice(0, Math.floor(answer.join("\n").length * 0.6)))
    break
  case "malformed":
    say([...answer.slice(0, 1), '{"type":"assistant","message":', "not json at all", '{"type":42}', ...answer.slice(1)])
    break
  case "unknown":
    say(['{"type":"brand.new","data":{"x":[1]}}', ...answer])
    break
  case "huge":
    say([`{"type":"${"x".repeat(11_000_000)}"}`, ...answer])
    break
  case "noise":
    for (let i = 0; i < 5000; i++) process.stderr.write(`warning ${i}: \u001b[31mnoise\u001b[0m\n`)
    say(["A banner", "", ...answer])
    break
  case "exit":
    say(answer.slice(0, 2))
    process.stderr.write("some noise\nerror: unknown option '--frobnicate'\n")
    process.exit(3)
    break
  case "late-exit":
    say(answer)
    process.exit(9)
    break
  case "killed":
    process.kill(process.pid, "SIGKILL")
    break
  case "refused":
    say(failureOf(cli, "Not logged in. Please run login."))
    process.exit(1)
    break
  case "overloaded":
    say(failureOf(cli, "429 Too Many Requests"))
    process.exit(1)
    break
  case "silent":
    pid()
    await forever()
    break
  case "linger":
    pid()
    say(answer)
    await forever()
    break
  case "hang":
    say(answer.slice(0, 2))
    pid()
    await forever()
    break
  case "stubborn": {
    process.on("SIGTERM", () => {})
    say(answer.slice(0, 2))
    const script = 'trap "" TERM; echo $$ >> "$0"; while :; do sleep 0.05; done'
    Bun.spawn(["sh", "-c", `${script.replace('"$0"', JSON.stringify(join(directory, "pids")))} & wait`], {
      stdio: ["ignore", "inherit", "inherit"]
    })
    pid()
    await forever()
    break
  }
  case "talking":
    pid()
    for (;;) {
      say(linesOf[cli]({ text: "more", thinking: ["still thinking"] }).slice(0, 3))
      await Bun.sleep(1)
    }
  default:
    throw new Error(`there is no scenario ${scenario}`)
}
