/** Counts how often a function reads the parts of what it is given: work that a test can judge without a clock. */

/** The same value; `reads` grows with each property that is read of it, at any depth. */
export const countedReads = <A extends object>(given: A): { readonly value: A; readonly reads: () => number } => {
  let reads = 0
  const known = new WeakMap<object, object>()
  const isPlain = (part: unknown): part is object =>
    Array.isArray(part) || (typeof part === "object" && part !== null && part.constructor === Object)
  const watched = <P>(part: P): P => {
    if (!isPlain(part)) return part
    const proxy =
      known.get(part) ??
      new Proxy(part, {
        get: (target, key) => {
          reads++
          return watched(Reflect.get(target, key))
        }
      })
    known.set(part, proxy)
    return proxy as P
  }
  return { value: watched(given), reads: () => reads }
}
