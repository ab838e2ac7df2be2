/**
 * Types and their parents, as far as syntax shows, and whether a method still fits the one it overrides.
 *
 * Pure; nothing here is resolved to files. Every doubt is for "it fits".
 */
import { type CallShape, fits, type Signature } from "./Symbol.ts"

export interface MethodShape {
  readonly name: string
  /** From 1. */
  readonly line: number
  readonly endLine: number
  /** Null where the syntax does not show how it is called. */
  readonly signature: Signature | null
  /** Types in order, where the language wants them equal in both; null elsewhere. */
  readonly exact: string | null
  /** Must its value be waited for? Null where that is not evident. */
  readonly awaited: boolean | null
  /** Has no body: a subtype has to define it. */
  readonly required: boolean
  /** Is declared as an override, in a word that the language checks. */
  readonly isMarkedOverride: boolean
  /** Calls the parent's method of its own name. */
  readonly callsParent: boolean
  /** The source without white space and without its name. */
  readonly shape: string
}

export interface HierarchyType {
  readonly name: string
  readonly line: number
  readonly kind: "class" | "interface"
  /** Cannot be made itself, or is not meant to be. */
  readonly abstract: boolean
  /** May have methods that its syntax does not show. */
  readonly open: boolean
  /** Whose methods it takes over, as they are written, without type arguments. */
  readonly parents: ReadonlyArray<string>
  /** What it promises to have, where the language tells that apart. */
  readonly interfaces: ReadonlyArray<string>
  readonly methods: ReadonlyArray<MethodShape>
  /** Fields, properties and all other named members. */
  readonly others: ReadonlySet<string>
}

/** A method with its file on the head side. */
export interface PlacedMethod extends MethodShape {
  readonly path: string
}

export interface PlacedType extends HierarchyType {
  readonly path: string
  readonly methods: ReadonlyArray<PlacedMethod>
}

/** How a language decides whether one method can override another. */
export type Fit = "call" | "assignable" | "exact" | "count"

/** Can `child` override `parent`? */
export const canOverride = (parent: MethodShape, child: MethodShape, fit: Fit): boolean => {
  if (parent.awaited !== null && child.awaited !== null && parent.awaited !== child.awaited) return false
  const [above, below] = [parent.signature, child.signature]
  switch (fit) {
    case "exact":
      return parent.exact === null || child.exact === null || parent.exact === child.exact
    case "count":
      return above === null || below === null || above.parameters.length === below.parameters.length
    case "assignable":
      return above === null || below === null || takesEnough(above, below)
    case "call":
      return above === null || below === null || fits(below, smallestCall(above))
  }
}

/** In TypeScript a method may leave parameters out, and may not ask for more. */
const takesEnough = (above: Signature, below: Signature): boolean =>
  above.parameters.some(({ kind }) => kind === "rest") ||
  below.parameters.filter(({ required }) => required).length <= above.parameters.length

/** What everybody who calls the method has to give. */
const smallestCall = ({ parameters }: Signature): CallShape => ({
  positional: parameters.filter(({ kind, required }) => required && /^positional/.test(kind)).length,
  keywords: parameters.filter(({ kind, required }) => required && kind === "keyword").map(({ name }) => name),
  spread: false
})

/** A type with everything it comes from, nearest first. */
export interface Lineage {
  readonly type: PlacedType
  readonly above: ReadonlyArray<PlacedType>
  /** Every class it comes from is known, and brings only what its syntax shows. */
  readonly complete: boolean
  /** So is every interface. */
  readonly whole: boolean
}

/** What no longer fits between a type and those above it. */
export interface Mismatch {
  readonly kind: "override" | "missing-method" | "stray-override"
  readonly method: string
  /** The type above that has, wants, or had the method. */
  readonly parent: string
  /** The parent's method as it is now; null when it is gone. */
  readonly above: PlacedMethod | null
  /** The method that took its name's place, when that is evident. */
  readonly became: string | null
}

/** The identity of a method among others of the same name: Java has several. */
export type KeyOf = (method: MethodShape) => string

/** What fitted before and does not after. */
export const mismatches = (before: Lineage, after: Lineage, fit: Fit, keyOf: KeyOf): ReadonlyArray<Mismatch> => [
  ...misfits(before, after, fit),
  ...missingMethods(before, after, keyOf),
  ...strayOverrides(before, after)
]

/** The methods of that name in the nearest type that has one. */
const nearest = ({ above }: Lineage, name: string) => {
  const type = above.find(({ methods }) => methods.some((method) => method.name === name))
  return type === undefined ? null : { type, methods: type.methods.filter((method) => method.name === name) }
}

