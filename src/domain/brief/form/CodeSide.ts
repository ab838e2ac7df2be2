/**
 * The code of one side of a file as tokens with their place in the syntax tree. Comments, white space and tokens that are
 * only layout are left out. Two sequences of tokens that are equal have the same meaning.
 */
import type { Rows, SyntaxNode } from "../../code/Syntax.ts"

/** Which tokens are only layout; `languages/layout.ts` has one for each grammar. */
export interface TokenRules {
  /** Node types whose text is compared as it is, white space included. */
  readonly exact: ReadonlySet<string>
  /** Node types in which a comma before the closing bracket has no meaning. */
  readonly trailingComma: ReadonlySet<string>
  /** Is a semicolon at the end of a statement optional? */
  readonly optionalSemicolon: boolean
  /** Node types in which commas and semicolons between members, and empty statements, have no meaning. */
  readonly separated: ReadonlySet<string>
  /** Node types in which brackets around a single parameter have no meaning. */
  readonly bareParameter: ReadonlySet<string>
  /** Node types around one expression or type: without their signs, the tree still shows what they group. */
  readonly grouping: ReadonlySet<string>
  /** Do single and double quotes have the same meaning: never, in a string without escapes, or always? */
  readonly eitherQuote: "never" | "plain" | "always"
  /** Node types in which quotes around a key that is a name have no meaning. */
  readonly quotedKeys: ReadonlySet<string>
  /** Node types whose body is a block or the only expression of one. */
  readonly loneBlock: ReadonlySet<string>
  /** Node types of attributes that apply to the next neighbour. */
  readonly attributes: ReadonlySet<string>
  /** Node types of marks that apply to all neighbours below, such as `private` in Ruby. */
  readonly sections: ReadonlySet<string>
  /** Import statements at the top of a file whose order has no meaning. */
  readonly imports: ReadonlySet<string>
  /** A string with a match may contain names of the code around it. */
  readonly namesInStrings: RegExp
  /** A file with a match has code in comments. */
  readonly codeComments: RegExp | null
}

/** Rows are from 0. */
export interface CodeToken {
  readonly text: string
  readonly isName: boolean
  /** Is it a name that belongs to the object or the path before it? */
  readonly isMember: boolean
  /** Is it text of an element? */
  readonly isText?: true
  readonly row: number
  readonly endRow: number
  /** Index in the text. */
  readonly at: number
  /** The types of all nodes around it. */
  readonly path: string
  /** The types of the nodes that begin with it, from the outside in. */
  readonly opens: ReadonlyArray<string>
  /** The number of nodes that end with it. */
  closes: number
}

export interface CodeComment {
  readonly row: number
  readonly endRow: number
  readonly text: string
}

/** A statement, definition or member that is alone on its lines, which the change deletes or adds. */
export interface Unit {
  readonly type: string
  readonly row: number
  readonly endRow: number
  /** Indexes of its tokens; `last` is excluded. */
  readonly first: number
  readonly last: number
  /** The number of nodes around it that begin with its first token. */
  readonly outer: number
  /** The number of its own nodes that end with its last token. */
  readonly closes: number
  /** The types of conditions, loops and handlers around it. */
  readonly conditions: string
  /** The text before the body of each definition around it. */
  readonly headers: string
}

export interface ImportStatement {
  readonly row: number
  readonly endRow: number
  readonly text: string
}

export interface CodeSide {
  readonly tokens: ReadonlyArray<CodeToken>
  readonly comments: ReadonlyArray<CodeComment>
  /** Neighbours in one list of statements or members, the outermost lists first. */
  readonly groups: ReadonlyArray<ReadonlyArray<Unit>>
  /** All of the file. */
  readonly imports: ReadonlyArray<ImportStatement>
  readonly lines: ReadonlyArray<string>
}

