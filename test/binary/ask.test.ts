/** `dd ask` by the compiled binary, with scripted models behind the real protocols. */
import { describe, expect, test } from "bun:test"
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { dd } from "../support/binary.ts"
import { install } from "../support/cli/install.ts"
import { cliNames } from "../support/cli/protocols.ts"
import { run } from "../support/inProcess.ts"
import { key, modelReviews, nameOf, services } from "../support/modelReviews.ts"
import type { Script } from "../support/modelServer.ts"
import { isRunning, scratch, systemPath } from "../support/process.ts"
import { startServer } from "../support/wireServer.ts"

const question = "Which callers break?"
const text = "None at shop/order.py:5 breaks.\nThe new parameter has a default.\n\nNothing else calls it."
const answering: Script = () => ({ thinking: "Who calls it?", text })

const world = async (script: Script = answering, more: Readonly<Record<string, string>> = {}) => {
  const at = await modelReviews((repository) => {
    repository.commit("Sell", {
      "shop/cart.py": "def total(items):\n    return sum(items)\n",
      "shop/order.py": "from shop.cart import total\n\n\ndef order(items):\n    return total(items)\n"
    })
    repository.commit("Tax", {
      "shop/cart.py": "def total(items, tax=0):\n    return sum(items) + tax\n",
      ...more
    })
  }, script)
  const kept = (name: string) => readFileSync(at.repository.path(".daydream/ask", name), "utf8")
  return Object.assign(at, {
    ask: (args: ReadonlyArray<string>, over?: Readonly<Record<string, string>>) => at.call(["ask", ...args], over),
    openai: (args: ReadonlyArray<string>, over?: Readonly<Record<string, string>>) =>
      at.call(["ask", question, "--backend", "openai", "--model", "m-1", ...args], {
        DD_OPENAI_API: "responses",
        ...over
      }),
    answer: kept,
    metadata: () => JSON.parse(kept("metadata.json")),
    pack: () => readFileSync(at.repository.path(".daydream/pack/pr-context.txt"), "utf8")
  })
}

/** The texts of the user's messages, whatever the protocol. */
const messagesOf = (body: Record<string, unknown> | null): ReadonlyArray<string> => {
  const messages = (body?.input ?? body?.messages) as ReadonlyArray<{ role: string; content: unknown }>
  return messages
    .filter(({ role }) => role === "user")
    .map(({ content }) =>
      typeof content === "string"
        ? content
        : (content as ReadonlyArray<{ text: string }>).map((part) => part.text).join("")
    )
}

/** Everything that is kept of an answer and its pack. */
const allKept = (root: string): string =>
  ["pack", "ask"]
    .flatMap((folder) =>
      readdirSync(join(root, ".daydream", folder)).map((name) => join(root, ".daydream", folder, name))
    )
    .map((path) => readFileSync(path, "utf8"))
    .join("\n")

