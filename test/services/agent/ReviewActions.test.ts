import { describe, expect } from "bun:test"
import { spawnSync } from "node:child_process"
import { existsSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Schema } from "effect"
import type { ActionAnswer } from "../../../src/services/agent/runtime/Action.ts"
import { answerBytes } from "../../../src/services/agent/runtime/answerText.ts"
import { type Ask, asking, askingOfPatch, byDefault, lastCommit, staged, withActions } from "../../support/acting.ts"
import { it } from "../../support/effect.ts"
import { fileDirectory } from "../../support/fileDirectory.ts"
import { hostilePaths } from "../../support/hostilePaths.ts"
import { initRepository, makeRepository, type TestRepository } from "../../support/repository.ts"

/** Told in one text, with what went wrong marked. */
const said = ({ isError, text }: ActionAnswer): string => (isError ? `ERROR ${text}` : text)
const told = (ask: Ask, name: string, input: object = {}) => Effect.map(ask(name, input), said)

/** Lines without header and notices. */
const numbered = (text: string): ReadonlyArray<string> => text.split("\n").filter((line) => /^\d+\t/.test(line))

/** One repository for most of the questions: a commit that does a bit of everything. */
const directory = fileDirectory()

const key = `AKIA${"Q7ZX".repeat(4)}`
const pem = [
  "-----BEGIN PRIVATE KEY-----",
  ...Array.from({ length: 6 }, (_, at) => `${"MIIEvQIBADANBgkqhkiG9w0BAQEFAASC"}${at}${"x".repeat(30)}`),
  "-----END PRIVATE KEY-----"
].join("\n")

const makeEverything = (): TestRepository => {
  const repository = initRepository(join(directory, "repo"))
  const inner = initRepository(join(directory, "inner"))
  inner.commit("inner", { "inner.c": "int x;\n" })
  repository.commit("one", {
    "src/cart.py": "def total(items):\n    return sum(items)\n\n\ndef unused():\n    return total([])\n",
    "src/gone.py": "GONE = 1\n",
    "src/old.py": "a line that stays\n".repeat(9),
    "src/shop.py": "from src.cart import total\n\n\ndef checkout(cart):\n    return total(cart)\n",
    "tests/test_cart.py": "from src.cart import total\n\n\ndef test_total():\n    assert total([1]) == 1\n",
    "docs/readme.md": "# Read me\n",
    "crlf.txt": "one\r\ntwo\r\n",
    "empty.txt": "",
    "config.env": `NAME=x\nAWS_KEY=${key}\nEND=1\n`,
    "key.pem": `before\n${pem}\nafter\n`,
    // Nobody is to be kept from looking by these.
    ".gitattributes": "*.py binary\n"
  })
  repository.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner.root, "vendor/inner")
  symlinkSync("/etc/passwd", repository.path("absolute-link"))
  symlinkSync("../../outside", repository.path("src/link.py"))
  symlinkSync("src", repository.path("folder-link"))
  repository.git("mv", "src/old.py", "src/new.py")
  repository.remove("src/gone.py")
  writeFileSync(Buffer.concat([Buffer.from(`${repository.root}/caf`), Buffer.of(0xe9), Buffer.from(".txt")]), "latin\n")
  repository.commit("two", {
    "src/cart.py": `def total(items, tax):\n    return sum(items) + tax\n\n\ndef unused():\n    return total([], 1)\n`,
    "bin.dat": Uint8Array.of(1, 0, 2),
    "long.txt": `${"x".repeat(300)}\n${"y".repeat(5000)}needle${"z".repeat(5000)}\nlast\n`,
    "large.txt": "a line of the large file\n".repeat(100_000),
    "huge.txt": "h".repeat(17_000_000),
    "hidden.txt": "a\u202eb\u200b\u001b[31mc\ttab\n",
    "no newline.txt": "no end",
    "config.env": `NAME=y\nAWS_KEY=${key}\nEND=2\n`,
    "key.pem": `before\n${pem}\nafter that\n`
  })
  return repository
}
const everything = makeEverything()

const ofEverything = <A, E, R>(use: (ask: Ask) => Effect.Effect<A, E, R>) => asking(everything.root, lastCommit, use)

