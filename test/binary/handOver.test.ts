import { describe, expect, test } from "bun:test"
import { chmodSync, copyFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { daydream, dd, installedPath } from "../support/binary.ts"
import { type Ended, inside, run, scratch, systemPath } from "../support/process.ts"

/** The same shell script, once where `dd` is ours and once where it is coreutils'. */
const both = async (script: string, cwd = "/"): Promise<{ readonly ours: Ended; readonly theirs: Ended }> => {
  const shell = ["bash", "-c", script]
  const [ours, theirs] = await Promise.all([
    run(shell, { cwd, env: { PATH: installedPath } }),
    run(shell, { cwd, env: { PATH: systemPath } })
  ])
  return { ours: timeless(ours), theirs: timeless(theirs) }
}

/** Without what differs between two runs of the same program: the time taken. */
const timeless = (ended: Ended): Ended => ({ ...ended, stderr: ended.stderr.replaceAll(/copied, .*/g, "copied") })

/** Puts an executable `dd` into its own directory and returns that directory, for a PATH. */
const standIn = (place: string, name: string, put: (path: string) => void): string => {
  const directory = inside(place, name)
  put(join(directory, "dd"))
  return directory
}

const script =
  (text: string) =>
  (path: string): void => {
    writeFileSync(path, text)
    chmodSync(path, 0o755)
  }

const linkTo =
  (program: string) =>
  (path: string): void =>
    symlinkSync(program, path)

describe("a script that calls dd", () => {
  const scripts: Record<string, string> = {
    "copies a pipe": "printf abc | dd bs=1 count=2 2>/dev/null",
    "counts what it copied, on stderr": "printf abcdef | dd bs=2 conv=ucase",
    "writes into a pipe": "dd if=/dev/zero count=1 2>/dev/null | wc -c",
    "copies standard input when it has no operands": "printf abc | dd",
    "copies standard input when only output is redirected": "dd </dev/null | cat",
    "says what it could not open": "dd if=/nonexistent",
    "is corrected about an unknown operand": "dd nope=1",
    "stops quietly when its reader does": 'dd if=/dev/zero 2>&1 | head -c1 >/dev/null; echo "${PIPESTATUS[0]}"',
    "keeps a file limit's signal":
      '(f=$(mktemp); ulimit -f 1; dd if=/dev/zero of=$f bs=1M count=1; echo $?; rm $f) 2>&1 | grep -o "^[0-9]*$"',
    "is given arguments with spaces and quotes": `dd if="a 'b' \\"c\\" \n d"`,
    "is given arguments that are not UTF-8": `dd if=$'a\\xff b' 2>&1 | od -c`,
    "is given an empty argument": 'dd if=/dev/null ""',
    "keeps signals ignored that its caller ignored":
      "trap '' INT QUIT TERM; dd if=/proc/self/status 2>/dev/null | grep -E 'Sig(Ign|Blk|Cgt)'",
    "keeps the caller's other open files": "exec 7<<<seven; dd if=/dev/fd/7 2>/dev/null",
    "reads what another command writes": "dd if=<(echo other) 2>/dev/null; echo end | dd of=>(cat) 2>/dev/null; wait",
    "is told that standard input is closed": "printf abc | dd bs=1 <&-",
    "reads a file when standard input is closed": "dd if=/proc/self/comm <&- 2>/dev/null",
    "writes a file when output is closed": "dd if=/dev/null of=/dev/null >&- 2>&-; echo $? >&0",
    "is found by a program that runs programs":
      "printf abc | env dd bs=3 2>/dev/null; printf xyz | xargs -I{} sh -c 'printf {} | dd 2>/dev/null'"
  }
  for (const [promise, text] of Object.entries(scripts)) {
    test(promise, async () => {
      const { ours, theirs } = await both(text)
      expect(ours).toEqual(theirs)
    })
  }

  test("reaches a file whose name is not UTF-8", async () => {
    using place = scratch()
    const { ours, theirs } = await both('n=$\'a \\xff b\'; printf hi >"$n"; dd if="$n" 2>/dev/null', place.path)
    expect(ours).toEqual(theirs)
    expect(ours.stdout).toBe("hi")
  })
})

describe("a signal sent to dd", () => {
  /** Starts a copy from pipe to pipe and waits until a byte came through: then the other dd is running. */
  const copying = async (program: string) => {
    const child = Bun.spawn([program, "bs=1"], {
      env: { PATH: systemPath },
      stdin: "pipe",
      stdout: "pipe",
      stderr: "pipe"
    })
    child.stdin.write("x")
    await child.stdin.flush()
    await child.stdout.getReader().read()
    return child
  }

  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGPIPE"] as const) {
    test(`${signal} ends it as it ends coreutils' dd`, async () => {
      const ends = []
      for (const program of [dd, "/usr/bin/dd"]) {
        const child = await copying(program)
        child.kill(signal)
        await child.exited
        const stderr = (await new Response(child.stderr).text()).replaceAll(/copied, .*/g, "copied")
        ends.push({ status: child.exitCode, signal: child.signalCode, stderr })
      }
      expect(ends[0]).toEqual(ends[1]!)
      expect(ends[0]?.signal).toBe(signal)
    })
  }

  test("SIGUSR1 makes it print its statistics and go on", async () => {
    const child = await copying(dd)
    child.kill("SIGUSR1")
    const reader = child.stderr.getReader()
    const { value } = await reader.read()
    expect(new TextDecoder().decode(value)).toContain("1+0 records in")
    child.stdin.end()
    expect(await child.exited).toBe(0)
  })
})

