/** Python's classes with their parents and methods. A class with a decorator or a metaclass is open. */
import type { HierarchyType, MethodShape } from "../../domain/code/Hierarchy.ts"
import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import { linesOf } from "../../domain/finding/Rule.ts"
import { lineOf, partsOf, squeezed, textOf } from "../tree.ts"
import { signatureOf } from "./symbols.ts"

export const pythonTypes = (root: SyntaxNode, named?: ReadonlySet<string>): ReadonlyArray<HierarchyType> =>
  root.namedChildren.flatMap((statement) => {
    const node = statement.type === "decorated_definition" ? statement.childForFieldName("definition") : statement
    if (node?.type !== "class_definition") return []
    const isLeftOut = named?.has(textOf(node, "name")) === false
    return isLeftOut ? [] : [typeOf(node, node.id !== statement.id)]
  })

const typeOf = (node: SyntaxNode, decorated: boolean): HierarchyType => {
  const given = partsOf(node, "superclasses")
  const keywords = given.filter(({ type }) => type === "keyword_argument").map(squeezed)
  const parents = given.flatMap((part) =>
    /^(?:identifier|attribute|subscript)$/.test(part.type) ? [written(part)] : []
  )
  const body = node.childForFieldName("body")?.namedChildren ?? []
  const methods = body.flatMap(methodOf)
  const name = textOf(node, "name")
  const others = new Set(
    [
      ...node.descendantsOfType("assignment").map((each) => each.childForFieldName("left")),
      ...body.flatMap((each) =>
        each.type === "decorated_definition" ? [each.childForFieldName("definition")?.childForFieldName("name")] : []
      )
    ].flatMap((target) => (target == null ? [] : [target.text.replace(/^self\./, "")]))
  )
  for (const method of methods) others.delete(method.name)
  const isAbstract = keywords.some((each) => /ABCMeta$/.test(each)) || parents.some((each) => /(?:^|\.)ABC$/.test(each))
  return {
    name,
    line: lineOf(node),
    kind: "class",
    abstract:
      isAbstract ||
      methods.some(({ required }) => required) ||
      /^_|^(?:Abstract|Base)|(?:Base|Mixin|Interface|ABC)$/.test(name),
    open:
      decorated ||
      keywords.some((each) => !/ABCMeta$/.test(each)) ||
      parents.length !== given.length - keywords.length ||
      methods.some((method) => /^__getattr(?:ibute)?__$/.test(method.name)) ||
      body.some(({ type }) => /^(?:if|for|try|with)_statement$/.test(type)),
    parents,
    interfaces: [],
    methods,
    others
  }
}

/** `Base[T]` is Base. */
const written = (part: SyntaxNode): string =>
  squeezed(part.type === "subscript" ? (part.childForFieldName("value") ?? part) : part)

const plain = /^@(?:staticmethod|classmethod|(?:abc\.)?abstractmethod|(?:typing\.)?(?:final|override))$/

const methodOf = (statement: SyntaxNode): ReadonlyArray<MethodShape> => {
  const node = statement.type === "decorated_definition" ? statement.childForFieldName("definition") : statement
  if (node?.type !== "function_definition") return []
  const name = textOf(node, "name")
  // The language calls these methods itself, a test runner calls tests with fixtures by name, and private names belong to
  // one class.
  if (/^__|^test(?:_|$)/.test(name)) return []
  const decorators = statement.namedChildren.filter(({ type }) => type === "decorator").map(squeezed)
  if (!decorators.every((each) => plain.test(each))) return []
  const drop = decorators.includes("@staticmethod") ? 0 : 1
  const body = textOf(node, "body")
  return [
    {
      name,
      ...linesOf(node),
      signature: signatureOf(node, drop),
      exact: null,
      awaited: awaited(node, body),
      required: decorators.some((each) => /abstractmethod$/.test(each)),
      isMarkedOverride: false,
      callsParent:
        body.includes("super(") &&
        new RegExp(`\\bsuper\\([^()]*\\)\\.${name}\\(`).test(body) &&
        !/\bhasattr\(|\bgetattr\(|\btry:/.test(body),
      shape: squeezed(node).replace(name, "")
    }
  ]
}

/** A plain function may return a coroutine of another function. */
const awaited = (node: SyntaxNode, body: string): boolean | null => {
  const result = textOf(node, "return_type")
  if (node.children[0]?.type === "async")
    return /\byield\b/.test(body) || /Iterator|Generator|Iterable/.test(result) ? null : true
  if (/Awaitable|Coroutine|Future|Task|Any|Iterator|Generator|Iterable/.test(result)) return null
  return /\breturn\s+[^\n]*[(]|\byield\b|\blambda\b/.test(body) ? null : false
}
