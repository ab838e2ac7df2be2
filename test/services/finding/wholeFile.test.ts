/** Rules for whole files report an untouched line that the change makes wrong by editing other lines. */
import { describe, expect, test } from "bun:test"
import type { Texts } from "../../support/change.ts"
import { reviewBy, shipped } from "../../support/rules.ts"

const rules = shipped(
  "react/conditional-hook",
  "py/blocking-in-async",
  "go/lock-copied-by-receiver",
  "go/lock-not-released",
  "java/double-checked-without-volatile"
)

const reported = async (texts: Texts): Promise<ReadonlyArray<string>> => {
  const { problems, records } = await reviewBy(rules, texts)
  expect(problems).toEqual([])
  return records.map(({ file, line }) => `${file}:${line}`)
}

const page = `export function Page({ on }) {
  const title = useTitle()

  const [x, setX] = useState(0)
  const [y, setY] = useState(0)
  return <b onClick={() => setX(y)}>{x}</b>
}
`
const withReturn = page.replace("Title()\n", "Title()\n  if (!on) return null\n")
const wait = "import time\n\ndef wait():\n    n = 1\n    log(n)\n    time.sleep(n)\n"
const asyncWait = wait.replace("def", "async def")
const store = `class Store {
  private static volatile Store store;

  static Store get() {
    if (store == null) {
      synchronized (Store.class) {
        if (store == null) {
          store = new Store();
        }
      }
    }
    return store;
  }
}
`
const counter =
  'package a\n\nimport "sync"\n\ntype Counter struct {\n\tn int\n}\n\nvar all sync.Mutex\n\nfunc (c Counter) Add() {\n\tc.n++\n}\n'
const early =
  'package a\n\nimport "sync"\n\nvar mu sync.Mutex\n\nfunc add(n int) int {\n\tlog(n)\n\tif n == 0 {\n\t\treturn 0\n\t}\n\tlog(n)\n\treturn n\n}\n'
const locked = early.replace("int {\n", "int {\n\tmu.Lock()\n").replace("\treturn n\n", "\tmu.Unlock()\n\treturn n\n")

describe("reported", () => {
  const cases: ReadonlyArray<readonly [name: string, texts: Texts, places: ReadonlyArray<string>]> = [
    ["old hooks below a new return", { "a.tsx": [page, withReturn] }, ["a.tsx:5"]],
    ["an old blocking call in a function that is async now", { "a.py": [wait, asyncWait] }, ["a.py:6"]],
    ["a field that is no longer volatile", { "Store.java": [store, store.replace("volatile ", "")] }, ["Store.java:5"]],
    [
      "a method of a type that has a lock now",
      { "a.go": [counter, counter.replace("n int", "n  int\n\tmu sync.Mutex")] },
      ["a.go:12"]
    ],
    ["an old return below a new lock", { "a.go": [early, locked] }, ["a.go:11"]]
  ]
  for (const [name, texts, places] of cases) test(name, async () => expect(await reported(texts)).toEqual(places))

  test("one finding names the other lines", async () => {
    const { records } = await reviewBy(rules, { "a.tsx": [page, withReturn] })
    expect(records.map(({ description }) => description)).toEqual([
      "Hook is called conditionally. `useState` is called after the return on line 3. The change does not edit this line, but lines that it depends on. The same is true of line 6."
    ])
  })
})

describe("not reported", () => {
  const cases: ReadonlyArray<readonly [name: string, texts: Texts]> = [
    ["what was wrong before", { "a.tsx": [withReturn, withReturn.replace("setX(y)", "setX(y + 1)")] }],
    ["what was wrong before in a renamed function", { "a.py": [asyncWait, asyncWait.replace("wait", "pause")] }],
    ["an edit in another function", { "a.py": [asyncWait, `${asyncWait}\n\ndef other():\n    return 2\n`] }],
    [
      "a file that could not be parsed before",
      { "a.py": [`${asyncWait}\ndef (:\n`, `${asyncWait}\ndef other():\n    return 2\n`] }
    ],
    ["a file that is only renamed", { "b.py": [asyncWait, asyncWait] }]
  ]
  for (const [name, texts] of cases) test(name, async () => expect(await reported(texts)).toEqual([]))
})