describe("every tool", () => {
  it.live("comes in one order, with closed arguments of simple types that are all described", () =>
    withActions(everything.root, lastCommit, ({ readOnly, write }) =>
      Effect.gen(function* () {
        expect(readOnly.map(({ name }) => name)).toEqual([
          "read_file",
          "list_files",
          "grep",
          "diff",
          "history",
          "symbols"
        ])
        const all = yield* write({ root: everything.root, allow: [] }, "a.txt")
        expect(all.slice(0, readOnly.length).map(({ name }) => name)).toEqual(readOnly.map(({ name }) => name))
        const writing = all.slice(readOnly.length)
        expect(writing.map(({ name }) => name)).toEqual(["edit_file", "create_file", "delete_file"])
        const specs = [...readOnly, ...writing].map(({ description, input, name }) => {
          const { definitions, schema } = Schema.toJsonSchemaDocument(input, { onExcessProperty: "error" })
          expect([name, definitions]).toEqual([name, {}])
          expect(schema).toMatchObject({ type: "object", additionalProperties: false })
          for (const property of Object.values(schema.properties ?? {})) {
            expect([name, property]).toEqual([name, expect.objectContaining({ description: expect.any(String) })])
          }
          expect(description.length).toBeLessThan(500)
          return { name, description, input: schema }
        })
        expect(specs).toMatchSnapshot()
        expect(readOnly.every(({ changesThings }) => !changesThings)).toBe(true)
        expect(
          writing.every(
            ({ changesThings, concurrency, retries }) => changesThings && concurrency === 1 && retries === 0
          )
        ).toBe(true)
      })
    )
  )

  it.live("accepts null for an omitted argument, and explains why arguments of another tool are wrong", () =>
    withActions(everything.root, lastCommit, ({ readOnly }) =>
      Effect.gen(function* () {
        const [read] = readOnly
        const input = yield* Schema.decodeUnknownEffect(read!.input)({
          path: "empty.txt",
          from: null,
          to: null,
          side: null
        })
        expect(said(yield* read!.act(input))).toBe("empty.txt (head) is empty")
        expect(said(yield* read!.act({ pattern: "x" }))).toBe("ERROR these are not the arguments of read_file")
      })
    )
  )

  it.live("refuses every hostile path, on both sides, and never reveals what is there", () =>
    Effect.gen(function* () {
      expect(hostilePaths.length).toBeGreaterThanOrEqual(40)
      yield* ofEverything((ask) =>
        Effect.gen(function* () {
          for (const path of hostilePaths) {
            const calls: ReadonlyArray<readonly [string, object]> = [
              ["read_file", { path }],
              ["read_file", { path, side: "base" }],
              ["list_files", { path }],
              ["grep", { pattern: "root", path }],
              ["diff", { path }],
              ["history", { kind: "log", path }],
              ["history", { kind: "blame", path }],
              ["symbols", { kind: "importers", path }]
            ]
            for (const [name, input] of calls) {
              const answer = yield* ask(name, input)
              expect([name, path.slice(0, 50), answer.isError]).toEqual([name, path.slice(0, 50), true])
              expect(answer.text).not.toContain("root:")
              expect(answer.text).not.toContain("[core]")
              expect(/[\0-\x08\x0b-\x1f\x7f\u202e]/.test(answer.text)).toBe(false)
            }
          }
        })
      )
    })
  )

  it.live("shows nothing of the working tree's links, pipes and neighbours, wherever they are", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      repository.commit("one", { "a.txt": "a\n", "dir/b.txt": "b\n", "dir2/c.txt": "c\n" })
      repository.write("../outside/b.txt", "stolen\n").write("../outside/secret.txt", "stolen\n")
      rmSync(repository.path("dir"), { recursive: true })
      repository.link("dir", "../outside").link("escape.txt", "../outside/secret.txt").link("root", "/")
      spawnSync("mkfifo", [repository.path("pipe")])
      repository.write("a.txt", "changed\n")
      yield* asking(repository.root, byDefault, (ask) =>
        Effect.gen(function* () {
          const paths = ["dir/b.txt", "dir/secret.txt", "escape.txt", "root/etc/passwd", "pipe", "dir", "root"]
          for (const path of paths) {
            const answers = [
              yield* told(ask, "read_file", { path }),
              yield* told(ask, "grep", { pattern: "stolen|root:", path }),
              yield* told(ask, "history", { kind: "blame", path })
            ].join("\n")
            expect([path, answers]).toEqual([path, expect.not.stringMatching(/stolen\n|root:x/)])
          }
          expect(yield* told(ask, "read_file", { path: "escape.txt" })).toContain("symbolic link")
          expect(yield* told(ask, "grep", { pattern: "stolen" })).toContain("no match")
        })
      )
    })
  )

  it.live("hides secrets, also those that span lines, and does not reveal them to guesses", () =>
    ofEverything((ask) =>
      Effect.gen(function* () {
        const answers = [
          yield* told(ask, "read_file", { path: "config.env" }),
          yield* told(ask, "read_file", { path: "key.pem" }),
          yield* told(ask, "read_file", { path: "key.pem", from: 4, to: 4 }),
          yield* told(ask, "diff", { path: "config.env" }),
          yield* told(ask, "diff", { path: "key.pem" }),
          yield* told(ask, "grep", { pattern: "AWS_KEY", context: 2 }),
          yield* told(ask, "grep", { pattern: "after", path: "key.pem", context: 3 })
        ]
        for (const answer of answers) {
          expect(answer).not.toStartWith("ERROR")
          expect(answer).not.toContain(key)
          expect(answer).not.toContain("MIIE")
        }
        expect(answers[0]).toContain("[REDACTED_")
        // A letter more or less, and the marker beside it: all the same to who searches.
        for (const pattern of [
          key.slice(0, 8),
          "AKIA",
          `(${key.slice(0, 5)}|RED)`,
          `AWS_KEY=(?:${key}|.RED)`,
          "MIIE"
        ]) {
          for (const path of ["config.env", "key.pem"]) {
            expect([pattern, yield* told(ask, "grep", { pattern, path })]).toEqual([
              pattern,
              "no match in 1 file (head)"
            ])
          }
        }
      })
    )
  )
})

