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

export interface Cited {
  /** The known places, in order. */
  readonly places: ReadonlyArray<Citation>
  /** The text without them. */
  readonly rest: string
}

export class KnownPaths {
  readonly #names = new Map<string, string>()
  #longest = 0

  constructor(paths: Iterable<string>) {
    const all = new Set(paths)
    for (const path of all) this.#add(path, path)
    for (const path of all) {
      if (/^[\x21-\x7e]*$/.test(path)) continue
      const shown = visiblePath(path)
      for (const name of [shown, path.trim(), shown.trim()]) if (!this.#names.has(name)) this.#add(name, path)
    }
    this.#names.delete("")
  }

  #add(name: string, path: string) {
    this.#names.set(name, path)
    this.#longest = Math.max(this.#longest, name.length)
  }

  /** The path that a name means; null if it is none of them. */
  named(name: string): string | null {
    return this.#names.get(name) ?? this.#names.get(withoutPrefix(name)) ?? this.#names.get(plain(name)) ?? null
  }

  /** The places `path:line` in a text, each with the longest path that ends there. */
  cited(text: string): Cited {
    const places: Array<Citation> = []
    const others: Array<string> = []
    let rest = text
    for (const match of [...text.matchAll(/:(\d{1,7})(?!\d|\.\d)/g)].reverse()) {
      // The last places have been cut off.
      if (match.index >= rest.length) continue
      const after = rest.slice(match.index + match[0].length)
      for (let start = Math.max(0, match.index - this.#longest); start < match.index; start++) {
        const path = this.#names.get(text.slice(start, match.index))
        if (path === undefined || !startsName.test(text.slice(Math.max(0, start - longestBefore), start))) continue
        places.push({ path, line: Number(match[1]) })
        others.push(after)
        rest = rest.slice(0, start)
        break
      }
    }
    return { places: places.reverse(), rest: [rest, ...others.reverse()].join(" ") }
  }
}

/** What may be before a path: nothing that could be a part of it, but for a prefix. */
const startsName = /(?:^|[^\w./-])(?:\.\/|[ab]\/)?$/
const longestBefore = 3

const withoutPrefix = (name: string): string => name.replace(/^(?:\.\/+)+/, "")
const plain = (name: string): string => withoutPrefix(name.trim()).replace(/(?<!^)\/{2,}/g, "/")
