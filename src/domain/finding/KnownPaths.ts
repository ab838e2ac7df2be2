/**
 * The paths that a text may name. A path is one of them or it is none: nothing is read out of the form of a text.
 *
 * A name is a path as it is, as it is shown, or without the blanks around it; `./`, `a/` and `b/` may be before it.
 */
import { visiblePath } from "../text/Printable.ts"

export interface Citation {
  readonly path: string
  readonly line: number
}

interface Occurrence extends Citation {
  readonly start: number
  readonly end: number
}

export class KnownPaths {
  readonly #names = new Map<string, string>()
  #longest = 0

  constructor(paths: Iterable<string>) {
    const all = new Set(paths)
    for (const path of all) this.#add(path, path)
    const others = new Map<string, string | null>()
    for (const path of all) {
      const shown = visiblePath(path)
      if (shown === path && path === path.trim()) continue
      // A name of two paths is none.
      for (const name of new Set([shown, path.trim(), shown.trim()])) others.set(name, others.has(name) ? null : path)
    }
    for (const [name, path] of others) if (path !== null && name !== "" && !all.has(name)) this.#add(name, path)
    this.#names.delete("")
  }

  #add(name: string, path: string) {
    this.#names.set(name, path)
    this.#longest = Math.max(this.#longest, name.length)
  }

  has(path: string): boolean {
    return this.#names.get(path) === path
  }

  /** The path that a name means; null if it is none of them. */
  named(name: string): string | null {
    return this.#names.get(name) ?? this.#names.get(withoutPrefix(name)) ?? this.#names.get(plain(name)) ?? null
  }

  /** The places `path:line` in a text, in order, and the text without them. */
  cited(text: string): { readonly places: ReadonlyArray<Citation>; readonly rest: string } {
    const found = this.#find(text)
    const rest = found.map(({ start }, at) => text.slice(found[at - 1]?.end ?? 0, start))
    return {
      places: found.map(({ line, path }) => ({ path, line })),
      rest: [...rest, text.slice(found.at(-1)?.end ?? 0)].join(" ")
    }
  }

  /** The text with other paths in its places. */
  renamed(text: string, name: (path: string) => string): string {
    const found = this.#find(text)
    const parts = found.map(({ line, path, start }, at) => {
      return `${text.slice(found[at - 1]?.end ?? 0, start)}${name(path)}:${line}`
    })
    return parts.join("") + text.slice(found.at(-1)?.end ?? 0)
  }

  /** Each with the longest path that ends there. */
  #find(text: string): ReadonlyArray<Occurrence> {
    const found: Array<Occurrence> = []
    let before = text.length
    for (const match of [...text.matchAll(/:(\d{1,7})(?!\d|\.\d)/g)].reverse()) {
      // The others are in the path of a later one.
      if (match.index >= before) continue
      for (let start = Math.max(0, match.index - this.#longest); start < match.index; start++) {
        const path = this.#names.get(text.slice(start, match.index))
        if (path === undefined || !startsName.test(text.slice(Math.max(0, start - longestBefore), start))) continue
        found.push({ path, line: Number(match[1]), start, end: match.index + match[0].length })
        before = start
        break
      }
    }
    return found.reverse()
  }
}

/** What may be before a path: nothing that could be a part of it, but for a prefix. */
const startsName = /(?:^|[^\w./-])(?:\.\/|[ab]\/)?$/
const longestBefore = 3

const withoutPrefix = (name: string): string => name.replace(/^(?:\.\/+)+/, "")
const plain = (name: string): string => withoutPrefix(name.trim()).replace(/(?<!^)\/{2,}/g, "/")