describe("read_file", () => {
  it.live("numbers lines, of either side, and pages", () =>
    ofEverything((ask) =>
      Effect.gen(function* () {
        expect(yield* told(ask, "read_file", { path: "./src/cart.py", to: 2 })).toBe(
          "src/cart.py (head), 6 lines\n1\tdef total(items, tax):\n2\t    return sum(items) + tax\n[4 more lines: ask again from 3]"
        )
        expect(yield* told(ask, "read_file", { path: "src/cart.py", side: "base", from: 1, to: 1 })).toContain(
          "1\tdef total(items):\n"
        )
        expect(yield* told(ask, "read_file", { path: "crlf.txt" })).toBe("crlf.txt (head), 2 lines\n1\tone\n2\ttwo")
        expect(yield* told(ask, "read_file", { path: "no newline.txt" })).toBe(
          "no newline.txt (head), 1 line\n1\tno end"
        )
        expect(yield* told(ask, "read_file", { path: "crlf.txt", from: 3 })).toBe(
          "ERROR crlf.txt (head) ends with line 2: there is no line 3"
        )
        expect(yield* told(ask, "read_file", { path: "crlf.txt", from: 2, to: 1 })).toStartWith("ERROR to (1)")
        for (const wrong of [{ from: 0 }, { from: -1 }, { from: 1.5 }, { from: "1" }, { side: "other" }, { path: 1 }]) {
          expect(yield* told(ask, "read_file", { path: "crlf.txt", ...wrong })).toStartWith("ERROR arguments")
        }
      })
    )
  )

  it.live("reports what is not text, and where else to look", () =>
    ofEverything((ask) =>
      Effect.gen(function* () {
        const read = (path: string, side?: string) =>
          told(ask, "read_file", side === undefined ? { path } : { path, side })
        expect(yield* read("bin.dat")).toBe("ERROR bin.dat (head) is binary (3 bytes): not shown")
        expect(yield* read("absolute-link")).toContain('symbolic link to "/etc/passwd"; links are not followed')
        expect(yield* read("folder-link/cart.py")).toContain("did you mean src/cart.py")
        expect(yield* read("huge.txt")).toContain("17000000 bytes")
        expect(yield* read("src")).toBe("ERROR src is a folder; list_files shows what is in it")
        expect(yield* read("src/gone.py")).toContain('only at the base: use side "base"')
        expect(yield* read("src/gone.py", "base")).toContain("1\tGONE = 1")
        expect(yield* read("src/old.py")).toBe("ERROR src/old.py is named src/new.py at the head")
        expect(yield* read("src/new.py", "base")).toBe("ERROR src/new.py is named src/old.py at the base")
        expect(yield* read("vendor/inner")).toContain("is a submodule")
        expect(yield* read("vendor/inner/inner.c")).toContain("is a submodule")
        expect(yield* read("scr/cart.py")).toBe(
          "ERROR there is no file scr/cart.py at the head; did you mean src/cart.py?"
        )
        expect(yield* read("nowhere.zig")).toContain("list_files lists the existing files")
        expect(yield* read("caf\\xe9.txt")).toContain("1\tlatin")
      })
    )
  )

  it.live("shows invisible characters, and cuts long lines unless they are requested alone", () =>
    ofEverything((ask) =>
      Effect.gen(function* () {
        expect(yield* told(ask, "read_file", { path: "hidden.txt" })).toContain(
          "1\ta<U+202E>b<U+200B><U+001B>[31mc\ttab"
        )
        const long = numbered(yield* told(ask, "read_file", { path: "long.txt" }))
        expect(long[0]).toBe(`1\t${"x".repeat(300)}`)
        expect(long[1]).toBe(`2\t${"y".repeat(1000)}… [9006 more characters]`)
        expect(numbered(yield* told(ask, "read_file", { path: "long.txt", from: 2, to: 2 }))[0]?.length).toBe(
          2 + 10_006
        )
      })
    )
  )

  it.live("pages through a file that is too large for a review", () =>
    ofEverything((ask) =>
      Effect.gen(function* () {
        const answer = yield* told(ask, "read_file", { path: "large.txt", from: 99_999 })
        expect(answer).toBe(
          "large.txt (head), 100000 lines\n99999\ta line of the large file\n100000\ta line of the large file"
        )
        const first = yield* told(ask, "read_file", { path: "large.txt" })
        expect(numbered(first).length).toBe(1000)
        expect(first).toEndWith("[99000 more lines: ask again from 1001]")
      })
    )
  )
})

