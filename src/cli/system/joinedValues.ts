/**
 * Arguments in which two kinds of values are joined to their flag, as in `--flag=value`, because the parser would read them otherwise.
 *
 * - `--run-timeout -5h`: a word that begins with a minus and a digit is a value, not `-5` and `-h`, which shows the help.
 * - `--loop 3`: a flag whose value is optional takes a number, and never another word, which can be a path.
 */
export const joinedValues = (args: ReadonlyArray<string>): ReadonlyArray<string> => {
  const joined: Array<string> = []
  for (const [at, word] of args.entries()) {
    if (word === "--") return [...joined, ...args.slice(at)]
    const flag = args[at - 1] ?? ""
    if (isFlag(flag) && (/^-\.?\d/.test(word) || (optional.has(flag) && /^\d+$/.test(word)))) {
      joined[joined.length - 1] = `${flag}=${word}`
    } else joined.push(word)
  }
  return joined
}

const optional: ReadonlySet<string> = new Set(["--loop", "--next"])

const isFlag = (word: string): boolean => /^--?[a-z][^=]*$/.test(word)
