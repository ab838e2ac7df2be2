/** Types with arguments in angle brackets, in Rust and TypeScript. */

/** `T` of Rust's `Result<T, E>` and `Option<T>`, and of TypeScript's `Promise<T>`. */
export const unwrapped = (type: string): string | null => {
  const inner = /^(?:\w+::)*(?:Result|Option|Promise)<(.*)>$/s.exec(type)?.[1]
  if (inner === undefined) return null
  let depth = 0
  for (const [at, char] of [...inner].entries()) {
    if ("<([".includes(char)) depth++
    else if (">)]".includes(char)) depth--
    else if (char === "," && depth === 0) return inner.slice(0, at)
  }
  return inner
}

/** The types between the outermost `<` and `>`. */
export const typeArguments = (written: string): ReadonlyArray<string> => {
  const inner = /^[^<]*<(.*)>[^>]*$/s.exec(written)?.[1]
  const types: Array<string> = []
  for (let rest: string = inner ?? ""; rest !== ""; ) {
    const first = unwrapped(`Promise<${rest}>`) ?? rest
    types.push(first)
    rest = rest.slice(first.length + 1)
  }
  return types
}
