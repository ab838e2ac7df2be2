/**
 * The prompts and tools of one review of a small made-up project, whole, as the last section of docs/prompts.md:
 * `bun test/support/wholePrompts.ts` writes it. Texts that several prompts have are written once.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { compareText } from "../../src/domain/text/compareText.ts"
import type { Asked } from "./Asked.ts"
import { modelReviews } from "./modelReviews.ts"
import { agreement, handing, type Script, submitOf } from "./modelServer.ts"

const document = join(import.meta.dir, "../../docs/prompts.md")
const heading = "## The prompts of one review, whole\n"

const before = {
  "shop/cart.py": [
    "def total(items):",
    "    if not items:",
    "        return 0",
    "    return sum(item.price * item.count for item in items)",
    ""
  ].join("\n"),
  "shop/invoice.py": [
    "from shop.cart import total",
    "",
    "",
    "def invoice(order):",
    '    return {"id": order.id, "total": total(order.items)}',
    ""
  ].join("\n"),
  "web/cart.ts": ["export const shown = (cart: { total: number }) => `${cart.total} EUR`", ""].join("\n"),
  "web/page.ts": [
    'import { shown } from "./cart.ts"',
    "",
    "export const title = (cart: { total: number }) => shown(cart)",
    ""
  ].join("\n"),
  "README.md": "# Shop\n"
}

const after = {
  "shop/cart.py": [
    "def total(items):",
    "    # In cents, so that nothing is rounded.",
    "    return sum(round(item.price * 100) * item.count for item in items)",
    ""
  ].join("\n"),
  "web/cart.ts": ["export const shown = (cart: { total: number }) => `${(cart.total / 100).toFixed(2)} EUR`", ""].join(
    "\n"
  ),
  "README.md": "# Shop\n\nTotals are in cents.\n"
}

const claim = {
  title: "Invoices show cents as euros",
  description: "total() returns cents now, and invoice() gives them to accounting as euros. Divide by 100 there.",
  file: "shop/cart.py",
  line: 3,
  endLine: null,
  severity: "high",
  confidence: "MEDIUM",
  quote: "    return sum(round(item.price * 100) * item.count for item in items)",
  rationale: "invoice() passes the result of total() on without a change.",
  evidence: "shop/cart.py:3, shop/invoice.py:5",
  suggestion: null
}

const script: Script = (asked, nth) =>
  submitOf(asked) === "submit_verification"
    ? { calls: [{ name: "submit_verification", input: agreement(asked.told) }] }
    : handing({
        submit_intent: { intent: "Totals become cents, so that sums of prices are exact." },
        submit_alternatives: { alternatives: [] },
        submit_review: {
          review: "One defect.",
          issues:
            asked.told.includes("# Profile: structure") || asked.told.includes("# Profile: python") ? [claim] : [],
          coverage: Object.keys(after).map((path) => ({ path, status: "reviewed", reason: "" }))
        },
        submit_verdicts: {
          verdicts: [...asked.told.matchAll(/^Number (\d+):$/gm)].map(([, id]) => ({
            id: Number(id),
            reason: "shop/invoice.py:5 passes the number on.",
            verdict: "confirmed"
          }))
        }
      })(asked, nth)

interface Tool {
  readonly name: string
  readonly description: string
  readonly input_schema: unknown
}

interface Body {
  readonly tools?: ReadonlyArray<Tool>
  readonly system?: ReadonlyArray<{ readonly text: string }>
  readonly messages: ReadonlyArray<{
    readonly content: ReadonlyArray<{ readonly type: string; readonly text?: string }>
  }>
}

/** What each kind of prompt is for. */
const kinds = {
  submit_intent: "Intent",
  submit_alternatives: "Alternatives",
  submit_review: "Review",
  submit_verdicts: "Arbitration",
  submit_verification: "Verification",
  submit_notes: "Merge"
} as const

const profileOf = ({ told }: Asked): string => /^# Profile: (\S+)/m.exec(told)?.[1] ?? ""

/** The section, with its heading. */
export const wholePrompts = async (): Promise<string> => {
  await using at = await modelReviews((repository) => {
    repository.commit("Begin", before)
    repository.commit("Keep totals in cents", after)
  }, script)
  await at.report(["--backend", "anthropic"])
  const known = new Map<string, string>()
  const parts: Array<string> = []
  const titles = new Set<string>()
  const order = (asked: Asked) => `${Object.keys(kinds).indexOf(submitOf(asked))} ${profileOf(asked)}`
  // Reviewers are asked at the same time.
  const first = at.asked.filter(({ turns }) => turns === 0).toSorted((a, b) => compareText(order(a), order(b)))
  for (const asked of first) {
    const { messages, system = [] } = asked.heard.body as unknown as Body
    const texts = [...system, ...(messages[0]?.content ?? [])].flatMap(({ text }) => text ?? [])
    const kind = kinds[submitOf(asked) as keyof typeof kinds]
    const title = kind === "Review" ? `Review of ${profileOf(asked)}` : kind
    if (kind === undefined || titles.has(title)) continue
    titles.add(title)
    const shown = texts.map((text) => {
      const earlier = known.get(text)
      if (earlier !== undefined) return `(the text ${earlier})\n`
      const name = `${known.size + 1}`
      known.set(text, name)
      return `Text ${name}:\n\n${fenced(text)}`
    })
    parts.push(`### ${title}\n`, ...shown)
  }
  const tools = new Map(
    first.flatMap(({ heard }) => ((heard.body as unknown as Body).tools ?? []).map((tool) => [tool.name, tool]))
  )
  parts.push("### Tools\n", ...[...tools.values()].map(toolText))
  const nonce = /The word in the fences of this run is `(\w+)`/.exec(parts.join("\n"))?.[1] ?? ""
  return [heading, ...introduction, ...parts].join("\n").replaceAll(nonce, "bcdfghjkmn")
}

const introduction = [
  "A change of three files in Python, TypeScript and Markdown, reviewed by Claude models. A text that an earlier prompt has is named by",
  "its number. The tools are at the end. `bun test/support/wholePrompts.ts` writes this section, and a test compares it.",
  ""
]

const toolText = ({ description, input_schema, name }: Tool): string =>
  `\`${name}\`: ${description}\n\n\`\`\`json\n${JSON.stringify(input_schema)}\n\`\`\`\n`

/** Longer than any fence in the text. */
const fenced = (text: string): string => {
  const longest = Math.max(3, ...[...text.matchAll(/^`{3,}/gm)].map(([ticks]) => ticks.length + 1))
  const fence = "`".repeat(longest)
  return `${fence}text\n${text.trimEnd()}\n${fence}\n`
}

export const documented = (): string => {
  const text = readFileSync(document, "utf8")
  return text.slice(text.indexOf(heading))
}

if (import.meta.main) {
  const text = readFileSync(document, "utf8")
  const kept = text.includes(heading) ? text.slice(0, text.indexOf(heading)) : `${text.trimEnd()}\n\n`
  writeFileSync(document, `${kept}${await wholePrompts()}`)
}