describe("a question about a change", () => {
  for (const [backend, env] of services) {
    test(`is answered by ${nameOf([backend, env])}, and the answer is kept`, async () => {
      await using at = await world()
      const { status, stderr, stdout } = await at.ask([question, "--backend", backend, "--model", "m-1"], env)
      expect([status, stderr, stdout]).toEqual([0, "", `${text}\n`])

      expect(at.asked).toHaveLength(1)
      const { body } = at.asked[0]!.heard
      expect(body?.tools).toBeUndefined()
      const messages = messagesOf(body)
      const isChat = JSON.stringify(env).includes("chat")
      expect(messages).toHaveLength(isChat ? 1 : 2)
      expect(messages.at(-1)).toEndWith(question)
      const [, word, fenced] =
        /^The word in the fences of this run is `(\w+)`\.\n\n<untrusted-\1 kind="context pack">\n([\s\S]*)\n<\/untrusted-\1>/.exec(
          messages[0]!
        )!
      expect(word).toHaveLength(10)
      expect(fenced).toBe(at.pack())

      expect(at.answer("answer.txt")).toBe(`${text}\n`)
      expect(at.answer("thinking.txt")).toBe("Who calls it?\n")
      expect(at.answer("report.md")).toStartWith(`> ${question}\n\n${text}\n\n---\n`)
      const report = JSON.parse(readFileSync(at.repository.path(".daydream/pack/pr-context.report.json"), "utf8"))
      expect(at.metadata()).toMatchObject({
        query: question,
        status: "complete",
        error: null,
        backend,
        model: "m-1",
        pack: { path: ".daydream/pack/pr-context.txt", sha256: report.sha256, tokens: report.tokens.final },
        budget: { source: "model", pack: report.budget },
        usage: { input: 120, output: 30, cached: 100, total: 150 },
        costUsd: null
      })
      for (const name of readdirSync(at.repository.path(".daydream/ask"))) {
        expect(statSync(at.repository.path(".daydream/ask", name)).mode & 0o777).toBe(0o600)
      }
      expect(allKept(at.repository.root)).not.toContain(key)
    })
  }

  test("has the cost of its tokens in the metadata", async () => {
    await using at = await world(() => ({ text, usage: { prompt: 1_000_000, cached: 0, completion: 1, reasoning: 0 } }))
    await at.ask([question, "--backend", "anthropic", "--model", "claude-sonnet-5"])
    expect(at.metadata().costUsd).toBeGreaterThan(0.5)
    expect(at.metadata().costSource).toBe("computed")
    expect(at.answer("report.md")).toContain("1,000,000 tokens in, 1 out, $")
  })

  for (const [backend, env] of services) {
    test(`has null for tokens and cost that ${nameOf([backend, env])} does not report, or that cannot be`, async () => {
      await using at = await world((_, nth) => ({
        text,
        usage: nth === 0 ? null : { prompt: 1e300, cached: -5, completion: 1e300, reasoning: 0 }
      }))
      for (const _ of [1, 2]) {
        const { status, stderr, stdout } = await at.ask([question, "--backend", backend, "--model", "gpt-5.6-sol"], env)
        expect([status, stderr, stdout]).toEqual([0, "", `${text}\n`])
        expect(at.metadata()).toMatchObject({
          status: "complete",
          usage: { input: null, cached: null, total: null },
          costUsd: null,
          costSource: "unknown"
        })
        expect(at.answer("report.md")).toContain(", cost unknown.")
      }
    })
  }

  test("can come from standard input", async () => {
    await using at = await world()
    const { status, stdout } = await run([dd, "ask", "-", "--backend", "anthropic"], {
      cwd: at.repository.root,
      env: at.env,
      stdin: "Is it\nsafe?\n"
    })
    expect([status, stdout]).toEqual([0, `${text}\n`])
    expect(messagesOf(at.asked[0]!.heard.body)[1]).toBe("Is it\nsafe?\n")
  })

  test("is asked about the selected change, within the budget of the request", async () => {
    await using at = await world()
    await at.openai(["--commit", "HEAD~1", "--budget", "20000", "shop"])
    expect(at.pack()).toContain("Change: commit")
    expect(at.pack()).not.toContain("tax")
    expect(at.metadata().budget).toMatchObject({ source: "manual", requested: 20_000, pack: 20_000 - 12_000 - 2_048 })
  })

  test("needs a directory for its files that is not empty", async () => {
    await using at = await world()
    const { status, stderr } = await at.openai(["--output", ""])
    expect([status, at.asked.length]).toEqual([2, 0])
    expect(stderr).toContain("--output")
    expect(existsSync(at.repository.path("pr-context.txt"))).toBe(false)
  })

  test("goes with the files where the user wants them", async () => {
    await using at = await world()
    const { status } = await at.openai(["--output", "out"])
    expect(status).toBe(0)
    expect(existsSync(at.repository.path(".daydream"))).toBe(false)
    expect(readdirSync(at.repository.path("out"))).toContain("pr-context.txt")
    expect(JSON.parse(readFileSync(at.repository.path("out/metadata.json"), "utf8")).pack.path).toBe(
      "out/pr-context.txt"
    )
  })
})