describe("list_files", () => {
  it.live("lists a folder with what is in it, submodules and what the change touched", () =>
    ofEverything((ask) =>
      Effect.gen(function* () {
        const root = yield* told(ask, "list_files")
        expect(root).toStartWith("the root (head), ")
        for (const entry of [
          "docs/\t1 file\n",
          "src/\t4 files, 3 changed\n",
          "crlf.txt\n",
          "bin.dat\tadded by this change\n"
        ]) {
          expect(root).toContain(entry)
        }
        expect(root).toContain("caf\\xe9.txt")
        expect(yield* told(ask, "list_files", { path: "vendor" })).toContain(
          "vendor/inner/\tsubmodule: another repository"
        )
        expect(yield* told(ask, "list_files", { path: "src/", side: "base" })).toBe(
          [
            "src/ (base), 4 entries",
            "src/cart.py\tmodified by this change",
            "src/gone.py\tdeleted by this change",
            "src/old.py\trenamed by this change",
            "src/shop.py"
          ].join("\n")
        )
        expect(yield* told(ask, "list_files", { path: "src/cart.py" })).toBe("src/cart.py\tmodified by this change")
        expect(yield* told(ask, "list_files", { path: "sources" })).toStartWith("ERROR there is no file sources")
      })
    )
  )

  it.live("finds files by pattern at any depth, and pages", () =>
    ofEverything((ask) =>
      Effect.gen(function* () {
        const names = (input: object) =>
          Effect.map(told(ask, "list_files", input), (text) =>
            text
              .split("\n")
              .slice(1)
              .map((line) => line.split("\t")[0])
          )
        const python = ["src/cart.py", "src/link.py", "src/new.py", "src/shop.py", "tests/test_cart.py"]
        expect(yield* names({ glob: "*.py" })).toEqual(python)
        expect(yield* names({ glob: "**/*cart*" })).toEqual(["src/cart.py", "tests/test_cart.py"])
        expect(yield* names({ glob: "s*.py", path: "src" })).toEqual(["src/shop.py"])
        expect(yield* names({ glob: "*.{md,env}" })).toEqual(["config.env", "docs/readme.md"])
        expect(yield* names({ glob: "*.py", from: 5 })).toEqual(["tests/test_cart.py"])
        expect(yield* told(ask, "list_files", { glob: "*.zig" })).toBe("*.zig in the root (head): no file")
        for (const glob of ["", "!*.py", "../*", "*".repeat(600)]) {
          expect(yield* told(ask, "list_files", { glob })).toStartWith("ERROR glob")
        }
      })
    )
  )

  it.live("stays within its bounds in a folder of thousands of files", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      const files = Object.fromEntries(Array.from({ length: 1200 }, (_, at) => [`d/${"n".repeat(90)}${at}.txt`, ""]))
      repository.commit("one", files)
      yield* asking(repository.root, lastCommit, (ask) =>
        Effect.gen(function* () {
          const seen = new Set<string>()
          let from: number | null = 1
          while (from !== null) {
            const answer: string = yield* told(ask, "list_files", { path: "d", from })
            expect(answer.length).toBeLessThan(answerBytes + 500)
            for (const line of answer.split("\n")) if (line.startsWith("d/n")) seen.add(line)
            from = Number(/ask again from (\d+)/.exec(answer)?.[1] ?? 0) || null
          }
          expect(seen.size).toBe(1200)
        })
      )
    })
  )
})

