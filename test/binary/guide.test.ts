/**
 * The guide tells the truth: the commands of each page are run, from its top to its end, in a shell of their own, and print what
 * the page shows.
 *
 * A line `$ COMMAND` is run (`> ` continues it), and the lines after it are its output on both streams; a line `...` stands for any
 * lines. The commands of `sh` blocks, of which no output is shown, must succeed.
 */
import { describe, expect, test } from "bun:test"
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { version } from "../../package.json" with { type: "json" }
import { dd, installedPath } from "../support/binary.ts"
import { demoShop } from "../support/demoShop.ts"
import { run } from "../support/inProcess.ts"
import { handing, startModel } from "../support/modelServer.ts"
import { scratch } from "../support/process.ts"
import { releaseServer } from "../support/releaseServer.ts"

const root = join(import.meta.dir, "../..")
const guide = join(root, "docs/guide")
const pages = readdirSync(guide).filter((name) => name.endsWith(".md"))
const textOf = (page: string) => readFileSync(join(guide, page), "utf8")

interface Shown {
  readonly command: string
  /** Null: the command must succeed. */
  readonly output: ReadonlyArray<string> | null
}

/** The commands of a page, in order. */
const commandsOf = (text: string): ReadonlyArray<Shown> =>
  [...text.matchAll(/^```(\w+)\n(.*?)^```$/gms)].flatMap(([, language, block = ""]): ReadonlyArray<Shown> => {
    if (language === "sh") return [{ command: block, output: null }]
    if (language !== "console") return []
    return block
      .split(/^\$ /m)
      .slice(1)
      .map((part) => {
        const [first = "", ...lines] = part.trimEnd().split("\n")
        const end = lines.findIndex((line) => !/^>( |$)/.test(line))
        const more = lines.slice(0, end < 0 ? lines.length : end)
        return {
          command: [first, ...more.map((line) => line.slice(2))].join("\n"),
          output: lines.slice(more.length)
        }
      })
  })

/** Do the lines fit, where `...` stands for any lines? */
const fits = (shown: ReadonlyArray<string>, printed: ReadonlyArray<string>): boolean => {
  const [first, ...rest] = shown
  if (first === undefined) return printed.length === 0
  if (first !== "...") return printed[0] === first && fits(rest, printed.slice(1))
  return printed.some((_, at) => fits(rest, printed.slice(at))) || rest.length === 0
}

/** A model that has read everything and finds nothing. */
const reviewer = handing({
  submit_review: {
    review: "Nothing stands out.",
    issues: [],
    coverage: [{ path: "shop/cart.py", status: "reviewed", reason: "" }]
  }
})

/** Runs commands in one shell, in the repository `shop` of a new home; returns what each printed, and its exit code. */
const outputs = async (commands: ReadonlyArray<Shown>) => {
  using home = scratch()
  demoShop(join(home.path, "shop"))
  copyFileSync(join(root, "install.sh"), join(home.path, "install.sh"))
  using releases = await releaseServer(version, `${process.platform}-${process.arch}`, `#!/bin/sh\nexec ${dd} "$@"\n`)
  const server = await startModel(reviewer)
  try {
    const env = {
      PATH: installedPath,
      HOME: home.path,
      DD_ANTHROPIC_BASE_URL: `http://127.0.0.1:${server.port}`,
      DD_RELEASE_URL: releases.url
    }
    const remote = [
      "git config --global user.name Ann",
      "git config --global user.email ann@example.com",
      "git init --quiet --bare shop.git",
      "git -C shop remote add origin ../shop.git",
      "git -C shop push --quiet origin main"
    ]
    await run(["sh", "-c", remote.join(" && ")], { cwd: home.path, env })
    // Ends with the exit code of the command, for which the next one may ask.
    const script = commands.map(
      ({ command }, at) => `{ ${command}\n} >"$HOME/out.${at}" 2>&1\ncode=$?; echo $code >>"$HOME/codes"; (exit $code)`
    )
    writeFileSync(join(home.path, "script"), `cd shop\n${script.join("\n")}\n`)
    const { stderr } = await run(["sh", join(home.path, "script")], { cwd: home.path, env })
    expect(stderr).toBe("")
    const codes = readFileSync(join(home.path, "codes"), "utf8").split("\n")
    return commands.map((_, at) => ({
      code: Number(codes[at]),
      printed: readFileSync(join(home.path, `out.${at}`), "utf8").replaceAll(home.path, "/home/ann")
    }))
  } finally {
    await server.close()
  }
}

describe("the guide", () => {
  for (const page of pages) {
    const commands = commandsOf(textOf(page))
    test(`shows commands as they are: ${page}`, async () => {
      expect(commands.length).toBeGreaterThan(0)
      const ends = await outputs(commands)
      for (const [at, { command, output }] of commands.entries()) {
        const { code, printed } = ends[at]!
        const lines = printed === "" ? [] : printed.trimEnd().split("\n")
        if (output === null)
          expect({ command, code, lines: code === 0 ? [] : lines }).toEqual({ command, code: 0, lines: [] })
        else if (!fits(output, lines)) expect({ command, lines }).toEqual({ command, lines: [...output] })
      }
    })
  }
})