/** A comment that a tool or a compiler reads. */
const directive =
  /^(?:\/\/|\/\*+|#)\s?(?:[a-z]+:[a-z]|\+build|go:|export\b|nolint|!)|^#!|@ts-|@jsx|@flow|[#@]__|@(?:vite|webpack)|^\/\*\s*globals?\b|\b(?:type: ?ignore|noqa|pragma|coding[:=]|nosec|eslint|biome-ignore|prettier-ignore|istanbul|c8|v8|jshint|frozen_string_literal|rubocop|typed|swiftlint|ktlint|detekt|NOSONAR|NOLINT|clang-format|clang-tidy|pylint|mypy|pyright|ruff|isort|fmt|yapf|checkstyle|spotless|phpcs|psalm|phpstan|sourceMappingURL|webpack\w*|cspell|sorbet|nullable|language=)\b|<reference|@(?:[A-Z]\w*|[\w\\]+\()/

/** A comment that is more than prose: a tag, a label, documentation that is tested or printed, a mark of a linter. */
const marked =
  /@\w|^\W{0,8}[\w.-]{1,40}\s?[:=]|^\W{0,8}\+\w|^\/\/[/!]|^\/\*!|-\*-|^\/\/\w|\bfall\W?through\b|[A-Z]{6,}[:\s-]O(?:N|FF)\b/i

const conditional =
  /^(?:if|elif|else|elsif|for|while|until|unless|try|catch|except|finally|rescue|ensure|with|switch|case|when|match|do_|loop|guard|defer|select|preproc|labeled|using_statement|synchronized)/

const separators = /^(?:[{};]|do|end|then|else|begin|\n)$/

const isNameType = (type: string): boolean =>
  /(?:^|_)identifier$|^(?:name|constant|alias)$/.test(type) && !type.includes("shorthand")

/** Tokens of the nodes that touch one of the ranges of rows; `isChanged` has a flag for each row. */
export const readCode = (
  root: SyntaxNode,
  text: string,
  lines: ReadonlyArray<string>,
  ranges: ReadonlyArray<Rows>,
  isChanged: (row: number) => boolean,
  rules: TokenRules
): CodeSide => {
  const tokens: Array<CodeToken> = []
  const comments: Array<CodeComment> = []
  const groups: Array<{ readonly depth: number; readonly units: Array<Unit> }> = []
  const imports: Array<ImportStatement> = []
  let opening: Array<string> = []

  const hasCode = rules.codeComments?.test(text) === true
  const isCodeComment = (written: string): boolean => hasCode || directive.test(written) || marked.test(written)
  const isTouched = (first: number, last: number): boolean => ranges.some((at) => at.first <= last && first <= at.last)

  const push = (written: string, node: SyntaxNode, at: number, path: string): void => {
    const row = node.startPosition.row
    const opens = opening
    opening = []
    tokens.push({
      text: written,
      isName: isNameType(node.type),
      isMember: memberType.test(node.type) || memberSigns.has(tokens.at(-1)?.text ?? ""),
      row,
      endRow: row + newlines(written),
      at,
      path,
      opens,
      closes: 0
    })
  }

  /** Text and `{" "}` are one token. */
  const pushElementText = (content: string, node: SyntaxNode, path: string): void => {
    const last = tokens.at(-1)
    const isJoined = last !== undefined && last.path === path && last.isText === true && opening.length === 0
    if (!isJoined) push(content, node, node.startIndex, path)
    const { row } = isJoined ? last : node.startPosition
    const text = isJoined ? last.text + content : content
    tokens[tokens.length - 1] = { ...tokens.at(-1)!, text, row, endRow: node.endPosition.row, isText: true }
  }

  const walk = (
    node: SyntaxNode,
    parent: SyntaxNode | null,
    path: string,
    conditions: string,
    headers: string,
    depth: number
  ): void => {
    const { startIndex, type } = node
    const startRow = node.startPosition.row
    if (isComment(node)) {
      const written = text.slice(startIndex, node.endIndex).trimEnd()
      if (isCodeComment(written)) push(written.replace(/\n[ \t]*\*/g, "\n *"), node, startIndex, path)
      else comments.push({ row: startRow, endRow: startRow + newlines(written), text: written })
      return
    }
    const content = elementText(node, text)
    if (content !== null) {
      if (content !== "") pushElementText(content, node, path)
      return
    }
    if (isOpaque(node, text, rules)) {
      const written = text.slice(startIndex, node.endIndex)
      const key = rules.quotedKeys.has(parent?.type ?? "") && isKey(node, parent) ? plainKey.exec(written) : null
      if (written !== "") push(key?.[1] ?? withDoubleQuotes(written, rules.eitherQuote), node, startIndex, path)
      return
    }
    const { children } = node
    if (children.length === 0) {
      const leaf = text.slice(startIndex, node.endIndex)
      const written = stringEnds.has(type) ? leaf.replaceAll("'", '"') : leaf.trim()
      if (written !== "") push(written, node, startIndex, path)
      return
    }
    const isLone = type === "block" && rules.loneBlock.has(parent?.type ?? "") && isExpression(node)
    if (isLone || (rules.grouping.has(type) && isTransparent(node, text))) {
      for (const child of node.namedChildren) walk(child, parent, path, conditions, headers, depth)
      return
    }
    const isRoot = parent === null
    if (!isRoot) opening.push(type)
    const known = tokens.length
    const inner = `${path}/${type}`
    const around = conditional.test(type) ? `${conditions}/${type}` : conditions
    const isList = children.every((child) => child.isNamed || separators.test(child.type))
    const headersOf = (child: SyntaxNode): string =>
      isList || isRoot ? headers : `${headers}\n${text.slice(startIndex, child.startIndex)}`
    let section = ""
    let attribute: Pick<Unit, "row" | "first" | "outer"> | null = null
    let group: Array<Unit> = []
    let end = startIndex
    for (const [index, child] of children.entries()) {
      const childRow = child.startPosition.row
      const childEnd = child.endPosition.row
      if (rules.imports.has(child.type) && depth <= 2) {
        imports.push({ row: childRow, endRow: childEnd, text: text.slice(child.startIndex, child.endIndex) })
      }
      if (rules.sections.has(child.type)) section = text.slice(child.startIndex, child.endIndex)
      if (!isTouched(childRow, childEnd)) {
        attribute = null
        if (group.length > 0) groups.push({ depth, units: group })
        group = []
        end = child.endIndex
        continue
      }
      // Text that is in no node.
      const gap = text.slice(end, child.startIndex).trim()
      if (gap !== "" && end > startIndex) push(gap, node, end, inner)
      end = child.endIndex
      if (isLayout(node, [children[index - 1] ?? null, child, nextCode(children, index)], rules)) continue
      const start: Pick<Unit, "row" | "first" | "outer"> = attribute ?? {
        row: childRow,
        first: tokens.length,
        outer: opening.length
      }
      walk(
        rules.bareParameter.has(type) ? bareParameter(child) : child,
        node,
        inner,
        around,
        headersOf(child),
        depth + 1
      )
      const last = tokens.length
      if (rules.attributes.has(child.type) || (isComment(child) && last > start.first)) attribute = start
      if (!child.isNamed || isComment(child) || rules.attributes.has(child.type)) continue
      attribute = null
      const isUnit =
        isList &&
        !child.type.includes("import") &&
        !rules.imports.has(child.type) &&
        last > start.first &&
        isAlone(text, child) &&
        areChanged(lines, start.row, childEnd, isChanged)
      if (isUnit) {
        const closes = tokens[last - 1]?.closes ?? 0
        group.push({
          ...start,
          type: child.type,
          endRow: childEnd,
          last,
          closes,
          conditions: around,
          headers: `${headers}\n${section}`
        })
      } else if (group.length > 0) {
        groups.push({ depth, units: group })
        group = []
      }
    }
    if (group.length > 0) groups.push({ depth, units: group })
    if (isRoot) return
    if (tokens.length === known) opening.pop()
    else if (isTouched(node.endPosition.row, node.endPosition.row)) {
      const last = tokens.at(-1)
      if (last !== undefined) last.closes++
    }
  }
  walk(root, null, "", "", "", 0)
  return {
    tokens,
    comments,
    groups: groups.sort((a, b) => a.depth - b.depth).map(({ units }) => units),
    imports,
    lines
  }
}

const isComment = ({ type }: SyntaxNode): boolean => type.includes("comment")

const nextCode = (nodes: ReadonlyArray<SyntaxNode>, from: number): SyntaxNode | null => {
  let at = from + 1
  while (at < nodes.length && isComment(nodes[at]!)) at++
  return nodes[at] ?? null
}

const newlines = (text: string): number => {
  let count = 0
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) count++
  return count
}

