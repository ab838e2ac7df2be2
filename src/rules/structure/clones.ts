/** The words of the finding that new code repeats what was there. */
import type { RepositoryRule } from "../../domain/finding/Rule.ts"

const python = (name: string, rows: string) => `def ${name}(${rows}, limit):
    seen = set()
    kept = []
    for row in ${rows}:
        key = normalise_key(row.customer_id)
        if key in seen:
            continue
        seen.add(key)
        kept.append(row.as_record())
    logger.info("kept %d customer rows", len(kept))
    return kept[:limit]
`

const script = (name: string, order: string) => `export function ${name}(${order}: Order): Total {
  const discount = discountFor(${order}.customer)
  let amount = 0
  for (const line of ${order}.lines) {
    if (line.cancelled) continue
    amount += line.quantity * line.unitPrice
  }
  amount -= amount * discount.rate
  return { amount, currency: ${order}.currency }
}
`

const go = (name: string, path: string) => `package shop

func ${name}(${path} string) ([]Record, error) {
	file, err := openChecked(${path})
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
`

const unchanged = (text: string): readonly [string, string] => [text, text]

export const cloneRules: ReadonlyArray<RepositoryRule> = [
  {
    _tag: "Repository",
    id: "clone/repeated-function",
    stack: "structure",
    severity: "low",
    confidence: "HIGH",
    title: "A new function repeats an existing one",
    why: "What is written twice is mended once: the next correction of one of them leaves the other as it was.",
    fix: "Call the existing function, or move what both need to one place.",
    reference: "https://cwe.mitre.org/data/definitions/1041.html",
    examples: {
      bad: [
        {
          "shop/rows.py": unchanged(python("unique_rows", "rows")),
          "shop/report.py": ["LIMIT = 10\n", `LIMIT = 10\n\n\n${python("distinct_records", "records")}`]
        },
        {
          "src/totals.ts": unchanged(script("orderTotal", "order")),
          "src/checkout.tsx": [null, script("cartTotal", "cart")]
        },
        {
          "shop/records.go": unchanged(go("LoadRecords", "path")),
          "shop/imports.go": [null, go("readAll", "name")]
        }
      ],
      good: [
        // A function that moves, under another name or not, repeats nothing.
        {
          "shop/rows.py": [python("unique_rows", "rows"), "LIMIT = 10\n"],
          "shop/unique.py": [null, python("unique_rows", "rows")]
        },
        // The same shape that does something else.
        {
          "src/totals.ts": unchanged(script("orderTotal", "order")),
          "src/weights.ts": [
            null,
            script("parcelWeight", "parcel")
              .replace("discountFor", "packagingOf")
              .replace("customer", "sender")
              .replace(".lines", ".items")
              .replace("line.cancelled", "line.virtual")
              .replace("quantity * line.unitPrice", "pieces * line.grams")
              .replace("discount.rate", "discount.share")
          ]
        },
        // One statement more.
        {
          "shop/records.go": unchanged(go("LoadRecords", "path")),
          "shop/imports.go": [
            null,
            go("readAll", "name").replace("\tdefer file.Close()", "\tlogOpening(name)\n\tdefer file.Close()")
          ]
        },
        // Both are new: neither was there to be called.
        {
          "src/totals.ts": [null, script("orderTotal", "order")],
          "src/checkout.ts": [null, script("cartTotal", "cart")]
        },
        { "tests/test_rows.py": unchanged(python("unique_rows", "rows")), "shop/rows.py": [null, python("rows", "a")] }
      ]
    }
  }
]
