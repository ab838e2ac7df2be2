/** React: effects that leave something behind, stale values, and work that rendering must not do. */
import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import { linesOf } from "../../domain/finding/Rule.ts"
import { enclosing, firstLineOf, identifiers, parts, textOf, within } from "../../languages/tree.ts"
import type { NodeChecks } from "../page/Checks.ts"
import { bare, callbackOf, callOf, expressionOf, functions, isAsync, operationOf, scopes } from "../ts/scriptTree.ts"
import { componentOf, effect, isComponent, nameOf, resultOf, stateOf } from "./reactTree.ts"

const functionTypes = /^(arrow_function|function_expression)$/

/** A function given to the call, if there is one. */
const functionIn = (args: ReadonlyArray<SyntaxNode>): SyntaxNode | undefined =>
  args.find(({ type }) => functionTypes.test(type))

/** Names that a function, or anything in it, binds anew. */
const boundIn = (definition: SyntaxNode): ReadonlySet<string> => {
  const patterns = [
    ...within(definition, ["variable_declarator"]).map((each) => each.childForFieldName("name")),
    ...[definition, ...within(definition, functions)].flatMap((each) => [
      each.childForFieldName("parameters"),
      each.childForFieldName("parameter")
    ])
  ]
  return new Set(patterns.flatMap((pattern) => identifiers(pattern).map(({ text }) => text)))
}

/** A list of dependencies that was left short on purpose says so above it. */
const isDeliberate = (call: SyntaxNode): boolean =>
  /exhaustive-deps/.test(enclosing(call, ["statement_block", "program"])?.text ?? "")

/** The first state variable of the component that the function reads. */
const staleIn = (definition: SyntaxNode, component: SyntaxNode): string | undefined => {
  const states = stateOf(component)
  const bound = boundIn(definition)
  return identifiers(definition.childForFieldName("body")).find(({ text }) => states.has(text) && !bound.has(text))
    ?.text
}

/** The effect's own clean-up: what its function gives back. */
const givesBack = (callback: SyntaxNode): boolean => {
  const body = callback.childForFieldName("body")
  if (body === null || body.type !== "statement_block") return true
  return within(body, ["return_statement"], scopes).some((statement) => parts(statement).length > 0)
}

/** What stays behind when nobody takes it back, in words; null for anything else. */
const leftBehind = (call: SyntaxNode): string | null => {
  const { called, method, object, args } = callOf(call)
  if (/^(window\.|globalThis\.)?setInterval$/.test(called)) return "The interval"
  const target = object?.text ?? ""
  const isGlobal = /^(window|document|globalThis|document\.body|document\.documentElement)$/.test(target)
  if (method !== "addEventListener" || !isGlobal) return null
  const options = args[2]?.text ?? ""
  return /\b(once|signal)\b/.test(options) || (args[2] !== undefined && args[2].type === "identifier")
    ? null
    : "The listener"
}

const takesBack = /\b(clearInterval|removeEventListener|abort)\b/

/** Is it an asynchronous function that this file declares under that name? */
const isDeclaredAsync = (name: string, from: SyntaxNode): boolean => {
  for (let scope = from.parent; scope !== null; scope = scope.parent) {
    if (scope.type !== "program" && scope.type !== "statement_block") continue
    for (const statement of parts(scope)) {
      const declaration = statement.type === "export_statement" ? parts(statement)[0] : statement
      if (declaration?.type === "function_declaration" && declaration.childForFieldName("name")?.text === name) {
        return isAsync(declaration)
      }
      for (const declarator of declaration === undefined ? [] : declaration.namedChildren) {
        if (declarator.type !== "variable_declarator" || declarator.childForFieldName("name")?.text !== name) continue
        const value = declarator.childForFieldName("value")
        return value !== null && functionTypes.test(value.type) && isAsync(value)
      }
    }
  }
  return false
}

/** Surely a promise: `fetch(...)`, a chain with `.then`, a call of a function that is asynchronous here. */
const isPromise = (value: SyntaxNode): boolean => {
  if (value.type !== "call_expression") return false
  const { called, method } = callOf(value)
  if (called === "fetch" || /^(then|finally)$/.test(method ?? "")) return true
  // `.catch` is a method of nothing else that an effect would give back.
  return method === "catch" || (/^\w+$/.test(called) && isDeclaredAsync(called, value))
}

