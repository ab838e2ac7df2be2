/** Go: errors that are lost, overwritten or checked too late. */

import { rangeOf } from "../../domain/finding/Rule.ts"
import {
  after,
  argumentsOf,
  before,
  enclosing,
  fieldOf,
  hasComment,
  mentions,
  operatorOf,
  partIn,
  parts,
  rootOf,
  within
} from "../../languages/tree.ts"
import type { NodeChecks } from "../page/Checks.ts"
import {
  bodyOf,
  checksError,
  functions,
  holderOf,
  isAssignment,
  isErrorName,
  isZero,
  lastResult,
  leaves,
  memberOf,
  namesOn,
  structOf
} from "./goTree.ts"

export const errorChecks: NodeChecks = {
  "defer-before-error-check": (claim) => {
    const opened = before(claim)
    const checked = after(claim)
    if (opened === null || checked === null || !isAssignment(opened)) return false
    if (claim.parent?.type !== "statement_list") return false
    const names = namesOn(opened, "left")
    const error = names.at(-1)
    const value = names[0]
    if (names.length < 2 || value === undefined || value === "_" || error === undefined) return false
    const called = parts(claim)[0]?.childForFieldName("function")
    return called?.type === "selector_expression" && called.text.startsWith(`${value}.`) && checksError(checked, error)
  },
  "error-swallowed": (claim) => {
    const returned = parts(claim)[0]
    const values = returned === undefined ? [] : parts(returned)
    if (values.length === 0 || values.at(-1)?.type !== "nil" || !values.every(isZero)) return false
    const test = holderOf(claim, "if_statement", "consequence")
    const condition = test === null ? null : fieldOf(test, "condition", "binary_expression")
    if (test === null || condition === null || operatorOf(condition) !== "!=") return false
    const error = condition.childForFieldName("left")
    if (error === null || !isErrorName(error) || condition.childForFieldName("right")?.type !== "nil") return false
    const owner = enclosing(claim, functions)
    if (owner === null || lastResult(owner) !== "error") return false
    const block = test.childForFieldName("consequence")
    const previous = test.previousNamedSibling
    if (block === null || hasComment(block) || claim.parent === null || hasComment(claim.parent)) return false
    if (parts(claim.parent).length > 1) return false
    return previous?.type !== "comment" && !/\/\//.test(claim.text)
  },
  "nil-error-returned": (claim) => {
    const returned = parts(claim)[0]
    const values = returned === undefined ? [] : parts(returned)
    const last = values.at(-1)
    if (last === undefined) return false
    const wrapped = /^(fmt\.Errorf|errors\.Wrapf?|errors\.WithStack|errors\.WithMessagef?)\(/.test(last.text)
    const named = last.type === "identifier" ? last : wrapped ? argumentsOf(last).find(isErrorName) : undefined
    const error = named?.text
    if (error === undefined || !/^err$|Err$/.test(error)) return false
    // A bare name is an error only if the values before it are empty.
    const emptyHanded = values.length > 1 && values.slice(0, -1).every((value) => /^(nil|"")$/.test(value.text))
    if (!wrapped && !emptyHanded) return false
    const test = holderOf(claim, "if_statement", "consequence")
    const owner = enclosing(claim, functions)
    if (test === null || after(claim) !== null || owner === null || lastResult(owner) !== "error") return false
    const block = test.childForFieldName("consequence")
    const saysMore = block === null || bodyOf(block).some((one) => one.id !== claim.id && mentions(one, error))
    const condition = test.childForFieldName("condition")
    const initializer = test.childForFieldName("initializer")
    if (saysMore || condition === null || mentions(condition, error)) return false
    if (initializer !== null && mentions(initializer, error)) return false
    for (let at = before(test); at !== null; at = before(at)) {
      if (checksError(at, error))
        return (
          at.childForFieldName("initializer") === null &&
          leaves(at.childForFieldName("consequence")) &&
          partIn(claim, named)
        )
      if (mentions(at, error)) return false
    }
    return false
  },
  "error-overwritten": (claim) => {
    const error = namesOn(claim, "left").find((name) => /^err$|Err$/.test(name))
    const next = error === undefined || claim.parent?.type !== "statement_list" ? null : after(claim)
    const right = claim.childForFieldName("right")
    const nextRight = next?.childForFieldName("right") ?? null
    if (next === null || right === null || nextRight === null || !isAssignment(next)) return false
    if (error === undefined || !namesOn(next, "left").includes(error) || mentions(nextRight, error)) return false
    return parts(right)[0]?.type === "call_expression" && parts(nextRight)[0]?.type === "call_expression"
  },
  "handler-continues-after-error": (claim) => {
    const call = parts(claim)[0]
    if (call === undefined || !/^http\.(Error|NotFound|Redirect)$/.test(memberOf(call))) return false
    const [writer] = argumentsOf(call)
    const branch = holderOf(claim, "if_statement", "consequence")
    if (writer?.type !== "identifier" || branch === null || after(claim) !== null) return false
    if (branch.childForFieldName("alternative") !== null) return false
    // The code after an `else if` follows other branches, too.
    if (branch.parent?.type !== "statement_list") return false
    for (let at = after(branch); at !== null; at = after(at)) {
      if (at.type === "return_statement" && parts(at).length === 0) return false
      if (mentions(at, writer.text)) return true
    }
    return false
  },
  "recover-without-effect": (claim) => {
    const call = parts(claim)[0]
    return call?.type === "call_expression" && call.childForFieldName("function")?.text === "recover"
  },
  "decode-into-value": (claim) => {
    const given = /^(json|xml|yaml)\.Unmarshal$/.test(memberOf(claim)) ? argumentsOf(claim) : []
    const target = given.length > 1 ? given.at(-1) : undefined
    const owner = target?.type === "identifier" ? enclosing(claim, functions) : null
    if (target === undefined || owner === null) return false
    const declared = owner
      .descendantsOfType("var_spec")
      .filter((one) => one.childForFieldName("name")?.text === target.text)
    const type = declared.length === 1 ? declared[0]?.childForFieldName("type") : undefined
    const assigned = within(owner, ["assignment_statement", "short_var_declaration"]).some((one) =>
      namesOn(one, "left").includes(target.text)
    )
    // A plain type name may refer to an interface or a pointer in another file, unlike a struct literal of this file.
    if (!type || assigned) return false
    const isValue =
      type.type === "type_identifier"
        ? structOf(rootOf(claim), type.text)?.type === "struct_type"
        : ["slice_type", "map_type", "array_type", "struct_type"].includes(type.type)
    return isValue && rangeOf(target)
  }
}
