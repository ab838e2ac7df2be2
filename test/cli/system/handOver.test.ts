import { describe, expect, test } from "bun:test"
import { join } from "node:path"
import { nextOnPath } from "../../../src/cli/system/handOver.ts"

describe("the search for the next program", () => {
  test("stops at directories that do not exist or cannot be read", () => {
    expect(nextOnPath("dd", "/nonexistent:/proc/1/root:/dev/null", [])).toBeUndefined()
  })

  test("passes over what was tried", () => {
    const first = nextOnPath("sh", "/bin", [])
    expect(first?.path).toBe("/bin/sh")
    expect(nextOnPath("sh", "/bin:/bin", [first?.identity ?? ""])).toBeUndefined()
  })

  test("suspects only scripts and programs as large as this one of calling it again", () => {
    expect(nextOnPath("dd", "/usr/bin:/bin", [])?.mayReturn).toBe(false)
    expect(nextOnPath("bun.exe", join(import.meta.dir, "../../../node_modules/bun/bin"), [])?.mayReturn).toBe(true)
  })
})

describe("where a process cannot be replaced, a child", () => {
  const module = JSON.stringify(join(import.meta.dir, "../../../src/cli/system/handOver.ts"))

  const parent = (program: string, args: ReadonlyArray<string>, mark?: string) => {
    const [path, operands, marked] = [program, args, mark].map((value) => JSON.stringify(value))
    const source = `import { runAsChild } from ${module}; await runAsChild(${path}, ${operands}, ${marked})`
    return Bun.spawn([process.execPath, "-e", source], {
      env: { PATH: "/usr/bin:/bin", DD_HANDED_OVER: "stale" },
      stdin: "pipe",
      stdout: "pipe",
      stderr: "pipe"
    })
  }

  test("has dd's streams and returns its status", async () => {
    const child = parent("/usr/bin/dd", ["bs=1", "count=2"])
    child.stdin.write("abc")
    child.stdin.end()
    expect(await new Response(child.stdout).text()).toBe("ab")
    expect(await child.exited).toBe(0)
    expect(await parent("/usr/bin/dd", ["if=/nonexistent"]).exited).toBe(1)
  })

  test("has our environment without the mark, or with the new one", async () => {
    const plain = await new Response(parent("/usr/bin/env", ["a=b"]).stdout).text()
    expect(plain.split("\n").filter((line) => /^(PATH|DD_|a)/.test(line))).toEqual(["PATH=/usr/bin:/bin", "a=b"])
    const marked = await new Response(parent("/usr/bin/env", ["a=b"], "1:2").stdout).text()
    expect(marked).toContain("DD_HANDED_OVER=1:2\n")
  })

  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
    test(`is sent our ${signal}, and we end as it ends`, async () => {
      const child = parent("/usr/bin/dd", ["bs=1"])
      child.stdin.write("x")
      await child.stdin.flush()
      await child.stdout.getReader().read()
      child.kill(signal)
      await child.exited
      expect(child.signalCode).toBe(signal)
    })
  }

  test("that ends by a signal dd ignores returns the status of a shell", async () => {
    const child = parent("/bin/sh", ["-c", "kill -PIPE $$"])
    await child.exited
    expect([child.exitCode, child.signalCode]).toEqual([141, null])
  })

  test("that cannot be run is named, with the status of a command that is not runnable", async () => {
    const child = parent("/etc/hostname", ["if=x"])
    expect(await new Response(child.stderr).text()).toContain("/etc/hostname cannot be run")
    expect(await child.exited).toBe(126)
  })
})