describe("diff", () => {
  it.live("lists the files of the change with what became of them", () =>
    ofEverything((ask) =>
      Effect.gen(function* () {
        const list = yield* told(ask, "diff")
        expect(list).toStartWith("17 changed files: ")
        for (const entry of [
          "modified\tsrc/cart.py\t+3 -3, 1 hunk",
          "deleted\tsrc/gone.py\t",
          "renamed\tsrc/old.py -> src/new.py\t+0 -0, 0 hunks",
          "added\tbin.dat\t+0 -0, 0 hunks; binary",
          "added\tvendor/inner\t"
        ]) {
          expect([list, entry.split(",")[0]]).toEqual([
            expect.stringContaining(entry.split("\t+")[0]!),
            entry.split(",")[0]
          ])
        }
        expect(list).toContain("symbolic link")
        expect(list).toContain("submodule")
        expect(list).not.toContain("1 hunk; binary")
      })
    )
  )

  it.live("shows a file's hunks with the line numbers of both sides", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      const lines = Array.from({ length: 40 }, (_, at) => `line ${at + 1}\n`)
      repository.commit("one", { "a.txt": lines.join(""), "same.txt": "s\n", "w.txt": "x\r\n" })
      lines[4] = "five\n"
      lines.splice(30, 1)
      repository.commit("two", { "a.txt": lines.join("").trimEnd(), "w.txt": "y\r\n" })
      yield* asking(repository.root, lastCommit, (ask) =>
        Effect.gen(function* () {
          const whole = yield* told(ask, "diff", { path: "a.txt" })
          expect(whole.split("\n").slice(0, 10)).toEqual([
            "modified\ta.txt\t+2 -3, 3 hunks",
            "hunk 1: @@ -2,7 +2,7 @@ line 1",
            " 2  2  line 2",
            " 3  3  line 3",
            " 4  4  line 4",
            " 5    -line 5",
            "    5 +five",
            " 6  6  line 6",
            " 7  7  line 7",
            " 8  8  line 8"
          ])
          expect(whole).toContain("31    -line 31\n")
          expect(whole).toContain("   39 +line 40 [no newline at the end of the file]")
          const third = yield* told(ask, "diff", { path: "a.txt", hunk: 3 })
          expect(third.split("\n")[1]).toStartWith("hunk 3: ")
          expect(third).not.toContain("five")
          expect(yield* told(ask, "diff", { path: "a.txt", hunk: 4 })).toBe(
            "ERROR a.txt has 3 hunks; there is no hunk 4"
          )
          expect(yield* told(ask, "diff", { path: "w.txt" })).toContain("1   -x\n  1 +y")
          expect(yield* told(ask, "diff", { path: "same.txt" })).toBe(
            "ERROR same.txt is not changed; read_file shows it"
          )
          expect(yield* told(ask, "diff", { path: "b/a.txt" })).toContain("did you mean a.txt?")
        })
      )
    })
  )

  it.live("pages through a large diff to its last line", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      repository.commit("one", { "a.txt": "" })
      repository.commit("two", { "a.txt": Array.from({ length: 5000 }, (_, at) => `a line number ${at}\n`).join("") })
      yield* asking(repository.root, lastCommit, (ask) =>
        Effect.gen(function* () {
          const added: Array<string> = []
          let from: number | null = 1
          let pages = 0
          while (from !== null) {
            const answer: string = yield* told(ask, "diff", { path: "a.txt", from })
            expect(answer.length).toBeLessThan(answerBytes + 500)
            added.push(...(answer.match(/\+a line number \d+$/gm) ?? []))
            from = Number(/ask again from (\d+)/.exec(answer)?.[1] ?? 0) || null
            pages++
          }
          expect([added.length, added.at(-1)]).toEqual([5000, "+a line number 4999"])
          expect(pages).toBeLessThan(6)
        })
      )
    })
  )
})

