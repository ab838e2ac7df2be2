/** Frequently extended classes of libraries with their members. A class that is not listed may have any member. */
import type { ImportedName } from "../../domain/code/Symbol.ts"

const error = "cause message name stack toString"
const component =
  "UNSAFE_componentWillMount UNSAFE_componentWillReceiveProps UNSAFE_componentWillUpdate componentDidCatch componentDidMount componentDidUpdate componentWillMount componentWillReceiveProps componentWillUnmount componentWillUpdate context forceUpdate getSnapshotBeforeUpdate props refs render setState shouldComponentUpdate state"
const emitter =
  "addListener emit eventNames getMaxListeners listenerCount listeners off on once prependListener prependOnceListener rawListeners removeAllListeners removeListener setMaxListeners"

/** Global names. */
const global: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ["Error", "TypeError", "RangeError", "SyntaxError", "ReferenceError", "EvalError", "URIError"].map((name) => [
      name,
      error
    ])
  ),
  EventTarget: "addEventListener dispatchEvent removeEventListener"
}

/** By the module they are imported from. */
const taken: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  react: { Component: component, PureComponent: component },
  events: { EventEmitter: emitter, default: emitter },
  "node:events": { EventEmitter: emitter, default: emitter }
}

/** The members of a parent class; null if they are unknown. */
export const scriptBase = (
  written: string,
  imports: ReadonlyArray<ImportedName>,
  isOwn: (name: string) => boolean
): ReadonlyArray<string> | null => {
  const [first = "", member, ...more] = written.split(".")
  if (more.length > 0) return null
  const from = imports.find(({ local }) => local === first)
  if (from === undefined) return member === undefined && !isOwn(first) ? words(global[first]) : null
  // `React.Component`, of the module itself or of its default.
  const name = member ?? from.name ?? "default"
  const isWhole = from.name === null || from.name === "default"
  return member === undefined || isWhole ? words(taken[from.module]?.[name]) : null
}

const words = (names: string | undefined): ReadonlyArray<string> | null => names?.split(" ") ?? null