const memberType = /^(?:property|field)_identifier$/
const memberSigns = new Set([".", "?.", "::", "->", "&.", "?->"])

const stringEnds = new Set(["string_start", "string_end"])

/** Is the text of the node compared as it is? */
export const isOpaque = (node: SyntaxNode, text: string, { exact }: Pick<TokenRules, "exact">): boolean =>
  exact.has(node.type) && !hasReadableParts(node, text)

/** Does a string have expressions that the tree shows, none of which prints its own source, as Python's `{x=}` does? */
const hasReadableParts = ({ namedChildren, startIndex, endIndex }: SyntaxNode, text: string): boolean =>
  namedChildren.some(({ type }) => type === "interpolation") &&
  namedChildren.some(({ type }) => type === "string_start") &&
  !/=\s*[}!:]/.test(text.slice(startIndex, endIndex))

/** `(a?.b).c` is another expression than `a?.b.c`. */
const isTransparent = ({ namedChildren, startIndex, endIndex }: SyntaxNode, text: string): boolean =>
  namedChildren.filter((child) => !isComment(child)).length === 1 && !text.slice(startIndex, endIndex).includes("?.")

const isExpression = ({ children }: SyntaxNode): boolean => {
  const [open, only, close, ...more] = children.filter((child) => !isComment(child))
  const isBody = open?.type === "{" && close?.type === "}" && more.length === 0
  return isBody && only?.isNamed === true && !/_statement$|_item$|_declaration$|_definition$/.test(only.type)
}

