/** The checks of the rules for React. */

import { rangeOf } from "../../domain/finding/Rule.ts"
import { enclosing, firstLineOf, identifiers, parts, relatedPlace, textOf } from "../../languages/tree.ts"
import { type NodeChecks, unlessExcused } from "../page/Checks.ts"
import { repeatedEntry } from "../shared/repeatedEntry.ts"
import { bare, callbackOf, callOf, expressionOf, functions, isAsync, operationOf } from "../ts/scriptTree.ts"
import { effectChecks } from "./effects.ts"
import {
  attributesOf,
  builtIn,
  componentOf,
  condition,
  effect,
  extendsReact,
  hookName,
  isComponent,
  nameOf,
  namesOtherLibrary,
  resultOf,
  stateOf
} from "./reactTree.ts"

const changers = /^(push|pop|shift|unshift|splice|sort|reverse|fill|copyWithin)$/

const ownChecks: NodeChecks = {
  "conditional-hook": (claim) => {
    const { called } = callOf(claim)
    if (!/^(React\.)?use[A-Z]\w*$/.test(called)) return false
    const component = enclosing(claim, functions)
    if (component === null || !isComponent(component) || isAsync(component)) return false
    // Only a function that is certainly a component or a hook: it returns JSX, or has the name of a hook.
    const isSure = /<[A-Za-z>]/.test(component.text) || hookName.test(nameOf(component))
    const when = isSure ? condition(claim, component) : null
    return (
      when !== null && {
        ...firstLineOf(claim),
        description: `\`${called}\` is called ${when.words}.`,
        related: [relatedPlace(when.node, "decides whether it is called")]
      }
    )
  },
  "hook-in-callback": (claim) => {
    const callback = builtIn.test(callOf(claim).called) ? enclosing(claim, functions) : null
    if (callback === null || !/^(arrow_function|function_expression)$/.test(callback.type)) return false
    const holder = callback.parent
    const outer = holder?.type === "arguments" && holder.parent !== null ? callOf(holder.parent) : null
    const isCallback =
      outer !== null
        ? builtIn.test(outer.called) || /^(map|forEach|filter|then)$/.test(outer.method ?? "")
        : holder?.type === "jsx_expression" && /^on[A-Z]/.test(holder.parent?.namedChildren[0]?.text ?? "")
    return isCallback && componentOf(callback) !== null
  },
  "missing-key": (claim, file) => {
    const shown = expressionOf(claim)
    const call = shown?.type === "binary_expression" ? operationOf(shown).right : shown
    if (call?.type !== "call_expression" || callOf(call).method !== "map") return false
    const callback = callbackOf(call)
    if (callback === null || /\bChildren$/.test(callOf(call).object?.text ?? "")) return false
    const element = resultOf(callback)
    if (element === null || !/^jsx_(element|self_closing_element)$/.test(element.type)) return false
    const attributes = attributesOf(element)
    // A spread may contain the key.
    if (attributes.some((attribute) => attribute.type === "jsx_expression" || /^key\b/.test(attribute.text)))
      return false
    return file.isAdded(rangeOf(element).line) && firstLineOf(element)
  },
  "async-effect": (claim) => {
    const callback = effect.test(callOf(claim).called) ? callbackOf(claim) : null
    return callback !== null && isAsync(callback) && firstLineOf(claim)
  },
  "state-mutation": (claim) => {
    if (claim.type === "assignment_expression") {
      if (!/^this\.state\./.test(operationOf(claim).left?.text ?? "")) return false
      const inside = enclosing(claim, ["method_definition", "public_field_definition", "field_definition"])
      return inside?.childForFieldName("name")?.text !== "constructor" && extendsReact(claim)
    }
    const { method, object } = callOf(claim)
    if (object?.type !== "identifier" || !changers.test(method ?? "")) return false
    const component = componentOf(claim)
    const setter = component === null ? undefined : stateOf(component).get(object.text)
    const around = enclosing(claim, functions)
    if (setter === undefined || around === null) return false
    if (identifiers(around.childForFieldName("parameters")).some(({ text }) => text === object.text)) return false
    // It is certainly the state if the same object is set again.
    return around.descendantsOfType("call_expression").some((call) => {
      const { called, args } = callOf(call)
      return called === setter && args[0]?.type === "identifier" && args[0].text === object.text
    })
  },
  "effect-loop": (claim) => {
    const { called, args } = callOf(claim)
    const callback = effect.test(called) && args.length === 1 ? callbackOf(claim) : null
    const component = callback === null ? null : componentOf(claim)
    if (callback === null || component === null) return false
    const setters = new Set(stateOf(component).values())
    const body = callback.childForFieldName("body")
    const statements = body?.type === "statement_block" ? parts(body).map(expressionOf) : [body]
    const sets = statements.some((statement) => {
      if (statement?.type !== "call_expression" || !setters.has(callOf(statement).called)) return false
      // To set a constant or the previous value ends after one more render.
      const [value] = callOf(statement).args
      const result = value?.type === "arrow_function" ? value.childForFieldName("body") : value
      return result != null && /^(object|array|binary_expression|new_expression)$/.test(bare(result).type)
    })
    return sets && firstLineOf(claim)
  },
  "unstable-dependency": (claim) => {
    const { called, args } = callOf(claim)
    if (!/^(React\.)?use(Effect|LayoutEffect|Memo|Callback)$/.test(called) || args[1]?.type !== "array") return false
    const made = /^(object|array|arrow_function|function_expression|new_expression)$/
    const dependency = parts(args[1]).find(({ type }) => made.test(type))
    return dependency !== undefined && rangeOf(dependency)
  },
  "duplicate-prop": repeatedEntry((attribute) => {
    if (attribute.type === "jsx_expression") return "unknown"
    const name = attribute.type === "jsx_attribute" ? attribute.namedChildren[0]?.text : undefined
    return name === undefined ? null : { name, claim: { ...rangeOf(attribute), description: `The prop is ${name}.` } }
  }),
  "length-rendered": (claim) => {
    const shown = expressionOf(claim)
    // The value of an attribute is not rendered.
    if (shown?.type !== "binary_expression" || claim.parent?.type !== "jsx_element") return false
    const { left, operator, right } = operationOf(shown)
    if (operator !== "&&" || left?.type !== "member_expression" || right === null) return false
    return /^(length|size)$/.test(textOf(left, "property")) && /^jsx_/.test(bare(right).type) && rangeOf(left)
  }
}

export const nodeChecks: NodeChecks = unlessExcused({ ...ownChecks, ...effectChecks }, namesOtherLibrary)