describe("history", () => {
  it.live("marks the commits of the change, renames, lines and what is not committed", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      const body = Array.from({ length: 12 }, (_, at) => `line ${at}\n`).join("")
      repository.commit("first", { "old.txt": body, "other.txt": "o\n" })
      repository.git("mv", "old.txt", "new.txt")
      repository.commit("moved \u001b[31m", { "other.txt": "p\n" })
      const third = repository.commit("third", { "new.txt": body.replace("line 3", "line three") })
      yield* asking(repository.root, lastCommit, (ask) =>
        Effect.gen(function* () {
          const log = yield* told(ask, "history", { kind: "log" })
          expect(log).toStartWith(`commits up to ${third.slice(0, 12)} (this change), newest first\n`)
          expect(log).toContain(`${third.slice(0, 12)} (this change) 2026-01-02 Ada: third\n    M new.txt`)
          expect(log).toContain("Ada: moved <U+001B>[31m\n")
          expect(log).toContain("    R old.txt -> new.txt")
          const ofFile = yield* told(ask, "history", { kind: "log", path: "new.txt", limit: 1 })
          expect(ofFile).toEndWith("[more: ask again with skip 1]")
          expect(yield* told(ask, "history", { kind: "log", path: "new.txt", skip: 1 })).toContain("    M other.txt")
          const lines = yield* told(ask, "history", { kind: "log", path: "new.txt", from: 4, to: 4 })
          expect(
            lines
              .split("\n")
              .slice(1)
              .map((line) => line.slice(-5))
          ).toEqual(["third", "first"])
          const blame = yield* told(ask, "history", { kind: "blame", path: "new.txt", from: 3, to: 5 })
          expect(blame.split("\n")[0]).toBe("new.txt (head), lines 3-5")
          expect(blame).toContain(`\n4\t${third.slice(0, 12)} (this change) 2026-01-02 Ada: third\n5\t`)
          expect(yield* told(ask, "history", { kind: "blame", path: "new.txt", side: "base" })).not.toContain("third")
          expect(yield* told(ask, "history", { kind: "blame" })).toStartWith("ERROR blame needs a file")
          expect(yield* told(ask, "history", { kind: "log", from: 1 })).toStartWith(
            "ERROR a range of lines needs a file"
          )
        })
      )
      repository.write("new.txt", `${body}uncommitted\n`)
      yield* asking(repository.root, byDefault, (ask) =>
        Effect.gen(function* () {
          const blame = yield* told(ask, "history", { kind: "blame", path: "new.txt", from: 12 })
          expect(blame).toEndWith("\n13\tnot committed yet")
        })
      )
      repository.git("add", "--all")
      yield* asking(repository.root, staged, (ask) =>
        Effect.gen(function* () {
          expect(yield* told(ask, "history", { kind: "blame", path: "new.txt", from: 13 })).toEndWith(
            "not committed yet"
          )
          expect(yield* told(ask, "history", { kind: "log", limit: 1 })).toContain("third")
        })
      )
    })
  )

  it.live("reports a shallow clone, and what git has not tracked", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      repository.commit("one", { "a.txt": "1\n" })
      repository.commit("two", { "a.txt": "2\n" })
      repository.write("../private", "a private line\n")
      repository.git("config", "blame.ignoreRevsFile", repository.path("../private"))
      repository.commit("three", { "a.txt": "3\n" })
      const shallow = repository.path("../shallow")
      repository.git("clone", "--quiet", "--depth=2", `file://${repository.root}`, shallow)
      yield* asking(repository.root, lastCommit, (ask) =>
        Effect.gen(function* () {
          const blame = yield* told(ask, "history", { kind: "blame", path: "a.txt" })
          expect(blame).toBe("ERROR git blame ended with 128")
        })
      )
      yield* asking(shallow, lastCommit, (ask) =>
        Effect.gen(function* () {
          expect(yield* told(ask, "history", { kind: "log" })).toEndWith(
            "[this clone is shallow: older commits are not here]"
          )
          expect(yield* told(ask, "history", { kind: "blame", path: "a.txt" })).toContain("three")
        })
      )
    })
  )
})