describe("a context pack that exists", () => {
  test("is sent again, and no other is made", async () => {
    await using at = await world()
    await at.call(["pack", "--commit", "HEAD", "--output", "mine"])
    const pack = readFileSync(at.repository.path("mine/pr-context.txt"), "utf8")
    const { status, stdout } = await at.openai(["--context-pack", "mine/pr-context.txt"])
    expect([status, stdout]).toEqual([0, `${text}\n`])
    expect(messagesOf(at.asked[0]!.heard.body)[0]).toContain(pack)
    expect(existsSync(at.repository.path(".daydream/pack"))).toBe(false)
    const { sha256, tokens } = JSON.parse(readFileSync(at.repository.path("mine/pr-context.report.json"), "utf8"))
    expect(at.metadata()).toMatchObject({
      pack: { path: "mine/pr-context.txt", sha256, tokens: tokens.final },
      budget: null
    })
  })

  test("can come from a pipe", async () => {
    await using at = await world()
    const { status, stderr } = await run(
      ["bash", "-c", '"$0" ask why --backend anthropic --context-pack <("$0" pack --stdout)', dd],
      { cwd: at.repository.root, env: at.env }
    )
    expect([status, stderr]).toEqual([0, ""])
    expect(messagesOf(at.asked[0]!.heard.body)[0]).toContain("# PR Context Pack\n")
  })

  test("is not sent if the model's context cannot hold it with the question and an answer", async () => {
    await using at = await world()
    at.repository.write("pack.txt", "word ".repeat(9_000))
    const small = { DD_OPENAI_CONTEXT_TOKENS: "12000" }
    const { status, stderr, stdout } = await at.openai(["--context-pack", "pack.txt"], small)
    expect([status, stdout]).toEqual([2, ""])
    expect(stderr).toMatch(
      /^dd: error: --context-pack pack\.txt has 900\d tokens, and with this question the model takes 8993; /
    )
    expect(at.asked).toHaveLength(0)
    expect((await at.openai(["--context-pack", "pack.txt"])).status).toBe(0)
  })

  test("must be text, and is not used with a choice of a change", async () => {
    await using at = await world()
    at.repository.write("empty.txt", "\n").write("pack.txt", "code\n")
    at.repository.write("binary.txt", new Uint8Array([0xff, 0xfe, 0]))
    at.repository.write("large.txt", "x".repeat(16_000_001))
    const reasons = [
      [["--context-pack", "large.txt"], "--context-pack large.txt: larger than 16000000 bytes"],
      [["--context-pack", "shop"], "--context-pack shop: "],
      [["--context-pack", "missing.txt"], "missing.txt"],
      [["--context-pack", "empty.txt"], "--context-pack empty.txt is empty"],
      [["--context-pack", "binary.txt"], "--context-pack binary.txt is not text in UTF-8"],
      [["--context-pack", "pack.txt", "--commit", "HEAD"], "--context-pack and --commit cannot be used together"],
      [["--context-pack", "pack.txt", "shop"], "--context-pack and TARGET cannot be used together"],
      [["--context-pack", "pack.txt", "--budget", "9000"], "--context-pack and --budget cannot be used together"]
    ] as const
    for (const [args, reason] of reasons) {
      const { status, stderr, stdout } = await at.openai(args)
      expect([status, stdout]).toEqual([2, ""])
      expect(stderr).toContain(reason)
    }
    expect(at.asked).toHaveLength(0)
  })
})