const closers = new Set([")", "]", "}", "|}", ">"])

const isLayout = (
  node: SyntaxNode,
  [previous, child, next]: readonly [SyntaxNode | null, SyntaxNode, SyntaxNode | null],
  rules: TokenRules
): boolean => {
  const isSeparated = rules.separated.has(node.type)
  if (child.isNamed) return child.type === "empty_statement" && isSeparated
  // A line break after a member `get` makes the next member a getter.
  if ((child.type === "," || child.type === ";") && isSeparated) return !isModifier(previous)
  if (child.type === ",") return next !== null && closers.has(next.type) && rules.trailingComma.has(node.type)
  if (child.type !== ";" || !rules.optionalSemicolon) return false
  return (
    next === null &&
    /(?:_statement|_declaration|_declarator|_signature)$/.test(node.type) &&
    node.type !== "empty_statement"
  )
}

const modifiers = new Set(
  "get set static async accessor readonly declare abstract public private protected override".split(" ")
)

const isModifier = (node: SyntaxNode | null): boolean =>
  node !== null && node.endIndex - node.startIndex < 10 && modifiers.has(node.text)

const quoted = /^([A-Za-z]*)(['"])(?!\2\2)([\s\S]*)\2$/

const plainKey = /^["']([A-Za-z_$][\w$]*)["']$/

const isKey = (node: SyntaxNode, parent: SyntaxNode | null): boolean =>
  ["key", "name"].some((field) => parent?.childForFieldName(field)?.id === node.id)

/** Strings with the same value have the same text, as far as quotes decide. */
const withDoubleQuotes = (text: string, which: TokenRules["eitherQuote"]): string => {
  const parts = which === "never" ? null : quoted.exec(text)
  if (parts === null) return text
  const [, prefix = "", , content = ""] = parts
  const isPlain = !/['"\\#$]/.test(content)
  if (!isPlain && (which === "plain" || prefix !== "")) return text
  return `${prefix}"${content.replace(/\\([\s\S])/g, (pair, char: string) => (/['"]/.test(char) ? char : pair))}"`
}

/** The text in an element as JSX reads it: line breaks with the white space around them separate words. Null for other code. */
const elementText = ({ endIndex, startIndex, type }: SyntaxNode, text: string): string | null => {
  if (type === "jsx_expression") return spaceExpression.test(text.slice(startIndex, endIndex)) ? " " : null
  if (type !== "jsx_text") return null
  const lines = withSpaceAround(text, startIndex, endIndex).split("\n")
  return lines
    .map((line, at) => {
      const start = at === 0 ? line : line.trimStart()
      return at === lines.length - 1 ? start : start.trimEnd()
    })
    .filter((line) => line !== "")
    .join(" ")
}

const spaceExpression = /^\{\s*(["']) \1\s*\}$/

/** The white space around a text may be outside of its node. */
const withSpaceAround = (text: string, start: number, end: number): string => {
  while (start > 0 && /\s/.test(text[start - 1]!)) start--
  while (end < text.length && /\s/.test(text[end]!)) end++
  return text.slice(start, end)
}

/** The name in brackets around a single parameter that is only a name. */
const bareParameter = (node: SyntaxNode): SyntaxNode => {
  if (!node.type.endsWith("parameters") || node.namedChildren.length !== 1) return node
  for (let at = node.namedChildren[0]!; ; at = at.children[0]!) {
    if (at.children.length === 0) return at.type === "identifier" ? at : node
    if (at.children.length > 1) return node
  }
}

/** Is there nothing else on its first and its last line? */
const isAlone = (text: string, node: SyntaxNode): boolean => {
  const start = text.lastIndexOf("\n", node.startIndex - 1) + 1
  if (text.slice(start, node.startIndex).trim() !== "") return false
  const end = node.endIndex
  if (text[end - 1] === "\n") return true
  const stop = text.indexOf("\n", end)
  return /^[\s,;]*(?:(?:\/\/|#|\/\*).*)?$/.test(text.slice(end, stop < 0 ? undefined : stop))
}

/** Git may take a blank line or a closing bracket of it for a neighbour's. */
const areChanged = (
  lines: ReadonlyArray<string>,
  first: number,
  last: number,
  isChanged: (row: number) => boolean
): boolean => {
  for (let row = first; row <= last; row++) if (!isChanged(row) && /\w/.test(lines[row] ?? "")) return false
  return true
}