describe("symbols", () => {
  it.live("lists definitions, uses, callers, callees, tests, importers and co-changes", () =>
    ofEverything((ask) =>
      Effect.gen(function* () {
        const of = (kind: string, more: object) => told(ask, "symbols", { kind, ...more })
        expect(yield* of("definitions", { name: "total" })).toBe(
          "definitions of total: 1\nsrc/cart.py:1-2\tfunction total(items, tax)"
        )
        expect(yield* of("references", { name: "total" })).toContain("src/shop.py:5\tcall")
        expect(yield* of("callers", { name: "total" })).toContain("src/shop.py:5\tcheckout")
        expect(yield* of("callees", { name: "checkout" })).toContain("src/cart.py:1-2\tfunction total")
        expect(yield* of("tests", { name: "total" })).toContain("tests/test_cart.py\tuses it")
        expect(yield* of("importers", { path: "src/cart.py" })).toContain("src/shop.py")
        expect(yield* of("changes_with", { path: "src/cart.py" })).toContain("none found")
        expect(yield* of("definitions", { name: "nothing_like_it" })).toContain("none found")
        expect(yield* of("callers", { name: "nothing_like_it" })).toStartWith("ERROR no definition")
        expect(yield* of("callers", { name: "total", path: "src/shop.py" })).toContain("is not defined there, but in")
        expect(yield* of("callers", {})).toStartWith("ERROR callers needs a name")
        expect(yield* of("importers", {})).toStartWith("ERROR importers needs a file")
        for (const name of ["\0", "a\nb", "x".repeat(1000), "../../etc", "-rf", "$(id)"]) {
          const answer = yield* of("definitions", { name })
          expect(answer).toMatch(/^ERROR|none found/)
        }
      })
    )
  )

  it.live("lists the candidates of an ambiguous name", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      repository.commit("one", { "a.py": "def f():\n    pass\n", "b.py": "def f():\n    pass\n\n\nf()\n" })
      yield* asking(repository.root, lastCommit, (ask) =>
        Effect.gen(function* () {
          const many = yield* told(ask, "symbols", { kind: "callers", name: "f" })
          expect(many).toStartWith("ERROR 2 definitions of f: choose one with path and line\na.py:1-2\t")
          const one = yield* told(ask, "symbols", { kind: "callers", name: "f", path: "b.py" })
          expect(one).toContain("b.py:5\ttop of the file")
        })
      )
    })
  )
})