describe("without a model", () => {
  const inPack = "; the pack is in .daydream/pack/pr-context.txt\n"
  for (const [what, env, args, reason] of [
    [
      "no backend",
      { ANTHROPIC_API_KEY: "", OPENAI_API_KEY: "" },
      [],
      "no model is set up to answer: choose one with --backend NAME"
    ],
    ["a key without a backend", { ANTHROPIC_API_KEY: "" }, [], "OPENAI_API_KEY is set but not used"],
    [
      "a backend without a key",
      { ANTHROPIC_API_KEY: "", DD_ANTHROPIC_BASE_URL: "" },
      ["--backend", "anthropic"],
      "--backend anthropic: its key is not set"
    ],
    ["a CLI that is not installed", {}, ["--backend", "codex"], "--backend codex: codex is not on PATH"],
    [
      "a cost limit and an unknown price",
      {},
      ["--backend", "openai", "--model", "m-1", "--max-cost", "1"],
      "--backend openai: --max-cost needs the price of m-1"
    ]
  ] as const) {
    test(`the pack is written and nothing is sent: ${what}`, async () => {
      await using at = await world()
      if (what === "a backend without a key") at.config("")
      const over: Record<string, string> = { ...at.env, ...env }
      for (const [name, value] of Object.entries(env)) if (value === "") delete over[name]
      const { status, stderr, stdout } = await run([dd, "ask", question, ...args], {
        cwd: at.repository.root,
        env: over
      })
      expect([status, stdout]).toEqual([2, ""])
      expect(stderr).toStartWith(`dd: error: ${reason}`)
      expect(stderr).toEndWith(inPack)
      expect(stderr.split("\n")).toHaveLength(2)
      expect(at.pack()).toContain("shop/cart.py")
      expect(at.asked).toHaveLength(0)
    })
  }

  test("outside of any repository, with a pack, the files need a place", async () => {
    using place = scratch()
    writeFileSync(join(place.path, "pack.txt"), "code\n")
    const ask = (...args: ReadonlyArray<string>) =>
      run([dd, "ask", question, "--context-pack", "pack.txt", ...args], {
        cwd: place.path,
        env: { PATH: systemPath, HOME: place.path }
      })
    expect((await ask()).stderr).toContain("without a working tree the files need --output DIR")
    expect((await ask("--output", "out")).stderr).toContain("no model is set up to answer")
  })
})

