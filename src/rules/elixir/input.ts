/** Elixir: foreign input that reaches atoms, commands, SQL, files and pages. */
import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import {
  ancestors,
  childOf,
  lineOf,
  operatorOf,
  quotesIntoSql,
  rootOf,
  squeezed,
  within
} from "../../languages/tree.ts"
import type { NodeChecks } from "../page/Checks.ts"
import { passwordHashedFast, textMatches } from "../shared/crypto.ts"
import { htmlFromValues } from "../shared/markup.ts"
import { pathFromRequest } from "../shared/requestInput.ts"
import { argumentsOf, definitionOf, inMacro, isTask, nameOf, writtenArguments } from "./elixirTree.ts"

/** Names that the head of a definition reads from a map with text keys, such as request parameters. */
const fromOutside = (definition: SyntaxNode): ReadonlyArray<string> => {
  const head = childOf(definition, "arguments")
  if (head === null) return []
  return within(head, ["binary_operator"])
    .filter((one) => operatorOf(one) === "=>" && one.childForFieldName("left")?.type === "string")
    .map((one) => one.childForFieldName("right"))
    .flatMap((value) => (value?.type === "identifier" ? [value.text] : []))
}

const comesFromOutside = (node: SyntaxNode): boolean => {
  const definition = definitionOf(node)
  if (definition === null) return false
  if (/\b(conn\.(query_|body_|path_)?params|params)(\[|\.\w|\b\s*,\s*")/.test(node.text)) return true
  // A clause in between may bind the name again.
  const names = fromOutside(definition).filter((name) => !isRebound(node, name))
  return [node, ...node.descendantsOfType("identifier")].some(
    (word) => word.type === "identifier" && names.includes(word.text)
  )
}

const isRebound = (node: SyntaxNode, name: string): boolean =>
  ancestors(node, ["stab_clause"]).some(
    (clause) =>
      clause
        .childForFieldName("left")
        ?.descendantsOfType("identifier")
        .some((word) => word.text === name) === true
  )

export const inputChecks: NodeChecks = {
  "atom-from-input": (claim) => {
    const makesAtom =
      claim.type === "call"
        ? /^(String\.to_atom|List\.to_atom|:erlang\.binary_to_atom)$/.test(nameOf(claim))
        : childOf(claim, "interpolation") !== null
    if (!makesAtom || inMacro(claim)) return false
    const source = claim.type === "call" ? argumentsOf(claim)[0] : claim
    return source !== undefined && comesFromOutside(source)
  },
  "json-keys-to-atoms": (claim, file) => {
    if (!/^(Jason|Poison)\.decode!?$/.test(nameOf(claim))) return false
    if (definitionOf(claim) === null || isTask(file.path)) return false
    const [source, ...options] = argumentsOf(claim)
    const asked = options.some((one) => /keys: :atoms(?![!\w])/.test(one.text))
    return asked && source !== undefined && !/File\.|priv_dir|app_dir|System\.(cmd|get_env)|"/.test(source.text)
  },
  "unsafe-binary-to-term": (claim, file) => {
    if (nameOf(claim) !== ":erlang.binary_to_term" || definitionOf(claim) === null || isTask(file.path)) return false
    const [bytes, ...options] = argumentsOf(claim)
    // Data that the same code has written, such as its own file, is not foreign input.
    if (bytes === undefined || options.length > 0 || /File\.read|term_to_binary/.test(bytes.text)) return false
    return !/term_to_binary/.test(rootOf(claim).text) || comesFromOutside(bytes)
  },
  "shell-command-built": (claim) => {
    const name = nameOf(claim)
    if (!/^(System\.(cmd|shell)|:os\.cmd)$/.test(name)) return false
    const [program, list] = writtenArguments(claim)
    if (name === "System.cmd") {
      const isShell = /^"(\/(usr\/)?bin\/)?(ba|z|da)?sh"$/.test(program?.text ?? "")
      if (!isShell || list === undefined || !/^\[\s*"-\w*c"/.test(list.text)) return false
    }
    const line = name === "System.cmd" ? list : program
    return (
      line !== undefined &&
      within(line, ["interpolation"]).some(
        (one) => !/#\{(@|__DIR__|System\.pid|[\w.]*(port|pid)\}|inspect\()/.test(one.text)
      )
    )
  },
  "sql-built-from-values": (claim, file) => {
    const text = claim.text.replace(/^(~\w)?("""|"|'|\(|\[|\{|\|)/, "")
    if (!quotesIntoSql(text, /#\{(?!@)/) || childOf(claim, "interpolation") === null) return false
    return definitionOf(claim) !== null && !isTask(file.path)
  },
  "redirect-to-input": (claim) => {
    if (nameOf(claim) !== "redirect") return false
    const pair = claim.descendantsOfType("pair").find((one) => /^external:/.test(one.text))
    const value = pair?.childForFieldName("value") ?? null
    return value !== null && ["identifier", "access_call"].includes(value.type) && comesFromOutside(value)
  },
  "tls-verification-off": (claim, file) => {
    if (!/^verify::verify_none$|^hackney:\[:insecure\b/.test(squeezed(claim))) return false
    // Turned off for development, or by an option of the user.
    const before = (file.head ?? []).slice(Math.max(0, claim.startPosition.row - 12), lineOf(claim))
    return (
      !/(^|\/)(dev|test)\.exs$/.test(file.path) &&
      !before.some((line) => /no_?verify|insecure\?|skip_?verif/i.test(line))
    )
  },
  "path-from-request": pathFromRequest({
    opens: /^(?:File\.(?:read|write|rm|rm_rf|stream|open|cp|mkdir_p)!?|Path\.join|send_file)\(/,
    input: /\b(?:conn\.(?:query_|body_|path_)?params|params)(?:\["|\.\w)/,
    made: /Path\.(?:basename|safe_relative)\(|String\.to_integer\(/
  }),
  "weak-cipher": textMatches(
    /^:crypto\.(?:crypto_(?:one_time|init)|block_encrypt|stream_init)\(:(?:des\w*|rc[24]|blowfish\w*|aes_(?:\d+_)?ecb)\b/
  ),
  "password-hashed-fast": passwordHashedFast(
    /^:crypto\.hash\(:(?:md5|sha|sha256|sha512),(?:[\w.]+\.)?\w*passw(?:or)?d\w*\)/i
  ),
  "html-from-values": htmlFromValues((call) => {
    const text = squeezed(call)
    return (
      /^(?:Phoenix\.HTML\.)?raw\("[^"]*<\w[^"]*#\{/.test(text) ||
      /^(?:Phoenix\.HTML\.)?raw\((?:conn\.)?params(?:\["|\.\w)/.test(text)
    )
  })
}
