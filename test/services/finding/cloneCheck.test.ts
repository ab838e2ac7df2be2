import { afterAll, describe, expect, test } from "bun:test"
import { Effect, ManagedRuntime } from "effect"
import * as TreeSitter from "../../../src/layers/code/syntax/TreeSitter.ts"
import { SyntaxTrees } from "../../../src/services/code/SyntaxTrees.ts"
import { cloneCheck } from "../../../src/services/finding/cloneCheck.ts"
import { RuleSet } from "../../../src/services/finding/RuleSet.ts"
import { changeOf, sourcesOf, type Texts } from "../../support/change.ts"
import { shipped } from "../../support/rules.ts"

const parsing = ManagedRuntime.make(TreeSitter.layer)
afterAll(() => parsing.dispose())

const reviewOf = (texts: Texts, others: Readonly<Record<string, string>> = {}) =>
  parsing.runPromise(
    cloneCheck(changeOf(texts)).pipe(
      Effect.provide(SyntaxTrees.layer),
      Effect.provide([sourcesOf(texts, others), RuleSet.layerOf(shipped("clone/*"))])
    )
  )

const said = async (texts: Texts, others: Readonly<Record<string, string>> = {}) =>
  (await reviewOf(texts, others)).records.map(({ evidence }) => evidence)

const python = (name: string, rows: string, more = "") => `def ${name}(${rows}, limit):
    seen = set()
    kept = []
    for row in ${rows}:
        key = normalise_key(row.customer_id)
        if key in seen:
            continue
        seen.add(key)
        kept.append(row.as_record())
${more}    return kept[:limit]
`

/** One function of seven statements a language: the original, and a copy under other names. */
const languages: Readonly<Record<string, (name: string, own: string) => string>> = {
  "a.py": (name, own) => python(name, own),
  "a.ts": (name, own) => `export const ${name} = async (${own}: Order): Promise<Total> => {
  const discount = await discountFor(${own}.customer)
  let amount = 0
  for (const line of ${own}.lines) {
    if (line.cancelled) continue
    amount += line.quantity * line.unitPrice
  }
  logger.debug("total of an order")
  return { amount, discount }
}
`,
  "a.go": (name, own) => `package shop

func ${name}(${own} string) ([]Record, error) {
	file, err := openChecked(${own})
	if err != nil {
		return nil, wrapFailure("open records", err)
	}
	defer file.Close()
	records, err := decodeRecords(file)
	if err != nil {
		return nil, wrapFailure("decode records", err)
	}
	return records.Sorted(), nil
}
`,
  "a.rs": (name, own) => `pub fn ${name}(${own}: &Path) -> Result<Vec<Record>, Failure> {
    let text = read_checked(${own})?;
    let mut records = Vec::new();
    for line in text.lines() {
        let record = parse_record(line)?;
        if record.cancelled {
            continue;
        }
        records.push(record.normalised());
    }
    Ok(records)
}
`,
  "a.java": (name, own) => `class A {
  List<Record> ${name}(Path ${own}) throws IOException {
    String text = readChecked(${own});
    List<Record> records = new ArrayList<>();
    for (String line : text.split("!")) {
      Record record = parseRecord(line);
      if (record.isCancelled()) {
        continue;
      }
      records.add(record.normalised());
    }
    return records;
  }
}
`,
  "a.rb": (name, own) => `def ${name}(${own})
  text = read_checked(${own})
  records = []
  text.each_line do |line|
    record = parse_record(line)
    next if record.cancelled?
    records << record.normalised
  end
  logger.info("read customer records")
  records.sort_by(&:created_on)
end
`,
  "a.ex": (name, own) => `defmodule A do
  def ${name}(${own}) do
    text = read_checked(${own})
    records = Records.parse_all(text)
    kept = Enum.reject(records, & &1.cancelled)
    Logger.info("read customer records")
    sorted = Records.sort_by_date(kept)
    Telemetry.execute([:shop, :read], %{count: length(sorted)})
    {:ok, sorted}
  end
end
`,
  "a.swift": (name, own) => `func ${name}(${own}: URL) throws -> [Record] {
  let text = try readChecked(${own})
  var records: [Record] = []
  for line in text.lines {
    let record = try parseRecord(line)
    if record.isCancelled { continue }
    records.append(record.normalised())
  }
  logger.info("read customer records")
  return records
}
`
}

describe("a new function that repeats an existing one", () => {
  for (const [path, text] of Object.entries(languages)) {
    const copied = `copy/b${path.slice(path.indexOf("."))}`
    test(`is found under another name and with other variables in ${path}`, async () => {
      const records = await reviewOf(
        { [copied]: [null, text("fetchAgain", "place")] },
        { [path]: text("load", "given") }
      )
      expect(records.records.map(({ evidence }) => evidence.split("; ").map((each) => each.split(":")[0]))).toEqual([
        [copied, path]
      ])
    })
  }

  test("is reported with the line of the original, its size and the differences", async () => {
    const text = python("distinct", "items").replace("as_record", "as_dict")
    const { records } = await reviewOf(
      { "b.py": [null, text] },
      { "a.py": `import x\n\n\n${python("unique", "rows")}` }
    )
    expect(records.map(({ description }) => description)).toEqual([
      "`distinct` repeats `unique` of a.py:4. Its 9 statements are the same, but for `as_record` is `as_dict`."
    ])
  })

  test("is found in the same file, and its original is not taken for new", async () => {
    const original = python("unique", "rows")
    expect(await said({ "a.py": [original, `${original}\n\n${python("distinct", "items")}`] })).toEqual([
      "a.py:13; a.py:1"
    ])
  })

  test("is one finding where several functions of one file repeat those of another", async () => {
    const second = python("second", "rows", "    audit_kept_rows(kept)\n")
    const { records } = await reviewOf(
      { "b.py": [null, `${python("one", "items")}\n\n${second.replace("second", "two")}`] },
      { "a.py": `${python("first", "rows")}\n\n${second}` }
    )
    expect(records.map(({ evidence, title }) => [title, evidence])).toEqual([
      ["`one` and 1 more new function repeat functions of a.py", "b.py:1; a.py:1; a.py:13"]
    ])
  })
})