describe("a question without a complete answer", () => {
  test("is refused by the model", async () => {
    await using at = await world(() => ({ text: "I will not.", stop: "refusal" }))
    const { status, stderr, stdout } = await at.openai([])
    expect([status, stdout]).toEqual([4, "I will not.\n"])
    expect(stderr).toBe("dd: error: the answer is not complete: openai refused to answer (refusal)\n")
    expect(at.metadata()).toMatchObject({ status: "partial", error: stderr.slice("dd: error: ".length, -1) })
  })

  test("reaches the maximum length", async () => {
    await using at = await world(() => ({ text, stop: "length" }))
    const { status, stderr } = await at.ask([question, "--backend", "anthropic"])
    expect([status, stderr]).toEqual([
      4,
      "dd: error: the answer is not complete: it reached its maximum length (length)\n"
    ])
    expect(at.answer("report.md")).toContain("**Error:** the answer is not complete: it reached")
  })

  test("has no text", async () => {
    await using at = await world(() => ({ thinking: "Hm." }))
    expect(await at.openai([])).toMatchObject({
      status: 4,
      stdout: "",
      stderr: "dd: error: no answer: openai sent no text\n"
    })
    expect(at.metadata().status).toBe("failed")
    expect(at.answer("thinking.txt")).toBe("Hm.\n")
  })

  for (const [backend, env] of services) {
    test(`is refused by ${nameOf([backend, env])} because of the key`, async () => {
      await using at = await world(() => ({ trouble: { status: 401, message: "invalid key" } }))
      const { status, stderr, stdout } = await at.ask([question, "--backend", backend, "--model", "m-1"], env)
      expect([status, stdout]).toEqual([3, ""])
      expect(stderr).toStartWith(`dd: error: --backend ${backend} cannot answer: ${backend} refused access (HTTP 401)`)
      expect(stderr).toContain(`check the key in ${backend.toUpperCase()}_API_KEY`)
      expect(stderr).not.toContain(key)
      expect(at.asked).toHaveLength(1)
      expect(at.metadata().status).toBe("failed")
    })

    test(`is sent to ${nameOf([backend, env])} again after 429, and after a connection that was cut before any text`, async () => {
      await using at = await world((_, nth) => {
        if (nth === 0) return { trouble: { status: 429, headers: { "retry-after-ms": "1" } } }
        return nth === 1 ? { text, trouble: { cutAfter: 1, how: "cut" } } : { text }
      })
      const { status, stdout } = await at.ask([question, "--backend", backend, "--model", "m-1"], env)
      expect([status, stdout]).toEqual([0, `${text}\n`])
      expect(at.asked).toHaveLength(3)
      expect(at.answer("answer.txt")).toBe(`${text}\n`)
    })

    test(`is cut off in the middle by ${nameOf([backend, env])}: nothing is sent twice, and the part is kept`, async () => {
      const cutAfter = JSON.stringify(env).includes("chat") ? 3 : 7
      await using at = await world(() => ({ text, trouble: { cutAfter, how: "short" } }))
      const { status, stderr, stdout } = await at.ask([question, "--backend", backend, "--model", "m-1"], env)
      expect(status).toBe(4)
      expect(stderr).toBe(
        `dd: error: the answer is not complete: the ${backend} backend failed: ${backend} closed the connection before its answer was complete\n`
      )
      expect(at.asked).toHaveLength(1)
      expect(text).toStartWith(stdout.trimEnd())
      expect(stdout.trimEnd()).not.toBe("")
      expect(at.answer("answer.txt")).toBe(stdout)
      expect(at.metadata()).toMatchObject({ status: "partial", costUsd: null })
    })
  }

  test("is refused for a day, and the reason names the day", async () => {
    await using at = await world(() => ({
      trouble: { status: 429, message: "slow", headers: { "retry-after": "86400" } }
    }))
    const { status, stderr } = await at.openai([])
    expect([status, at.asked.length]).toEqual([4, 1])
    expect(stderr).toBe(
      "dd: error: no answer: the openai backend failed: openai received too many requests (HTTP 429): slow (retry after 1d)\n"
    )
  })

  for (const [backend, env] of services) {
    test(`is cut off by ${nameOf([backend, env])} before any text each time`, async () => {
      await using at = await world(() => ({ text, trouble: { cutAfter: 1, how: "short" } }))
      const { status, stderr } = await at.ask([question, "--backend", backend, "--model", "m-1"], env)
      expect([status, at.asked.length]).toEqual([4, 5])
      expect(stderr).toStartWith(
        `dd: error: no answer: the ${backend} backend failed: ${backend} closed the connection`
      )
      expect(at.metadata()).toMatchObject({ status: "failed", costUsd: null })
    })

    test(`costs nothing if ${nameOf([backend, env])} refuses it, and something unknown if no answer arrives`, async () => {
      await using at = await world((_, nth) =>
        nth === 0 ? { trouble: { status: 401 } } : { text, trouble: { holdAfter: 0 } }
      )
      const args = [question, "--backend", backend, "--model", "gpt-5.6-sol"]
      await at.ask(args, env)
      expect(at.metadata()).toMatchObject({ status: "failed", costUsd: 0 })
      const { status } = await at.ask(args, { ...env, DD_TIMEOUT: "1" })
      expect(status).toBe(4)
      expect(at.metadata()).toMatchObject({ status: "failed", costUsd: null, costSource: "unknown" })
    })
  }

  test("is answered at once although a stream was asked for, and is not sent more than twice", async () => {
    await using at = await world()
    const whole = { type: "message", object: "response", error: null, content: [{ type: "text", text }] }
    const server = await startServer(() => ({
      headers: { "content-type": "application/json" },
      pieces: [JSON.stringify(whole)]
    }))
    for (const [backend, base] of [
      ["anthropic", "DD_ANTHROPIC_BASE_URL"],
      ["openai", "DD_OPENAI_BASE_URL"]
    ] as const) {
      const { status, stderr } = await at.ask([question, "--backend", backend, "--model", "m-1"], {
        DD_OPENAI_API: "responses",
        [base]: server.url
      })
      expect(status).toBe(4)
      expect(stderr).toContain("it sent its answer at once, not as a stream")
    }
    expect(server.heard).toHaveLength(4)
    await server.close()
  })

  test("ends when the time is over", async () => {
    await using at = await world(() => ({ text, trouble: { holdAfter: 6 } }))
    const { status, stderr } = await at.openai([], { DD_TIMEOUT: "1" })
    expect([status, stderr]).toEqual([
      4,
      "dd: error: the answer is not complete: the answer did not end within 1 s (the setting timeout)\n"
    ])
    expect(at.metadata().status).toBe("partial")
  })

  test("is not sent if the answer could not be kept, and leaves no earlier answer when it is killed", async () => {
    await using at = await world((_, nth) => (nth === 0 ? { text } : { text, trouble: { holdAfter: 0 } }))
    at.repository.write(".daydream/ask", "a file\n")
    const refused = await at.openai([])
    expect([refused.status, refused.stdout]).toEqual([3, ""])
    expect(refused.stderr).toContain("choose another directory with --output DIR")
    expect(at.asked).toHaveLength(0)
    rmSync(at.repository.path(".daydream/ask"))
    expect((await at.openai([])).status).toBe(0)
    const child = Bun.spawn([dd, "ask", question, "--backend", "anthropic"], {
      cwd: at.repository.root,
      env: at.env,
      stdout: "pipe",
      stderr: "pipe"
    })
    await at.server.answering(1)
    child.kill("SIGKILL")
    await child.exited
    expect(at.answer("answer.txt")).toBe("")
    expect(at.metadata()).toMatchObject({ status: "failed", error: "the answer has not ended" })
  })

  test("costs too much, and is not sent", async () => {
    await using at = await world()
    const { status, stderr } = await at.ask([
      question,
      "--backend",
      "anthropic",
      "--model",
      "claude-sonnet-5",
      "--max-cost",
      "0.001"
    ])
    expect(status).toBe(4)
    expect(stderr).toContain("of $0.001 are spent, and the next answer may cost")
    expect(at.asked).toHaveLength(0)
  })

  test("has a change that is over the budget, and is not sent", async () => {
    await using at = await world(answering, {
      "shop/cart.py": Array.from({ length: 3000 }, (_, line) => `value_${line} = ${line}\n`).join("")
    })
    const { status, stderr, stdout } = await at.openai(["--commit", "HEAD", "--budget", "9000"])
    expect([status, stdout]).toEqual([1, ""])
    expect(stderr).toContain("core-over-budget: the changed files need")
    expect(at.asked).toHaveLength(0)
  })
})

