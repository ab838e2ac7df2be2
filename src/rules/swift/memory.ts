/** Swift: reference cycles, and references to released objects. */
import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import {
  ancestors,
  childOf,
  enclosing,
  fieldOf,
  firstLineOf,
  partIn,
  parts,
  rootOf,
  textOf,
  within
} from "../../languages/tree.ts"
import type { NodeChecks } from "../page/Checks.ts"
import {
  calleeOf,
  capturesOf,
  isExample,
  isForced,
  kindOf,
  memberOf,
  modifiersOf,
  suffixOf,
  typeOf,
  usesSelf
} from "./swiftTree.ts"

/** Does it declare a delegate: by its name, and with an optional type? */
function declaresDelegate(declaration: SyntaxNode): boolean {
  const children = declaration.namedChildren
  const name = children.findIndex(
    (child) =>
      child.type === "pattern" &&
      /^(delegate|dataSource|\w+Delegate)$/.test(fieldOf(child, "bound_identifier", "simple_identifier")?.text ?? "")
  )
  return children.slice(name === -1 ? children.length : name).some((child) => {
    const type = child.type === "type_annotation" ? childOf(child, "optional_type") : null
    return type !== null && /Delegate\??$/.test(type.text)
  })
}

/** Is it the only expression of a closure or of a function with a result, and so its result? */
function isImplicitResult(node: SyntaxNode): boolean {
  const block = node.parent
  if (block === null || parts(block).length !== 1) return false
  const owner = block.parent
  if (owner?.type === "lambda_literal") return true
  const head = owner?.parent?.text.slice(0, owner.startIndex - (owner.parent?.startIndex ?? 0)) ?? ""
  return /->/.test(head)
}

export const memoryChecks: NodeChecks = {
  "closure-keeps-its-owner": (claim, file) => {
    const closure = fieldOf(claim, "result", "lambda_literal")
    const target = fieldOf(claim, "target", "directly_assignable_expression")?.text ?? ""
    if (closure === null || isExample(file.path)) return false
    const type = typeOf(closure)
    // A struct has no reference count; an extension does not show the kind of its type.
    if (type === null || kindOf(type) !== "class") return false
    if (!/^self\.\w+([.?!]+\w+)*$/.test(target) || /\bself\b/.test(capturesOf(closure))) return false
    // If an outer closure captures self weakly, this is a weak reference, too.
    if (ancestors(closure, ["lambda_literal"]).some((outer) => /\bself\b/.test(capturesOf(outer)))) return false
    const property = target.slice(target.lastIndexOf(".") + 1)
    if (new RegExp(`\\b${property}\\s*=\\s*nil\\b`).test(rootOf(closure).text)) return false
    return usesSelf(closure) && firstLineOf(closure)
  },
  "strong-delegate": (claim, file) => {
    if (!declaresDelegate(claim) || isExample(file.path)) return false
    const owner = claim.parent?.parent ?? null
    if (owner === null || owner.type !== "class_declaration" || kindOf(owner) !== "class") return false
    if (/\b(weak|unowned|static|class|override|@\w+)/.test(modifiersOf(claim))) return false
    // The delegate of the application has no owner; an object that creates its delegate is the owner.
    if (/AppDelegate$/.test(textOf(owner, "name"))) return false
    return claim.children.every((child) => child.text !== "let") && childOf(claim, "computed_property") === null
  },
  "observer-token-dropped": (claim, file) => {
    if (!/\.addObserver$/.test(memberOf(claim)) || isExample(file.path)) return false
    if (!/^\(\s*forName:/.test(suffixOf(claim))) return false
    if (claim.parent?.type !== "statements" || (parts(claim.parent).at(-1)?.id === claim.id && isImplicitResult(claim)))
      return false
    // Without a token, there is a leak only if the block captures self.
    const block = within(claim, ["lambda_literal"])[0]
    return (
      block !== undefined &&
      usesSelf(block) &&
      !/\b(weak|unowned)\b/.test(capturesOf(block)) &&
      firstLineOf(parts(claim)[0] ?? claim)
    )
  },
  "timer-keeps-its-target": (claim) => {
    const callee = calleeOf(claim)
    const isTimer = /^Timer\.scheduledTimer$/.test(callee) && /repeats:\s*true/.test(claim.text)
    // Another target between the two may hold self weakly.
    const given = suffixOf(claim)
      .slice(1)
      .replace(/\([^()]*\)/g, "()")
    if (!(isTimer || callee === "CADisplayLink") || !/target:\s*self\b/.test(given)) return false
    const type = typeOf(claim)
    if (type === null || kindOf(type) !== "class") return false
    const stops = rootOf(claim)
      .descendantsOfType("call_expression")
      .filter((call) => /\binvalidate$/.test(calleeOf(call)))
    const target = within(claim, ["value_argument"]).find(({ text }) => /^target:\s*self$/.test(text))
    return stops.every((call) => enclosing(call, ["deinit_declaration"]) !== null) && partIn(claim, target)
  },
  "unowned-self-in-async-closure": (claim) => {
    if (!/\bunowned(\(\w+\))?\s+self\b/.test(capturesOf(claim))) return false
    const call = enclosing(claim, ["call_expression"], ["lambda_literal", "function_body"])
    const later =
      /^DispatchQueue\.(main|global\(.*\))\.async(After)?(\(|$)|\.dataTask(\(|$)|^(Task|Task\.detached)(\(|$)/
    return call !== null && later.test(calleeOf(call)) && firstLineOf(claim)
  },
  "weak-self-unwrapped": (claim) => fieldOf(claim, "target", "self_expression") !== null && isForced(claim)
}
