/**
 * Types and their parents, as far as syntax shows them, and whether a method still fits the one it overrides.
 *
 * Nothing is resolved to files. In doubt, a method fits.
 */
import { type CallShape, fits, type Signature } from "./Symbol.ts"

export interface MethodShape {
  readonly name: string
  /** From 1. */
  readonly line: number
  readonly endLine: number
  /** Null if the syntax does not show how it is called. */
  readonly signature: Signature | null
  /** The types in order, in languages that require equal types in an override; null in others. */
  readonly exact: string | null
  /** Must its result be awaited? Null if that is not clear. */
  readonly awaited: boolean | null
  /** Has no body, so a subtype must define it. */
  readonly required: boolean
  /** Has a modifier for overrides that the language checks. */
  readonly isMarkedOverride: boolean
  /** Calls the parent's method of the same name. */
  readonly callsParent: boolean
  /** The source without white space and its name. */
  readonly shape: string
}

export interface HierarchyType {
  readonly name: string
  readonly line: number
  readonly kind: "class" | "interface"
  /** Cannot be instantiated, or is not intended to be. */
  readonly abstract: boolean
  /** May have methods that its syntax does not show. */
  readonly open: boolean
  /** The types whose methods it inherits, as written, without type arguments. */
  readonly parents: ReadonlyArray<string>
  /** The interfaces it implements, in languages that distinguish them from parents. */
  readonly interfaces: ReadonlyArray<string>
  readonly methods: ReadonlyArray<MethodShape>
  /** Fields, properties and other named members. */
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
      return parent.exact === null || child.exact === null || areSameTypes(parent.exact, child.exact)
    case "count":
      return above === null || below === null || above.parameters.length === below.parameters.length
    case "assignable":
      return above === null || below === null || acceptsCalls(above, below)
    case "call":
      return above === null || below === null || fits(below, smallestCall(above))
  }
}

/** A type without its arguments stands for the type with any. */
const areSameTypes = (one: string, other: string): boolean => {
  const [rawOne, rawOther] = [withoutArguments(one), withoutArguments(other)]
  return one === other || (rawOne === rawOther && (one === rawOne || other === rawOther))
}

const withoutArguments = (types: string): string => {
  const shorter = types.replace(/<[^<>]*>/g, "")
  return shorter === types ? types : withoutArguments(shorter)
}

/** In TypeScript an override may have fewer parameters, and must not require more. */
const acceptsCalls = (above: Signature, below: Signature): boolean =>
  above.parameters.some(({ kind }) => kind === "rest") ||
  below.parameters.filter(({ required }) => required).length <= above.parameters.length

/** The call with only the required arguments. */
const smallestCall = ({ parameters }: Signature): CallShape => ({
  positional: parameters.filter(({ kind, required }) => required && /^positional/.test(kind)).length,
  keywords: parameters.filter(({ kind, required }) => required && kind === "keyword").map(({ name }) => name),
  spread: false
})

/** A type with all its parents, nearest first. */
export interface Lineage {
  readonly type: PlacedType
  readonly above: ReadonlyArray<PlacedType>
  /** Every parent class is known, and has only the members that its syntax shows. */
  readonly complete: boolean
  /** Every interface is, too. */
  readonly whole: boolean
}

/** An inconsistency between a type and its parents. */
export interface Mismatch {
  readonly kind: "override" | "missing-method" | "stray-override"
  readonly method: string
  /** The parent that has, requires or had the method. */
  readonly parent: string
  /** The parent's method after the change; null if it was removed. */
  readonly above: PlacedMethod | null
  /** The new name of the parent's method, if it is clear. */
  readonly became: string | null
}

/** Identifies a method among others of the same name, such as Java's overloads. */
export type KeyOf = (method: MethodShape) => string

/** The mismatches that the change introduces. */
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
    const [parentBefore, parentAfter] = [nearest(before, name), nearest(after, name)]
    if (parentBefore === null || parentAfter === null || parentBefore.type.name !== parentAfter.type.name) return []
    const [childrenBefore = [], childrenAfter = []] = [before, after].map(({ type }) =>
      type.methods.filter((method) => method.name === name)
    )
    const fittedBefore = childrenBefore.filter((child) =>
      parentBefore.methods.some((parent) => canOverride(parent, child, fit))
    )
    const fitting = childrenAfter.filter((child) =>
      parentAfter.methods.some((parent) => canOverride(parent, child, fit))
    )
    // Each unchanged overload must still fit by itself; for a changed one, it is enough that any overload fits.
    const isMisfit = (child: PlacedMethod) =>
      fittedBefore.some((each) => isSame(each, child)) && !fitting.includes(child)
    const isBroken = childrenAfter.some(isMisfit) || (fittedBefore.length > 0 && fitting.length === 0)
    if (!isBroken) return []
    const unmatched = parentAfter.methods.find(
      (parent) => !childrenAfter.some((child) => canOverride(parent, child, fit))
    )
    const above = unmatched ?? parentAfter.methods[0] ?? null
    return [{ kind: "override", method: name, parent: parentAfter.type.name, above, became: null }]
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

/** Methods that a parent requires and no type provides. */
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
    const parentBefore = nearest(before, name)
    if (parentBefore === null || isAbove(after, name) || !before.type.methods.some((each) => each.name === name))
      return []
    const parent = after.above.find((each) => each.name === parentBefore.type.name)
    const became = parent === undefined ? null : successor(parentBefore.methods, parentBefore.type, parent)
    const isRenamed = became !== null && !after.type.methods.some((each) => each.name === became)
    return method.isMarkedOverride || method.callsParent || isRenamed
      ? [
          {
            kind: "stray-override",
            method: name,
            parent: parentBefore.type.name,
            above: isRenamed ? (parent?.methods.find((each) => each.name === became) ?? null) : null,
            became: isRenamed ? became : null
          }
        ]
      : []
  })
}

/** A shorter body does not identify a method. */
const leastShape = 40

/** The new name of a method that is otherwise the same. */
const successor = (methods: ReadonlyArray<MethodShape>, before: HierarchyType, after: HierarchyType): string | null => {
  const [method] = methods
  if (method === undefined || methods.length !== 1 || method.shape.length < leastShape) return null
  const same = after.methods.filter(
    ({ name, shape }) => shape === method.shape && !before.methods.some((each) => each.name === name)
  )
  return same.length === 1 ? (same[0]?.name ?? null) : null
}
