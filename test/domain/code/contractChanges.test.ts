import { describe, expect } from "bun:test"
import { contractChanges } from "../../../src/domain/code/contractChanges.ts"
import type { Definition, FileSymbols } from "../../../src/domain/code/Symbol.ts"
import { it } from "../../support/effect.ts"

const definition = (name: string, over: Partial<Definition> = {}): Definition => ({
  name,
  kind: "function",
  container: null,
  signature: { parameters: [], async: false, strict: true },
  line: 1,
  endLine: 2,
  shape: name,
  ...over
})

const file = (definitions: ReadonlyArray<Definition>, over: Partial<FileSymbols> = {}): FileSymbols => ({
  definitions,
  types: [],
  imports: [],
  stars: [],
  exports: null,
  bound: new Set(),
  open: false,
  package: "",
  ...over
})

const names = (base: FileSymbols, head: FileSymbols, passesOn = false) =>
  contractChanges(base, head, passesOn).map((change) => `${change._tag} ${change.container ?? ""}.${change.name}`)

describe("contractChanges", () => {
  it("finds nothing between a file and itself", () => {
    const same = file([definition("a"), definition("m", { container: "C", kind: "method" })])
    expect(contractChanges(same, same, true)).toEqual([])
  })

  it("reports the successor of a definition if only its name changed, or if there is only one candidate", () => {
    const became = (base: ReadonlyArray<Definition>, head: ReadonlyArray<Definition>) =>
      contractChanges(file(base), file(head), false).map((change) =>
        change._tag === "Gone" ? (change.became?.name ?? null) : change._tag
      )
    expect(became([definition("one", { shape: "x" })], [definition("uno", { shape: "x" })])).toEqual(["uno"])
    expect(became([definition("loadUser")], [definition("loadUsers")])).toEqual(["loadUsers"])
    expect(became([definition("loadUser")], [definition("save")])).toEqual([null])
    expect(became([definition("one")], [definition("one2"), definition("one3")])).toEqual([null])
    expect(became([definition("one", { shape: "x" })], [definition("One", { kind: "class", shape: "x" })])).toEqual([
      null
    ])
  })

  it("concludes nothing from a file that may offer more than it shows", () => {
    expect(names(file([definition("a")]), file([], { open: true }))).toEqual([])
  })

  it("does not miss a name that is still taken in or bound", () => {
    const imported = { module: "m", name: "a", local: "a", line: 1, guarded: false }
    expect(names(file([definition("a")]), file([], { imports: [imported] }))).toEqual([])
    expect(names(file([definition("a")]), file([], { bound: new Set(["a"]) }))).toEqual([])
  })

  it("cares for a dropped import only where a package passes it on", () => {
    const imported = { module: "m", name: "a", local: "a", line: 1, guarded: false }
    const base = file([], { imports: [imported] })
    expect(names(base, file([]))).toEqual([])
    expect(names(base, file([]), true)).toEqual(["Gone .a"])
  })

  it("distinguishes a removed export from a removed definition", () => {
    const exported = { name: "a", local: "a", from: null, line: 1 }
    const base = file([definition("a")], { exports: [exported] })
    const kept = contractChanges(base, file([definition("a")], { exports: [] }), false)
    expect(kept.map((change) => change._tag === "Gone" && change.kept)).toEqual([true])
    const gone = contractChanges(base, file([], { exports: [] }), false)
    expect(gone.map((change) => change._tag === "Gone" && change.kept)).toEqual([false])
  })

  it("leaves the methods of a class that is gone to the class", () => {
    const base = file([definition("C", { kind: "class" }), definition("m", { container: "C", kind: "method" })])
    expect(names(base, file([]))).toEqual(["Gone .C"])
  })

  it("compares signatures only of the one definition of a name", () => {
    const changed = definition("a", { signature: { parameters: [], async: true, strict: true } })
    expect(names(file([definition("a")]), file([changed]))).toEqual(["Signature .a"])
    expect(names(file([definition("a")]), file([changed, changed]))).toEqual([])
    expect(names(file([definition("a", { signature: null })]), file([changed]))).toEqual([])
  })

  it("looks at a definition as often in a file of thousands as in a small one", () => {
    const readsOf = (count: number, overloads: boolean) => {
      let reads = 0
      const counted = (name: string, container: string | null): Definition => {
        const { name: _, ...rest } = definition(name, { container, shape: name.slice(3), kind: "method" })
        return {
          ...rest,
          get name() {
            reads++
            return name
          }
        }
      }
      const side = (prefix: string) =>
        file(
          Array.from({ length: count }, (_, at) => [
            counted(`${prefix}${at}`, null),
            counted(`${prefix}${at}`, "C"),
            { ...counted(`kept${at}`, null), signature: { parameters: [], async: prefix === "new", strict: true } }
          ]).flat(),
          { overloads }
        )
      expect(contractChanges(side("old"), side("new"), false)).toHaveLength(count * 3)
      return reads / count
    }
    for (const overloads of [false, true]) expect(readsOf(400, overloads)).toBeLessThan(readsOf(100, overloads) * 1.2)
  })
})
