/** React: effects without clean-up, stale values, and side effects of rendering. */
import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import { rangeOf } from "../../domain/finding/Rule.ts"
import { enclosing, firstLineOf, identifiers, parts, relatedPlace, textOf, within } from "../../languages/tree.ts"
import type { NodeChecks } from "../page/Checks.ts"
import { bare, callbackOf, callOf, expressionOf, functions, isAsync, operationOf, scopes } from "../ts/scriptTree.ts"
import { componentOf, effect, isComponent, nameOf, resultOf, stateOf } from "./reactTree.ts"

const functionTypes = /^(arrow_function|function_expression)$/

/** The function among the arguments, if there is one. */
const functionIn = (args: ReadonlyArray<SyntaxNode>): SyntaxNode | undefined =>
  args.find(({ type }) => functionTypes.test(type))

/** The names that a function and its content bind. */
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

/** Does a comment above state that dependencies are left out on purpose? */
const isDeliberate = (call: SyntaxNode): boolean =>
  /exhaustive-deps/.test(enclosing(call, ["statement_block", "program"])?.text ?? "")

/** The first state variable of the component that the function reads. */
const staleIn = (definition: SyntaxNode, component: SyntaxNode): string | undefined => {
  const states = stateOf(component)
  const bound = boundIn(definition)
  return identifiers(definition.childForFieldName("body")).find(({ text }) => states.has(text) && !bound.has(text))
    ?.text
}

/** Does the effect return a clean-up function? */
const givesBack = (callback: SyntaxNode): boolean => {
  const body = callback.childForFieldName("body")
  if (body === null || body.type !== "statement_block") return true
  return within(body, ["return_statement"], scopes).some((statement) => parts(statement).length > 0)
}

/** The resource that needs a clean-up, in words; null if there is none. */
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

/** Does this file declare an asynchronous function of this name? */
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

/** Is it certainly a promise: `fetch(...)`, a chain with `.then`, a call of an asynchronous function of this file? */
const isPromise = (value: SyntaxNode): boolean => {
  if (value.type !== "call_expression") return false
  const { called, method } = callOf(value)
  if (called === "fetch" || /^(then|finally)$/.test(method ?? "")) return true
  // Only promises have the method `.catch`.
  return method === "catch" || (/^\w+$/.test(called) && isDeclaredAsync(called, value))
}

/** The names of the component's properties: `props`, or the names in the pattern of its first parameter. */
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

/** Methods that only lists have; routers have `push`, too, and dates `shift`. */
const inPlace = /^(splice|sort|reverse|fill|copyWithin)$/

const freshKey =
  /^(Math\.random|Date\.now|performance\.now|crypto\.randomUUID|uuid(v4)?|uuidv?[14]|v4|nanoid|uniqueId|_\.uniqueId|cuid|ulid)$/

/** Does the component return JSX? */
const rendersJsx = (component: SyntaxNode): boolean =>
  component.descendantsOfType(["jsx_element", "jsx_self_closing_element"]).length > 0

/** The function of this name that is defined in the component and returns JSX. */
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
    // Only code that the effect runs directly: a callback may run once or never.
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
    // `onClick={setOpen(true)}`: the value of the attribute is the result of the call.
    if (holder?.type === "jsx_expression") {
      return holder.parent?.type === "jsx_attribute" && /^on[A-Z]/.test(holder.parent.namedChildren[0]?.text ?? "")
    }
    const block = holder?.type === "expression_statement" ? holder.parent : null
    if (block === null || block === undefined || block.id !== component.childForFieldName("body")?.id) return false
    // A return before it may prevent another run.
    return !within(block, ["return_statement"], scopes).some((statement) => statement.startIndex < claim.startIndex)
  },
  "effect-returns-promise": (claim) => {
    const callback = effect.test(callOf(claim).called) ? callbackOf(claim) : null
    // Another rule reports async callbacks.
    if (callback === null || isAsync(callback)) return false
    const value = resultOf(callback)
    return value !== null && isPromise(value) && rangeOf(value)
  },
  "props-mutation": (claim) => {
    // The fast checks first, so that a component is not searched for each of its calls.
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
    // The loss is visible only if there is state.
    if (
      definition === null ||
      !/\buse(State|Reducer|Ref|Effect|LayoutEffect)\s*[(<]|<(input|textarea|select)\b/.test(definition.text)
    )
      return false
    return {
      ...firstLineOf(claim),
      description: `\`${name.text}\` is defined on line ${rangeOf(definition).line}.`,
      related: [relatedPlace(definition, "defined in each render")]
    }
  },
  "style-text": (claim, file) => {
    const [name, value] = claim.namedChildren
    if (name?.text !== "style" || value === undefined) return false
    const tag = textOf(claim.parent, "name")
    if (!/^[a-z][a-z0-9]*$/.test(tag)) return false
    const given = value.type === "jsx_expression" ? expressionOf(value) : value
    if (given === null || !/^(string|template_string)$/.test(bare(given).type)) return false
    // Preact and others accept a string, so the file must import React.
    return (file.head ?? []).some((line) => /\b(from|require\()\s*['"]react['"]/.test(line))
  }
}
