/** Each shape is read whole, and in any pieces the same. */
import { describe, expect, test } from "bun:test"
import { Schema } from "effect"
import { emptyScanner, endScan, scanWords, type WordEvent } from "../../../src/domain/agent/WordScanner.ts"
import { it } from "../../support/effect.ts"

const scanned = (pieces: ReadonlyArray<string>): ReadonlyArray<WordEvent> => {
  let scanner = emptyScanner
  const all: Array<WordEvent> = []
  for (const piece of pieces) {
    const [next, seen] = scanWords(scanner, piece)
    scanner = next
    all.push(...seen)
  }
  return [...all, ...endScan(scanner)]
}

/** Pieces of one kind, put together. */
const joined = (seen: ReadonlyArray<WordEvent>): ReadonlyArray<WordEvent> => {
  const whole: Array<WordEvent> = []
  for (const each of seen) {
    const last = whole.at(-1)
    if ("text" in each && last !== undefined && "text" in last && last._tag === each._tag) {
      whole[whole.length - 1] = { ...last, text: last.text + each.text }
    } else whole.push(each)
  }
  return whole
}

const read = (text: string): ReadonlyArray<WordEvent> => joined(scanned([text]))

/** What a reader of the whole cares about: calls and outputs by their bodies, text, reasoning. */
const short = (text: string): ReadonlyArray<string> => {
  let element = ""
  return read(text).flatMap((seen) => {
    switch (seen._tag) {
      case "Text":
        return [`text:${seen.text}`]
      case "Reasoning":
        return [`reasoning:${seen.text}`]
      case "Opened":
        element = `${seen.element} ${Object.values(seen.attributes).join(",")}`
        return []
      case "Closed":
        return [`${element}:${seen.body}${seen.truncated ? " (truncated)" : ""}`]
      default:
        return []
    }
  })
}

const call = (body: string, name = "grep") => `<action_call name="${name}">${body}</action_call>`

const shapes: ReadonlyArray<readonly [name: string, text: string, seen: ReadonlyArray<string>]> = [
  ["a call", call('{"a":1}'), ['action_call grep:{"a":1}']],
  ["prose around a call", `Look: ${call("{}")} Done.`, ["text:Look: ", "action_call grep:{}", "text: Done."]],
  ["the response wrapper, which is nothing", `<response>${call("{}")}</response>`, ["action_call grep:{}"]],
  ["a less-than that begins no tag", `<output>a < b</output>${call("{}")}`, ["output :a < b", "action_call grep:{}"]],
  [
    "a less-than with a letter behind it",
    "<reasoning>for (i=0; i<n; i++) x</reasoning><output>ok</output>",
    ["reasoning:for (i=0; i<n; i++) x", "output :ok"]
  ],
  ["a body that begins with a fence", call('```json\n{"a":1}\n```'), ['action_call grep:```json\n{"a":1}\n```']],
  ["a body that begins with a quote", '<output>"quoted" text</output>', ['output :"quoted" text']],
  [
    "a body that ends with a parenthesis",
    "<output>see foo()</output><output>b</output>",
    ["output :see foo()", "output :b"]
  ],
  ["a body that ends with a backtick", "<output>use `x`</output><output>b</output>", ["output :use `x`", "output :b"]],
  [
    "a quote right behind a closing tag",
    `${call("{}")}") and \`${call("[]", "b")}`,
    ["action_call grep:{}", 'text:") and `', "action_call b:[]"]
  ],
  [
    "its own closing tag inside a JSON string",
    call('{"say":"</action_call> and \\" more"}'),
    ['action_call grep:{"say":"</action_call> and \\" more"}']
  ],
  [
    "another call inside a JSON string",
    call(`{"say":"<action_call name='x'>"}`),
    [`action_call grep:{"say":"<action_call name='x'>"}`]
  ],
  [
    "an output inside reasoning",
    "<reasoning>I will <output>x</output></reasoning>",
    ["reasoning:I will <output>x</output>"]
  ],
  [
    "a call inside reasoning, which is not done",
    `<think>${call("{}")}</think>ok`,
    [`reasoning:${call("{}")}`, "text:ok"]
  ],
  ["a tag nobody knows", "<outputs>x</outputs><b>y</b>", ["text:<outputs>x</outputs><b>y</b>"]],
  ["another case, which is another tag", "<Output>x</Output>", ["text:<Output>x</Output>"]],
  ["a line break before the attributes", '<action_call\n  name="grep">{}</action_call >', ["action_call grep:{}"]],
  [
    "single quotes, dashes and a > inside a value",
    "<action_call name='grep' data-x=\"a>b\">{}</action_call>",
    ["action_call grep,a>b:{}"]
  ],
  ["an element that closes itself", '<action_call name="list"/>ok', ["action_call list:", "text:ok"]],
  ["an output in an output", "<output>a<output>b</output>c</output>", ["output :a<output>b</output>c"]],
  ["a call that is never closed", `<action_call name="grep">{"a":1}`, ['action_call grep:{"a":1} (truncated)']],
  ["a call cut inside of its JSON", `<action_call name="grep">{"a":"<`, ['action_call grep:{"a":"< (truncated)']],
  [
    "a call cut inside of its closing tag",
    `<action_call name="grep">{}</action_c`,
    ["action_call grep:{}</action_c (truncated)"]
  ],
  ["an output that is never closed", "<output>half of", ["output :half of (truncated)"]],
  ["a tag cut in the middle", "text <action_ca", ["text:text <action_ca"]],
  ["a closing tag of nothing", "a</output>b", ["text:a</output>b"]],
  ["nothing", "", []],
  ["half a tag at the end of reasoning", "<think>a <", ["reasoning:a <"]]
]