describe("an answer as it arrives", () => {
  const started = async (script: Script, env: Readonly<Record<string, string>> = {}) => {
    const at = await world(script)
    const child = Bun.spawn([dd, "ask", question, "--backend", "openai", "--model", "m-1"], {
      cwd: at.repository.root,
      env: { ...at.env, DD_OPENAI_API: "responses", ...env },
      stdout: "pipe",
      stderr: "pipe"
    })
    return { at, child }
  }

  for (const [signal, code] of [
    ["SIGINT", 130],
    ["SIGTERM", 143]
  ] as const) {
    test(`is printed line by line; ${signal} closes the connection and keeps the part`, async () => {
      const lines = "First line.\nSecond line.\nThird line.\nA longer line that is never complete."
      const { at, child } = await started(() => ({ text: lines, trouble: { holdAfter: 7 } }))
      await using _ = at
      const reader = child.stdout.getReader()
      const first = new TextDecoder().decode((await reader.read()).value)
      expect(lines).toStartWith(first)
      expect(first).toStartWith("First line.\n")
      expect(child.exitCode).toBeNull()
      child.kill(signal)
      expect(await child.exited).toBe(code)
      expect(await new Response(child.stderr).text()).toBe("")
      const answer = at.answer("answer.txt")
      expect(answer).toStartWith(first)
      expect(lines).toStartWith(answer.trimEnd())
      expect(at.metadata()).toMatchObject({ status: "partial", error: "interrupted", costUsd: null })
      expect(at.pack()).toContain("shop/cart.py")
      await at.server.quiet()
      expect(at.server.dropped()).toBe(1)
    })
  }

  test("is interrupted while the pack is made: nothing is sent, no program is left", async () => {
    await using at = await world()
    const mark = join(at.place, "mark")
    const git = join(at.bin, "git")
    const real = (await run(["sh", "-c", "command -v git"])).stdout.trim()
    writeFileSync(
      git,
      `#!/bin/sh\ncase " $* " in *" log "*) echo $$ > '${mark}'; exec sleep 300;; esac\nexec ${real} "$@"\n`
    )
    chmodSync(git, 0o755)
    const child = Bun.spawn([dd, "ask", question, "--backend", "openai", "--model", "m-1"], {
      cwd: at.repository.root,
      env: at.env,
      stdout: "pipe",
      stderr: "pipe"
    })
    while (!existsSync(mark)) await Bun.sleep(10)
    child.kill("SIGINT")
    expect(await child.exited).toBe(130)
    expect(at.asked).toHaveLength(0)
    expect(existsSync(at.repository.path(".daydream/ask"))).toBe(false)
  })

  test("that another program prints on the same terminal does not mix with the progress", async () => {
    await using at = await world()
    const printed: Array<string> = []
    const child = Bun.spawn(["sh", "-c", '"$0" ask why --backend anthropic | cat', dd], {
      cwd: at.repository.root,
      env: { ...at.env, TERM: "xterm" },
      terminal: { cols: 80, rows: 24, data: (_, data) => printed.push(data.toString()) }
    })
    await child.exited
    const shown = printed.join("")
    const lines = shown.split(/\r\n|\u001b\[J\r?/)
    expect(lines).toContain(text.split("\n")[0]!)
  })

  test("has no secrets and no control characters, and neither has the request", async () => {
    const secret = `ghp_${"a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"}`
    const hostile = `The token ${secret} is\n\u001b[31mred\u001b[0m, \u001b]0;title\u0007x\u001b[0m${secret}\nend`
    await using at = await world(() => ({ text: hostile, thinking: `It is ${secret}.` }), {
      "shop/config.py": `TOKEN = "${secret}"\n`
    })
    const { stdout } = await at.ask([`Is ${secret} used?`, "--backend", "anthropic", "--commit", "HEAD"])
    expect(stdout).toStartWith("The token [REDACTED_API_KEY] is\nred, x")
    expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/)
    expect(at.asked[0]!.heard.text).toContain("shop/config.py")
    expect(stdout + at.asked[0]!.heard.text + allKept(at.repository.root)).not.toContain(secret)
  })
})