const misfits = (before: Lineage, after: Lineage, fit: Fit): ReadonlyArray<Mismatch> =>
  [...new Set(after.type.methods.map(({ name }) => name))].flatMap((name): ReadonlyArray<Mismatch> => {
    const [was, is] = [nearest(before, name), nearest(after, name)]
    if (was === null || is === null || was.type.name !== is.type.name) return []
    const [had, has] = [before, after].map(({ type }) => type.methods.filter((method) => method.name === name))
    const stood = (had ?? []).filter((child) => was.methods.some((parent) => canOverride(parent, child, fit)))
    const stand = (has ?? []).filter((child) => is.methods.some((parent) => canOverride(parent, child, fit)))
    // Of several methods of one name, one that is as it was has to fit by itself; any can do for one that is not.
    const isLeft = (child: PlacedMethod) => stood.some((each) => isSame(each, child)) && !stand.includes(child)
    const isBroken = (has ?? []).some(isLeft) || (stood.length > 0 && stand.length === 0)
    if (!isBroken) return []
    const unmatched = is.methods.find((parent) => !(has ?? []).some((child) => canOverride(parent, child, fit)))
    const above = unmatched ?? is.methods[0] ?? null
    return [{ kind: "override", method: name, parent: is.type.name, above, became: null }]
  })

const isSame = (a: MethodShape, b: MethodShape): boolean =>
  a.exact === b.exact && sameSignature(a.signature, b.signature)

const sameSignature = (a: Signature | null, b: Signature | null): boolean => JSON.stringify(a) === JSON.stringify(b)

const missingMethods = (before: Lineage, after: Lineage, keyOf: KeyOf): ReadonlyArray<Mismatch> => {
  if (!after.complete || after.type.abstract || after.type.kind === "interface") return []
  const were = new Set(missingIn(before, keyOf).map(({ key }) => key))
  return missingIn(after, keyOf).flatMap(
    ({ above, key, parent }): ReadonlyArray<Mismatch> =>
      were.has(key) ? [] : [{ kind: "missing-method", method: above.name, parent, above, became: null }]
  )
}

/** Methods that a type above requires and no type provides. */
const missingIn = ({ above, type }: Lineage, keyOf: KeyOf) => {
  const all = [type, ...above]
  const provided = new Set(all.flatMap(({ methods }) => methods.filter(({ required }) => !required).map(keyOf)))
  const others = new Set(all.flatMap((each) => (each.kind === "class" ? [...each.others] : [])))
  return above.flatMap(({ methods, name }) =>
    methods
      .filter((method) => method.required && !provided.has(keyOf(method)) && !others.has(method.name))
      .map((method) => ({ key: keyOf(method), above: method, parent: name }))
  )
}

const strayOverrides = (before: Lineage, after: Lineage): ReadonlyArray<Mismatch> => {
  if (!after.complete || !after.whole) return []
  const isAbove = ({ above }: Lineage, name: string) =>
    above.some(({ methods, others }) => others.has(name) || methods.some((method) => method.name === name))
  return after.type.methods.flatMap((method): ReadonlyArray<Mismatch> => {
    const { name } = method
    const was = nearest(before, name)
    if (was === null || isAbove(after, name) || !before.type.methods.some((each) => each.name === name)) return []
    const parent = after.above.find((each) => each.name === was.type.name)
    const became = parent === undefined ? null : successor(was.methods, was.type, parent)
    const isRenamed = became !== null && !after.type.methods.some((each) => each.name === became)
    return method.isMarkedOverride || method.callsParent || isRenamed
      ? [
          {
            kind: "stray-override",
            method: name,
            parent: was.type.name,
            above: isRenamed ? (parent?.methods.find((each) => each.name === became) ?? null) : null,
            became: isRenamed ? became : null
          }
        ]
      : []
  })
}

/** A shorter body does not show where a method came from. */
const tellingShape = 40

/** The new name of a method that is otherwise the same. */
const successor = (methods: ReadonlyArray<MethodShape>, before: HierarchyType, after: HierarchyType): string | null => {
  const [method] = methods
  if (method === undefined || methods.length !== 1 || method.shape.length < tellingShape) return null
  const same = after.methods.filter(
    ({ name, shape }) => shape === method.shape && !before.methods.some((each) => each.name === name)
  )
  return same.length === 1 ? (same[0]?.name ?? null) : null
}
