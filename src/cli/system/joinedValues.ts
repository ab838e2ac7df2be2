/**
 * Arguments in which two kinds of values are joined to their flag, as in `--flag=value`, because the parser would read them otherwise.
 *
 * - `--run-timeout -5h`: a word that begins with a minus and a digit is a value, not `-5` and `-h`, which shows the help. Without a flag
 *   before it, it is an argument, and comes after `--`.
 * - `--loop 3`: a flag whose value is optional takes a number, and never another word, which can be a path.
 */
export const joinedValues = (args: ReadonlyArray<string>): ReadonlyArray<string> => {
  const [joined, operands]: [Array<string>, Array<string>] = [[], []]
  const end = args.includes("--") ? args.indexOf("--") : args.length
  for (const [at, word] of args.slice(0, end).entries()) {
    const flag = args[at - 1] ?? ""
    const isNegative = /^-\.?\d/.test(word)
    if (isFlag(flag) && (isNegative || (optional.has(flag) && /^\d+$/.test(word)))) {
      joined[joined.length - 1] = `${flag}=${word}`
    } else (isNegative ? operands : joined).push(word)
  }
  operands.push(...args.slice(end + 1))
  return operands.length === 0 && end === args.length ? joined : [...joined, "--", ...operands]
}

const optional: ReadonlySet<string> = new Set(["--loop", "--next"])

const isFlag = (word: string): boolean => /^--?[a-z][^=]*$/.test(word)