describe("a coding CLI", () => {
  test("that fails has no control characters in the report", async () => {
    await using at = await world()
    writeFileSync(join(at.bin, "claude"), "#!/bin/sh\nprintf '\\033[31mno\\033]0;title\\007 login' >&2\nexit 1\n")
    chmodSync(join(at.bin, "claude"), 0o755)
    expect((await at.ask(["\u001b[2Jwhy?", "--backend", "claude"])).status).toBe(3)
    expect(at.metadata().error).toContain("claude ended with exit code 1: no login; ")
    expect(at.answer("report.md")).toStartWith("> why?\n")
    expect(at.answer("report.md")).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/)
  })

  for (const name of cliNames) {
    test(`answers: ${name} gets the pack on standard input, and no schema, tools or files`, async () => {
      await using at = await world()
      const cli = install(at.bin, name, "prose")
      const { status, stderr, stdout } = await at.ask([question, "--backend", name])
      expect([status, stderr]).toEqual([0, ""])
      expect(stdout).toStartWith("I think this:\n")
      const { args, cwd, files, input } = cli.started()
      expect(input).toContain(at.pack())
      expect(input).toEndWith(question)
      expect(args.join(" ")).not.toContain("schema")
      expect(args.join(" ")).not.toContain("shop/cart.py")
      expect(files).toEqual([])
      expect(existsSync(cwd)).toBe(false)
      expect(at.answer("answer.txt")).toBe(stdout)
      expect(at.metadata()).toMatchObject({ status: "complete", backend: name })
    })
  }

  test("ends with an interrupted question", async () => {
    await using at = await world()
    const cli = install(at.bin, "claude", "silent")
    const child = Bun.spawn([dd, "ask", question, "--backend", "claude"], {
      cwd: at.repository.root,
      env: at.env,
      stdout: "pipe",
      stderr: "pipe"
    })
    while (cli.pids().length === 0) await Bun.sleep(10)
    child.kill("SIGINT")
    expect(await child.exited).toBe(130)
    expect(cli.pids().filter(isRunning)).toEqual([])
    expect(at.metadata()).toMatchObject({ status: "failed", error: "interrupted", backend: "claude" })
  })

  test("that is not logged in ends with its own words", async () => {
    await using at = await world()
    install(at.bin, "claude", "refused")
    const { status, stderr } = await at.ask([question, "--backend", "claude"])
    expect(status).toBe(3)
    expect(stderr).toContain("Not logged in. Please run login.")
  })
})
