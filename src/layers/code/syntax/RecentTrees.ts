/**
 * Trees of one grammar: those in use, and the most recently used ones, because several reviewers read the same file.
 *
 * An idle tree is freed when newer ones need its room.
 */
import type { Node, Tree } from "web-tree-sitter"

/** In nodes; each takes up to a hundred bytes of memory. */
const roomForIdle = 800_000

export interface Held {
  readonly text: string
  readonly root: Node
  readonly tree: Tree
  holders: number
  /** Time spent on reading it. */
  readMs: number
}

export class RecentTrees {
  /** Idle trees in the order of their release, oldest first. */
  readonly #idle = new Map<string, Held>()
  readonly #busy = new Map<string, Held>()
  #idleNodes = 0

  /** The tree of this text, parsed if there is none. */
  hold(text: string, parse: () => Tree): Held {
    const known = this.#busy.get(text) ?? this.#wake(text)
    if (known !== undefined) {
      known.holders++
      return known
    }
    const tree = parse()
    const held: Held = { text, root: tree.rootNode, tree, holders: 1, readMs: 0 }
    this.#busy.set(text, held)
    return held
  }

  /** The tree of this text if there is one; null otherwise. It is not held. */
  get(text: string): Tree | null {
    return (this.#busy.get(text) ?? this.#idle.get(text))?.tree ?? null
  }

  release(held: Held): void {
    held.holders--
    if (held.holders > 0) return
    this.#busy.delete(held.text)
    this.#idle.set(held.text, held)
    this.#idleNodes += held.root.descendantCount
    for (const [text, oldest] of this.#idle) {
      if (this.#idleNodes <= roomForIdle) break
      this.#forget(text, oldest)
    }
  }

  /** Frees the trees that are not in use. */
  clear(): void {
    for (const [text, held] of this.#idle) this.#forget(text, held)
  }

  #wake(text: string): Held | undefined {
    const held = this.#idle.get(text)
    if (held === undefined) return undefined
    this.#idle.delete(text)
    this.#idleNodes -= held.root.descendantCount
    this.#busy.set(text, held)
    return held
  }

  #forget(text: string, held: Held): void {
    this.#idle.delete(text)
    this.#idleNodes -= held.root.descendantCount
    held.tree.delete()
  }
}