describe("the scanner of words", () => {
  for (const [name, text, seen] of shapes) {
    test(`F10 reads ${name}`, () => {
      expect(short(text)).toEqual([...seen])
    })
  }

  test("F9 reads every shape the same, one character at a time", () => {
    for (const [, text] of shapes) expect(joined(scanned([...text]))).toEqual([...read(text)])
  })

  const bits = Schema.Array(
    Schema.Literals([
      '<action_call name="a">',
      "</action_call>",
      "<output>",
      "</output>",
      "<reasoning>",
      "</reasoning>",
      "<think>",
      "</thinking>",
      "<thinking>",
      "<response>",
      "{",
      "}",
      "[",
      '"',
      "\\",
      "<",
      "</",
      ">",
      "`",
      "```json\n",
      "\n",
      " ",
      "a < b",
      "i<n",
      "'",
      "=",
      "/",
      "action_call",
      "é",
      "{{calls[0]}}",
      "/>"
    ])
  )
  const sizes = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 9 })))

  it.prop("F9 reads any text the same, wherever it is cut", Schema.Struct({ bits, sizes }), ({ bits, sizes }) => {
    const text = bits.join("")
    const pieces: Array<string> = []
    for (let at = 0, n = 0; at < text.length; n++) {
      const size = sizes[n % Math.max(1, sizes.length)] ?? 1
      pieces.push(text.slice(at, at + size))
      at += size
    }
    expect(joined(scanned(pieces))).toEqual([...read(text)])
  })

  it.prop("loses no character and never repeats a call", bits, (bits) => {
    const text = bits.join("")
    const seen = read(text)
    const opened = seen.filter(({ _tag }) => _tag === "Opened").length
    expect(seen.filter(({ _tag }) => _tag === "Closed")).toHaveLength(opened)
    if (!/<[^<]*(action_call|output|reasoning|think|thinking|response)/.test(text)) {
      expect(seen.map((each) => ("text" in each ? each.text : "")).join("")).toBe(text)
    }
  })

  it.prop("F11 reports an element without its own end as truncated", bits, (bits) => {
    const last = read(`<action_call name="a">{"x": 1${bits.join("").replaceAll("</action_call>", "")}`).at(-1)
    expect(last).toMatchObject({ _tag: "Closed", truncated: true })
  })

  test("retains at most a tag, and reads a long one in linear time", () => {
    const [scanner, seen] = scanWords(emptyScanner, `<output ${"a".repeat(10_000)}`)
    expect(scanner.held).toBe("")
    expect(seen.map((each) => ("text" in each ? each.text.length : 0)).reduce((a, b) => a + b, 0)).toBe(10_008)
    const body = `{"a":"${"<".repeat(200_000)}"}`
    expect(short(call(body))).toEqual([`action_call grep:${body}`])
  })

  test("10,000 damaged replies: none of them a crash, and no call out of a fragment", () => {
    const whole = `<reasoning>see</reasoning>${call('{"path":"a.ts","from":1}')}${call('["x<y"]', "b")}<output>ok</output>`
    let state = 12345
    const random = (below: number) => {
      state = (state * 1103515245 + 12345) % 2147483648
      return state % below
    }
    for (let n = 0; n < 10_000; n++) {
      const at = random(whole.length)
      const damaged = [
        whole.slice(0, at),
        whole.slice(at),
        whole.slice(0, at) + whole.slice(at + 1 + random(8)),
        `${whole.slice(0, at)}${String.fromCharCode(random(128))}${whole.slice(at)}`
      ][n % 4]
      for (const seen of read(damaged ?? "")) {
        // A body that is taken as whole stood between its own tags.
        if (seen._tag === "Closed" && !seen.truncated) expect(damaged).toContain(seen.body)
      }
    }
  })
})