/** Names of the component's properties: `props` itself, or what its first parameter is taken apart into. */
const propsOf = (component: SyntaxNode): { readonly whole: string | null; readonly names: ReadonlySet<string> } => {
  const list = component.childForFieldName("parameters")
  const first = list === null ? component.childForFieldName("parameter") : (parts(list)[0] ?? null)
  const pattern = first?.childForFieldName("pattern") ?? first
  if (pattern?.type === "identifier") return { whole: pattern.text, names: new Set() }
  const names = (pattern?.type === "object_pattern" ? parts(pattern) : []).flatMap((part) => {
    if (part.type === "shorthand_property_identifier_pattern") return [part.text]
    const value = part.type === "pair_pattern" ? part.childForFieldName("value") : null
    return value?.type === "identifier" ? [value.text] : []
  })
  return { whole: null, names: new Set(names) }
}

/** Methods that only lists have; `push` is also a router's, and `shift` a date's. */
const inPlace = /^(splice|sort|reverse|fill|copyWithin)$/

const freshKey =
  /^(Math\.random|Date\.now|performance\.now|crypto\.randomUUID|uuid(v4)?|uuidv?[14]|v4|nanoid|uniqueId|_\.uniqueId|cuid|ulid)$/

/** Does the component give JSX back? Its name alone does not tell. */
const rendersJsx = (component: SyntaxNode): boolean =>
  component.descendantsOfType(["jsx_element", "jsx_self_closing_element"]).length > 0

/** A function of that name, defined right in the component, that gives JSX back. */
const innerComponent = (component: SyntaxNode, name: string): SyntaxNode | null => {
  const body = component.childForFieldName("body")
  for (const statement of body?.type === "statement_block" ? parts(body) : []) {
    const found =
      statement.type === "function_declaration"
        ? statement
        : (parts(statement)
            .find((each) => each.type === "variable_declarator" && each.childForFieldName("name")?.text === name)
            ?.childForFieldName("value") ?? null)
    if (found === null || !/^(function_declaration|arrow_function|function_expression)$/.test(found.type)) continue
    if (found.type === "function_declaration" && found.childForFieldName("name")?.text !== name) continue
    if (rendersJsx(found)) return found
  }
  return null
}

