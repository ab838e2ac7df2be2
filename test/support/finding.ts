/** A finding of which a test says only what it is about. */
import { Finding } from "../../src/domain/finding/Finding.ts"

export const finding = (fields: Partial<ConstructorParameters<typeof Finding>[0]> = {}): Finding =>
  Finding.make({
    id: 1,
    rule: "py/eval",
    title: "Text is run as code",
    description: "Text is run as code.",
    file: "a.py",
    line: 2,
    endLine: 2,
    column: null,
    endColumn: null,
    label: null,
    related: [],
    severity: "high",
    confidence: "HIGH",
    lens: "per-stack",
    stack: "python",
    source: "static",
    rationale: "",
    evidence: "a.py:2",
    fingerprint: "dd1:0000000000000001",
    suggestion: null,
    verdict: null,
    new: true,
    ...fields
  })