describe("is silent about", () => {
  const silent = (title: string, texts: Texts, others: Readonly<Record<string, string>> = {}) =>
    test(title, async () => expect(await said(texts, others)).toEqual([]))
  const original = python("unique", "rows")
  const copy = python("distinct", "items")

  silent(
    "a function that moved and was renamed on the way",
    { "a.py": [original, "X = 1\n"], "b.py": [null, copy] },
    {
      "c.py": original
    }
  )
  silent("a file that was split", {
    "a.py": [
      `${original}\n\n${python("other", "rows", "    audit(kept)\n")}`,
      python("other", "rows", "    audit(kept)\n")
    ],
    "b.py": [null, original]
  })
  silent(
    "a function with a statement more",
    { "b.py": [null, python("distinct", "items", "    audit(kept)\n")] },
    {
      "a.py": original
    }
  )
  silent(
    "names that are not exchanged throughout",
    { "b.py": [null, copy.replace("key in seen", "key in kept")] },
    {
      "a.py": original
    }
  )
  silent(
    "fewer than six statements",
    {
      "b.py": [
        null,
        "def a(given_rows):\n    x = load_rows(given_rows)\n    audit_rows(x)\n    publish_rows(x)\n    return x.first_row()\n"
      ]
    },
    {
      "a.py":
        "def b(given_rows):\n    x = load_rows(given_rows)\n    audit_rows(x)\n    publish_rows(x)\n    return x.first_row()\n"
    }
  )
  silent("a test's copy", { "tests/test_b.py": [null, copy] }, { "a.py": original })
  silent(
    "an original in vendored or generated code",
    { "b.py": [null, copy] },
    {
      "vendor/a.py": original,
      "a_pb2.py": original,
      "c.py": `# Code generated by x. DO NOT EDIT.\n${original}`
    }
  )
  silent("a migration's copy", { "app/migrations/2.py": [null, copy] }, { "a.py": original })
  silent(
    "one file a platform",
    { "open_windows.go": [null, languages["a.go"]!("load", "given")] },
    {
      "open_linux.go": languages["a.go"]!("load", "given")
    }
  )
  silent(
    "an implementation that its trait asks for",
    {
      "b.rs": [null, `impl Load for B {\n${languages["a.rs"]!("load", "given").replace("pub ", "")}}\n`]
    },
    { "a.rs": languages["a.rs"]!("load", "given") }
  )
  silent("an original that the change touches too", {
    "a.py": [original.replace("    kept = []\n", ""), original],
    "b.py": [null, copy]
  })
  silent("two new ones that repeat each other", { "a.py": [null, original], "b.py": [null, copy] })
  silent(
    "text that does not parse there",
    { "b.py": [null, copy.replace("in seen:", "in seen: ) (")] },
    { "a.py": original }
  )
  silent("nothing at all", {})
})

test("ignores comments, documentation and quotes", async () => {
  const commented = python("distinct", "items").replace("    seen", '    """Say why."""\n    # first\n    seen')
  expect(await said({ "b.py": [null, commented] }, { "a.py": python("unique", "rows") })).toEqual(["b.py:1; a.py:1"])
})

test("finds an original that has more lines than its copy, far down in a file with the same words", async () => {
  const noted = python("unique", "rows").replace("        kept", `${"        # Why.\n".repeat(25)}        kept`)
  const calls = "normalise_key(customer_id)\nas_record()\n\n".repeat(60)
  expect(await said({ "b.py": [null, python("distinct", "items")] }, { "a.py": `${calls}${noted}` })).toEqual([
    "b.py:1; a.py:181"
  ])
})

test("finds an original whose context has the blank lines of the copy", async () => {
  const spaced = (name: string, rows: string) => python(name, rows).replaceAll("\n    ", "\n\n    ")
  const base = `X = 1\n${"\n".repeat(12)}`
  const { records } = await reviewOf(
    { "b.py": [base, `X = 1\n\n\n${spaced("distinct", "items")}`] },
    { "a.py": spaced("unique", "rows") }
  )
  expect(records.map(({ line }) => line)).toEqual([4])
})

test("reports the same whatever order the files come in", async () => {
  const texts: Texts = { "b.py": [null, python("b", "items")], "c.py": [null, python("c", "items")] }
  const turned: Texts = { "c.py": [null, python("c", "items")], "b.py": [null, python("b", "items")] }
  const others = { "a.py": python("unique", "rows"), "d.py": python("same", "rows") }
  expect((await reviewOf(texts, others)).records).toEqual((await reviewOf(turned, others)).records)
})

test("reports how many new functions it left out", async () => {
  const many = Array.from({ length: 61 }, (_, at) => python(`f${at}`, "items")).join("\n\n")
  expect((await reviewOf({ "b.py": [null, many] })).omitted).toEqual([
    "clones of 1 of 61 new functions, the smallest ones"
  ])
})