describe("what is not there", () => {
  const patch = new TextEncoder().encode(
    [
      "diff --git a/src/a.ts b/src/a.ts",
      "--- a/src/a.ts",
      "+++ b/src/a.ts",
      "@@ -10,3 +10,4 @@ function f() {",
      " keep",
      "-old",
      "+new one",
      "+new two",
      " end",
      "diff --git a/fresh.ts b/fresh.ts",
      "new file mode 100644",
      "--- /dev/null",
      "+++ b/fresh.ts",
      "@@ -0,0 +1,2 @@",
      "+first new",
      "+second",
      ""
    ].join("\n")
  )

  it.live("shows the lines of a bare patch, and reports what is unknown", () =>
    askingOfPatch(patch, (ask) =>
      Effect.gen(function* () {
        expect(yield* told(ask, "read_file", { path: "fresh.ts" })).toBe(
          "fresh.ts (head), 2 lines\n1\tfirst new\n2\tsecond"
        )
        expect(yield* told(ask, "read_file", { path: "src/a.ts" })).toBe(
          "src/a.ts (head), 4 lines\n10\tkeep\n11\tnew one\n12\tnew two\n13\tend\n[only a patch is known: of this file, the lines it shows]"
        )
        expect(yield* told(ask, "read_file", { path: "src/a.ts", side: "base", from: 11, to: 11 })).toContain("11\told")
        expect(yield* told(ask, "read_file", { path: "src/b.ts" })).toContain(
          "only a patch is known, and it does not name src/b.ts"
        )
        expect(yield* told(ask, "list_files", { glob: "*.ts" })).toContain("fresh.ts\tadded by this change\nsrc/a.ts")
        expect(yield* told(ask, "grep", { pattern: "new" })).toContain("src/a.ts\n11: new one\n12: new two")
        expect(yield* told(ask, "diff", { path: "src/a.ts" })).toContain("   11 +new one")
        expect(yield* told(ask, "history", { kind: "log" })).toBe("ERROR only a patch is known, without its history")
        expect(yield* told(ask, "symbols", { kind: "definitions", name: "f" })).toStartWith(
          "ERROR only a patch is known"
        )
      })
    )
  )

  it.live("answers in a bare repository, and in one without any commit", () =>
    Effect.gen(function* () {
      const bare = everything.path("../bare.git")
      if (!existsSync(bare)) everything.git("clone", "--quiet", "--bare", everything.root, bare)
      yield* asking(bare, lastCommit, (ask) =>
        Effect.gen(function* () {
          expect(yield* told(ask, "read_file", { path: "src/cart.py", to: 1 })).toContain("1\tdef total(items, tax):")
          expect(yield* told(ask, "grep", { pattern: "def total", side: "base" })).toContain(
            "src/cart.py\n1: def total(items):"
          )
          expect(yield* told(ask, "history", { kind: "blame", path: "src/cart.py", to: 1 })).toContain("two")
        })
      )
      const unborn = yield* makeRepository
      unborn.write("a.txt", "one\n")
      yield* asking(unborn.root, byDefault, (ask) =>
        Effect.gen(function* () {
          expect(yield* told(ask, "read_file", { path: "a.txt" })).toContain("1\tone")
          expect(yield* told(ask, "grep", { pattern: "one" })).toContain("a.txt\n1: one")
          expect(yield* told(ask, "history", { kind: "log" })).toStartWith("ERROR there is no commit")
          expect(yield* told(ask, "read_file", { path: "a.txt", side: "base" })).toContain('use side "head"')
        })
      )
    })
  )

  it.live("answers of what is staged, and of a patch that the working tree has applied", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      repository.commit("one", { "a.txt": "word old\n", "b.txt": "word b\n" })
      repository.write("a.txt", "word staged\n").write("c.txt", "word c\n").git("add", "--all")
      repository.write("a.txt", "word on disk\n")
      const searched = (ask: Ask, side: string) => told(ask, "grep", { pattern: "word", side })
      yield* asking(repository.root, staged, (ask) =>
        Effect.gen(function* () {
          expect(yield* searched(ask, "head")).toEndWith("a.txt\n1: word staged\nb.txt\n1: word b\nc.txt\n1: word c")
          expect(yield* searched(ask, "base")).toEndWith("a.txt\n1: word old\nb.txt\n1: word b")
          expect(yield* told(ask, "read_file", { path: "a.txt" })).toContain("1\tword staged")
        })
      )
      repository.git("commit", "--quiet", "--all", "--message", "two")
      const text = repository.gitBytes("diff", "HEAD~1", "HEAD")
      yield* asking(repository.root, { _tag: "Patch", origin: "a patch", text }, (ask) =>
        Effect.gen(function* () {
          expect(yield* searched(ask, "head")).toEndWith("a.txt\n1: word on disk\nb.txt\n1: word b\nc.txt\n1: word c")
          expect(yield* searched(ask, "base")).toEndWith("a.txt\n1: word old\nb.txt\n1: word b")
          expect(yield* told(ask, "history", { kind: "blame", path: "a.txt" })).toContain("1\t")
          expect(yield* told(ask, "history", { kind: "log", side: "base", limit: 1 })).toContain("Ada: two")
        })
      )
    })
  )

  it.live("reads what a sparse checkout leaves out, and untracked files", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      repository.commit("one", { "in/a.txt": "word a\n", "out/b.txt": "word b\n" })
      repository.git("sparse-checkout", "set", "in")
      repository.write("in/new.txt", "word new\n").write("in/a.txt", "word changed\n")
      expect(existsSync(repository.path("out/b.txt"))).toBe(false)
      yield* asking(repository.root, byDefault, (ask) =>
        Effect.gen(function* () {
          expect(yield* told(ask, "read_file", { path: "out/b.txt" })).toContain("1\tword b")
          const found = yield* told(ask, "grep", { pattern: "word", files_only: true })
          expect(found.split("\n").slice(1)).toEqual(["in/a.txt\t1", "in/new.txt\t1", "out/b.txt\t1"])
          const before = yield* told(ask, "grep", { pattern: "word", side: "base" })
          expect(before).toContain("in/a.txt\n1: word a")
          expect(before).not.toContain("new.txt")
        })
      )
    })
  )
})
