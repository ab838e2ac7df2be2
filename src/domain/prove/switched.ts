/** A file that holds all of its mutants, of which one is chosen when it runs. */
import type { SyntaxNode } from "../code/Syntax.ts"
import type { Mutant } from "./Mutant.ts"
import type { MutationSyntax } from "./MutationSyntax.ts"

export interface Numbered extends Mutant {
  readonly id: number
}

/**
 * Does what the file does as long as no mutant is chosen. Mutants on nodes that cannot be told apart are left out, so that
 * the numbers of those in it are returned, too.
 */
export const switched = (
  root: SyntaxNode,
  text: string,
  mutants: ReadonlyArray<Numbered>,
  { switches }: MutationSyntax
): { readonly text: string; readonly ids: ReadonlySet<number> } => {
  const ids = new Set<number>()
  const byNode = Map.groupBy(mutants, ({ end, start, type }) => `${start}:${end}:${type}`)
  const nodes = [...byNode.values()]
    .flatMap((own) => {
      const { end = 0, start = 0, type } = own[0] ?? {}
      let node = root.descendantForIndex(start, end)
      // The smallest one comes first, and others may have the same text.
      let depth = 0
      while (node !== null && node.type !== type) [node, depth] = [node.parent, depth + 1]
      return node === null ? [] : [{ own, node, start, end, depth }]
    })
    .toSorted((a, b) => a.start - b.start || b.end - a.end || b.depth - a.depth)

  /** The text between two indices with the mutants of the nodes from `at` on; returns where they end. */
  const rendered = (from: number, to: number, at: number): { readonly text: string; readonly next: number } => {
    let [result, position, next] = ["", from, at]
    for (let each = nodes[next]; each !== undefined && each.start < to; each = nodes[next]) {
      const inner = rendered(each.start, each.end, next + 1)
      const original = inner.text
      let now = original
      for (const mutant of each.own) {
        const on = switches.on(mutant.id)
        const wrapped =
          mutant.after === null
            ? switches.statement(on, now, each.node)
            : switches.expression(on, mutant.after, now, each.node)
        if (wrapped === null) continue
        ids.add(mutant.id)
        now = wrapped
      }
      result += text.slice(position, each.start) + now
      position = each.end
      next = inner.next
    }
    return { text: result + text.slice(position, to), next }
  }
  return { text: switches.completed(rendered(0, text.length, 0).text, root), ids }
}