describe("the next dd on PATH", () => {
  const call = ["dd", "if=x"]

  test("gets the same arguments and, to the byte, the same environment", async () => {
    using place = scratch()
    const environment = standIn(place.path, "environment", linkTo("/usr/bin/env"))
    const printed = async (program: string): Promise<string> => {
      // The shell's own note of what it runs differs by design.
      const shell = `export ODD=$'a\\xff' DD_HOME=1; '${program}' a=b | /bin/grep -av ^_= | /usr/bin/od -c`
      return (await run(["/bin/bash", "-c", shell], { env: { PATH: environment } })).stdout
    }
    expect(await printed(dd)).toBe(await printed(join(environment, "dd")))
    expect(await printed(dd)).toContain("377")
  })

  test("is called by the name it was called by", async () => {
    using place = scratch()
    const named = standIn(place.path, "named", script('#!/bin/bash\necho "$0" "$@"\n'))
    expect((await run([dd, "if=x"], { env: { PATH: named } })).stdout).toBe(`${named}/dd if=x\n`)
    const { ours, theirs } = await both('exec -a /some/where/dd "$(type -P dd)" if=/nonexistent')
    expect(ours).toEqual(theirs)
  })

  test("is never this program under another name", async () => {
    using place = scratch()
    const linked = standIn(place.path, "linked", linkTo(dd))
    const { status, stdout } = await run(["bash", "-c", "printf abc | dd bs=1 count=2"], {
      env: { PATH: `${linked}:${installedPath}` }
    })
    expect({ status, stdout }).toEqual({ status: 0, stdout: "ab" })
  })

  test("may be a second copy of this program, which looks further", async () => {
    using place = scratch()
    const copied = standIn(place.path, "copied", (path) => copyFileSync(dd, path))
    const { status, stdout } = await run(["bash", "-c", "printf abc | dd bs=1 count=2"], {
      env: { PATH: `${copied}:${installedPath}` }
    })
    expect({ status, stdout }).toEqual({ status: 0, stdout: "ab" })
    const alone = await run([dd, "if=x"], { env: { PATH: copied } })
    expect(alone.status).toBe(127)
  })

  test("may be a script that calls this program, which looks further", async () => {
    using place = scratch()
    for (const body of [`exec '${dd}' "$@"`, `'${dd}' "$@"`]) {
      const wrapper = standIn(place.path, "wrapper", script(`#!/bin/sh\n${body}\n`))
      const { status, stdout } = await run(["sh", "-c", "printf abc | dd bs=1 count=2"], {
        env: { PATH: `${wrapper}:${installedPath}` }
      })
      expect({ status, stdout }).toEqual({ status: 0, stdout: "ab" })
      expect((await run([dd, "if=x"], { env: { PATH: wrapper } })).status).toBe(127)
    }
  })

  test("is an executable file, not a directory or a file without the right", async () => {
    using place = scratch()
    const directory = standIn(place.path, "directory", (path) => inside(path))
    const text = standIn(place.path, "text", (path) => writeFileSync(path, "#!/bin/sh\necho text\n"))
    const echo = standIn(place.path, "echo", linkTo("/bin/echo"))
    expect((await run([dd, "if=x"], { env: { PATH: `/nonexistent:${directory}:${text}:${echo}` } })).stdout).toBe(
      "if=x\n"
    )
  })

  test("is looked for in relative and empty entries as a shell does, and in the usual places without a PATH", async () => {
    using place = scratch()
    const cwd = standIn(place.path, "here", linkTo("/bin/echo"))
    for (const path of [":/nonexistent", "/nonexistent::", "../here", "."]) {
      expect((await run([dd, "if=x"], { cwd, env: { PATH: path } })).stdout).toBe("if=x\n")
    }
    expect((await run([dd, "if=/proc/self/comm"], { cwd, env: {} })).stdout).toBe("dd\n")
  })

  test("is run by a shell when it is a script without a first line", async () => {
    using place = scratch()
    const bare = standIn(place.path, "bare", script("echo bare $1\n"))
    expect((await run([dd, "if=x"], { env: { PATH: bare } })).stdout).toBe("bare if=x\n")
  })

  test("is missed in one line, with the status of a command not found", async () => {
    const ended = await run([dd, ...call.slice(1)], { env: { PATH: "/nonexistent" } })
    expect(ended).toEqual({
      status: 127,
      signal: null,
      stdout: "",
      stderr: expect.stringMatching(/^dd: .*which is not on PATH.*\n$/)
    })
  })
})

describe("this program keeps", () => {
  test("every call under the name daydream", async () => {
    const { status, stdout } = await run([daydream, "bs=1", "count=2"], { stdin: "abc", env: { PATH: systemPath } })
    expect(stdout).not.toContain("ab")
    expect(status).toBe(2)
  })

  test("a call under a name that only begins with dd", async () => {
    using place = scratch()
    const other = join(place.path, "dd2")
    symlinkSync(dd, other)
    expect((await run([other, "if=/dev/null"], { env: { PATH: systemPath } })).status).toBe(2)
  })

  test("its own commands in a pipe", async () => {
    const { stdout } = await run(["bash", "-c", "echo | dd --version | cat"], { env: { PATH: installedPath } })
    expect(stdout).toStartWith("dd ")
  })

  test("a bare call on a terminal", async () => {
    const shown: Array<string> = []
    const child = Bun.spawn([dd], {
      env: { PATH: "/nonexistent", TERM: "dumb" },
      terminal: { cols: 80, rows: 24, data: (_terminal, data) => shown.push(data.toString()) }
    })
    await child.exited
    expect(shown.join("")).not.toContain("no other dd")
    expect(child.exitCode).not.toBe(127)
  })
})
