import { describe, expect, test } from "bun:test"
import { Schema } from "effect"
import { readCommand } from "../../../src/domain/dream/commandFamily.ts"
import { quoted } from "../../../src/domain/system/shellQuote.ts"
import { callWords, partOf, shellCommands, shellTokens, unquoted } from "../../../src/domain/system/shellWords.ts"
import { it } from "../../support/effect.ts"

const separators = [" ", "\t", "  ", " \t", "\u00a0", " \\\n", "\\\r\n  ", " ^\r\n"]
const Word = Schema.Array(
  Schema.Literals(["a", "-p", "'", '"', " ", "\t", "\\", "$(x)", "#", "|", ";", "<<EOF", ">", "\u3000"])
).check(Schema.isMinLength(1), Schema.isMaxLength(6))

const wordsIn = (text: string) => shellCommands(text).map(({ words }) => words)

describe("shellCommands", () => {
  it.prop(
    "gives back every word that is quoted, between blanks of any kind",
    Schema.Struct({ words: Schema.Array(Word).check(Schema.isMaxLength(4)), separator: Schema.Literals(separators) }),
    ({ separator, words }) => {
      const values = ["run", ...words.map((pieces) => pieces.join(""))]
      const text = values.map(quoted).join(separator)
      expect(wordsIn(text)).toEqual([values])
      const written = callWords(text, 0, true)
      expect(written.map((word) => unquoted(word.text))).toEqual(values)
      expect(written.map(({ value }) => value)).toEqual(values)
      for (const word of written) {
        for (let at = 0; at < word.value.length; at++) {
          const { end, start } = partOf(word, at, at + 1)
          expect(text.slice(start, end)).toBe(word.value[at]!)
        }
      }
    }
  )

  test("divides lists and pipelines, and leaves redirections and comments out", () => {
    expect(wordsIn("(cd web && CI=1 npm test 2>&1 >out.txt | tail -5) # npm run lint")).toEqual([
      ["cd", "web"],
      ["CI=1", "npm", "test"],
      ["tail", "-5"]
    ])
    expect(shellCommands("a || b; c & d\ne").map(({ operator }) => operator)).toEqual(["||", ";", "&", "\n", ""])
    expect(wordsIn(`echo "$(cat 'a b')" it's`)).toEqual([["echo", "$(cat 'a b')", "it", "s"]])
  })

  test("takes the body of a here-document for no command", () => {
    for (const [sign, end] of [
      ["<<EOF", "EOF"],
      ["<<'EOF'", "EOF"],
      ['<<"E F"', "E F"],
      ["<<-EOF", "\tEOF"],
      ["<< EOF", "EOF"]
    ]) {
      const text = `cat ${sign} > run.sh && chmod +x run.sh\nnpm test\ngit push\n${end}\nls -l\n`
      expect(wordsIn(text).filter((words) => words.length > 0)).toEqual([
        ["cat"],
        ["chmod", "+x", "run.sh"],
        ["ls", "-l"]
      ])
      expect(shellTokens(text).find(({ kind }) => kind === "body")?.text).toBe(`npm test\ngit push\n${end}`)
    }
    expect(wordsIn("cat <<A <<B\nnpm test\nA\nnpm test\nB\nls")).toEqual([["cat"], [], ["ls"]])
    expect(wordsIn("cat <<EOF\nnpm test")).toEqual([["cat"], []])
    expect(wordsIn("passwd <<< 'npm test'")).toEqual([["passwd"]])
  })

  test("reads any text to its end, in the time that its length takes", () => {
    for (const text of ["'", '"', "$(", "`", "<<", "<<A\n", "(", "\\", "a'b\"", "\\\n"]) {
      expect(shellTokens(text.repeat(20_000)).length).toBeLessThanOrEqual(60_001)
    }
  })
})

describe("a command family", () => {
  test("is of the commands, whatever separates their words, and not of a file that is written", () => {
    for (const separator of separators) {
      const text = ["npm", "run", "test:unit"].join(separator)
      expect(readCommand(text)).toMatchObject({ family: "npm run test:unit", purpose: "test" })
    }
    expect(readCommand("cat > ci.sh <<'EOF'\nset -o pipefail\nnpm test | tail\nEOF")).toMatchObject({
      family: "cat",
      purpose: "other"
    })
    expect(readCommand("cat > a.txt <<EOF && npm test\ngit push\nEOF")).toMatchObject({ family: "npm test" })
  })
})