export const effectChecks: NodeChecks = {
  "stale-state": (claim) => {
    const { called, args } = callOf(claim)
    if (args[1]?.type !== "array" || parts(args[1]).length > 0 || isDeliberate(claim)) return false
    const component = componentOf(claim)
    if (component === null) return false
    const callback = callbackOf(claim)
    if (callback === null) return false
    if (/^(React\.)?useCallback$/.test(called)) {
      const state = staleIn(callback, component)
      return state !== undefined && { ...firstLineOf(claim), description: `It reads \`${state}\`.` }
    }
    if (!effect.test(called)) return false
    for (const call of within(callback, ["call_expression"])) {
      const { called: registers, method, args: given } = callOf(call)
      const isKept = /^(window\.)?setInterval$/.test(registers) || method === "addEventListener"
      const kept = isKept ? functionIn(given) : undefined
      const state = kept === undefined ? undefined : staleIn(kept, component)
      if (state !== undefined && !boundIn(callback).has(state)) {
        return { ...firstLineOf(call), description: `It reads \`${state}\`.` }
      }
    }
    return false
  },
  "effect-without-cleanup": (claim) => {
    const callback = effect.test(callOf(claim).called) ? callbackOf(claim) : null
    if (callback === null || componentOf(claim) === null || givesBack(callback)) return false
    if (takesBack.test(callback.text)) return false
    // Only what the effect itself does: a callback of its own may run never or once.
    for (const call of within(callback.childForFieldName("body") ?? callback, ["call_expression"], scopes)) {
      const left = leftBehind(call)
      if (left !== null)
        return { ...firstLineOf(call), description: `${left} is still active after the component unmounts.` }
    }
    return false
  },
  "set-state-in-render": (claim) => {
    const { called } = callOf(claim)
    const component = /^set[A-Z]\w*$/.test(called) ? enclosing(claim, functions) : null
    if (component === null || !isComponent(component) || nameOf(component).startsWith("use")) return false
    if (![...stateOf(component).values()].includes(called)) return false
    const holder = claim.parent
    // `onClick={setOpen(true)}`: the call itself is the attribute's value.
    if (holder?.type === "jsx_expression") {
      return holder.parent?.type === "jsx_attribute" && /^on[A-Z]/.test(holder.parent.namedChildren[0]?.text ?? "")
    }
    const block = holder?.type === "expression_statement" ? holder.parent : null
    if (block === null || block === undefined || block.id !== component.childForFieldName("body")?.id) return false
    // Whatever returns before it may keep it from running again.
    return !within(block, ["return_statement"], scopes).some((statement) => statement.startIndex < claim.startIndex)
  },
  "effect-returns-promise": (claim) => {
    const callback = effect.test(callOf(claim).called) ? callbackOf(claim) : null
    // An async callback is another rule's.
    if (callback === null || isAsync(callback)) return false
    const value = resultOf(callback)
    return value !== null && isPromise(value) && linesOf(value)
  },
  "props-mutation": (claim) => {
    // The cheap questions first: a component is not read through for each of its calls.
    const mayChange =
      claim.type === "assignment_expression"
        ? /^props\.\w+$/.test(operationOf(claim).left?.text.slice(0, 100) ?? "")
        : inPlace.test(callOf(claim).method ?? "")
    const component = mayChange ? componentOf(claim) : null
    if (component === null || !rendersJsx(component)) return false
    const { whole, names } = propsOf(component)
    const bound = new Set(
      within(component, ["variable_declarator"]).flatMap((each) =>
        identifiers(each.childForFieldName("name")).map(({ text }) => text)
      )
    )
    if (claim.type === "assignment_expression") {
      const left = operationOf(claim).left
      const object = left?.type === "member_expression" ? left.childForFieldName("object") : null
      return whole === "props" && object?.type === "identifier" && object.text === whole && !bound.has(whole)
    }
    const { method, object } = callOf(claim)
    if (!inPlace.test(method ?? "") || object === null) return false
    const isOwn = object.type === "member_expression" && object.childForFieldName("object")?.text === "props"
    if (whole === "props" && isOwn && !bound.has("props")) return true
    if (object.type !== "identifier" || !names.has(object.text) || bound.has(object.text)) return false
    const inner = enclosing(claim, functions)
    const hidden = inner !== null && inner.id !== component.id && boundIn(inner).has(object.text)
    return !hidden
  },
  "random-key": (claim) => {
    const [name, value] = claim.namedChildren
    if (name?.text !== "key" || value?.type !== "jsx_expression") return false
    const calls = value.descendantsOfType("call_expression")
    return calls.some((call) => freshKey.test(callOf(call).called) && callOf(call).args.length === 0)
  },
  "component-in-render": (claim) => {
    const name = claim.childForFieldName("name")
    if (name === null || !/^[A-Z]\w*$/.test(name.text)) return false
    const component = enclosing(claim, functions)
    if (component === null || !isComponent(component)) return false
    const definition = innerComponent(component, name.text)
    // State makes the loss one that somebody sees.
    if (
      definition === null ||
      !/\buse(State|Reducer|Ref|Effect|LayoutEffect)\s*[(<]|<(input|textarea|select)\b/.test(definition.text)
    )
      return false
    return { ...firstLineOf(claim), description: `\`${name.text}\` is defined on line ${linesOf(definition).line}.` }
  },
  "style-text": (claim, file) => {
    const [name, value] = claim.namedChildren
    if (name?.text !== "style" || value === undefined) return false
    const tag = textOf(claim.parent, "name")
    if (!/^[a-z][a-z0-9]*$/.test(tag)) return false
    const given = value.type === "jsx_expression" ? expressionOf(value) : value
    if (given === null || !/^(string|template_string)$/.test(bare(given).type)) return false
    // Preact and others accept a string; only a file that imports React is certain.
    return (file.head ?? []).some((line) => /\b(from|require\()\s*['"]react['"]/.test(line))
  }
}
