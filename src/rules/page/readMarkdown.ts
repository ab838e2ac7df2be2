/** Reads the parts of a page: the values of its front matter, and its sections with prose and fences. */

/** An error at a line of a page. `problem` ends with the fix. */
export interface PageProblem {
  readonly file: string
  readonly line: number
  readonly problem: string
}

export type Report = (line: number, problem: string) => void

/** A block of code between backticks. */
export interface Fence {
  /** The text after the opening backticks. */
  readonly info: string
  readonly line: number
  readonly text: string
  /** The `###` heading above it, and its number from 0; "" without one. */
  readonly heading: string
  readonly group: number
  /** The prose between it and the previous block. */
  readonly note: string
}

export interface Section {
  /** "" above the first `##`. */
  readonly name: string
  readonly line: number
  /** Its paragraphs in one line. */
  readonly prose: string
  readonly fences: ReadonlyArray<Fence>
}

interface FrontMatter {
  readonly values: ReadonlyMap<string, { readonly value: unknown; readonly line: number }>
  /** The line of the closing `---`. */
  readonly end: number
}

/** Parses each key separately, so that an error in the YAML is reported with its line. */
export const frontMatterOf = (text: string, report: Report): FrontMatter => {
  const lines = text.split("\n")
  const end = lines.indexOf("---", 1)
  if (lines[0] !== "---" || end < 0) {
    report(1, "the front matter is missing; begin the page with --- and end its data with ---")
    return { values: new Map(), end: 0 }
  }
  const values = new Map<string, { readonly value: unknown; readonly line: number }>()
  const starts = lines.flatMap((line, at) => (at > 0 && at < end && /^[^\s#]/.test(line) ? [at] : []))
  for (const [at, start] of starts.entries()) {
    const chunk = lines.slice(start, starts[at + 1] ?? end).join("\n")
    const key = /^([\w-]+):/.exec(chunk)?.[1] ?? ""
    if (key === "" || values.has(key)) {
      report(start + 1, key === "" ? "write the data as key: value" : `${key} is given twice; remove one`)
      continue
    }
    // Keep the key without its value, so that it is not reported as missing.
    values.set(key, { value: undefined, line: start + 1 })
    try {
      const parsed: unknown = Bun.YAML.parse(chunk)
      const value = typeof parsed === "object" && parsed !== null ? Object.entries(parsed)[0]?.[1] : undefined
      values.set(key, { value, line: start + 1 })
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause)
      report(start + 1, `${key}: ${reason}; put its text in single quotes`)
    }
  }
  return { values, end: end + 1 }
}

/** Everything below the front matter, which ends at line `end`. */
export const sectionsOf = (
  text: string,
  end: number,
  report: Report
): { readonly title: string; readonly sections: ReadonlyArray<Section> } => {
  const lines = text.split("\n")
  let title = ""
  let section = { name: "", line: end, prose: [] as Array<string>, fences: [] as Array<Fence> }
  let [heading, group] = ["", -1]
  let note: Array<string> = []
  const all = [section]
  for (let at = end; at < lines.length; at++) {
    const line = lines[at] ?? ""
    const [, marks = "", words = ""] = /^(#{1,3}) +(.*?)\s*$/.exec(line) ?? []
    const [, ticks = "", info = ""] = /^(`{3,})(.*)$/.exec(line) ?? []
    if (ticks !== "") {
      const close = lines.indexOf(ticks, at + 1)
      if (close < 0) {
        report(at + 1, `the fence is not closed; end it with ${ticks}`)
        break
      }
      const code = lines.slice(at + 1, close).map((each) => `${each}\n`)
      section.fences.push({
        info: info.trim(),
        line: at + 1,
        text: code.join(""),
        heading,
        group,
        note: note.join(" ")
      })
      note = []
      at = close
    } else if (marks === "#") {
      title = words
    } else if (marks === "##") {
      section = { name: words, line: at + 1, prose: [], fences: [] }
      heading = ""
      group = -1
      note = []
      all.push(section)
    } else if (marks === "###") {
      heading = words
      group++
    } else if (line.trim() !== "") {
      section.prose.push(line.trim())
      note.push(line.trim())
    }
  }
  return { title, sections: all.map((each) => ({ ...each, prose: each.prose.join(" ") })) }
}
