/** What dd knows about React: effects that leave something behind, stale values, and work that rendering must not do. */

import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import { linesOf, type SyntaxRule } from "../../domain/finding/Rule.ts"
import { enclosing, parts, within } from "../../languages/tree.ts"
import { componentOf, effect, isComponent, nameOf, react, resultOf, stateOf } from "./reactTree.ts"
import {
  ask,
  bare,
  callbackOf,
  callOf,
  expressionOf,
  firstLineOf,
  functions,
  identifiers,
  isAsync,
  operationOf,
  scopes
} from "./scriptTree.ts"

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

export const reactEffectRules: ReadonlyArray<SyntaxRule> = [
  react({
    id: "react/stale-state",
    severity: "high",
    confidence: "HIGH",
    title: "This callback keeps the state of the first render",
    why: "With an empty list of dependencies it is made once and sees the values of that render for ever; later ones never reach it.",
    fix: "Give the list what the callback reads, or set state from its previous value: `setCount((count) => count + 1)`.",
    reference: "https://react.dev/reference/react/useEffect#updating-state-based-on-previous-state-from-an-effect",
    inTests: false,
    keywords: ["useState"],
    query: ask.call,
    check: (claim) => {
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
    examples: {
      bad: [
        "function A() {\n  const [n, setN] = useState(0)\n  useEffect(() => {\n    const id = setInterval(() => setN(n + 1), 1000)\n    return () => clearInterval(id)\n  }, [])\n  return <b>{n}</b>\n}\n",
        "function A() {\n  const [open, setOpen] = useState(false)\n  const toggle = useCallback(() => {\n    setOpen(!open)\n  }, [])\n  return <b onClick={toggle}>x</b>\n}\n",
        "const A = () => {\n  const [xs, setXs] = React.useState([])\n  React.useEffect(() => {\n    const add = window.addEventListener('x', (e) => { setXs([...xs, e.x]) })\n    return () => off(add)\n  }, [])\n  return <b>{xs.length}</b>\n}\n"
      ],
      good: [
        "function A() {\n  const [n, setN] = useState(0)\n  useEffect(() => {\n    const id = setInterval(() => setN((n) => n + 1), 1000)\n    return () => clearInterval(id)\n  }, [])\n  return <b>{n}</b>\n}\n",
        "function A() {\n  const [open, setOpen] = useState(false)\n  const toggle = useCallback(() => {\n    setOpen(!open)\n  }, [open])\n  return <b onClick={toggle}>x</b>\n}\n",
        "function A() {\n  const [n, setN] = useState(0)\n  const show = useCallback((n) => {\n    print(n)\n  }, [])\n  return <b onClick={show}>{n}</b>\n}\n",
        "function A() {\n  const [n] = useState(() => make())\n  const show = useCallback(() => {\n    n.show()\n  }, [])\n  return <b onClick={show}>x</b>\n}\n",
        "function A() {\n  const [n, setN] = useState(0)\n  useEffect(() => {\n    setN(n + 1)\n    // eslint-disable-next-line react-hooks/exhaustive-deps\n  }, [])\n  return <b>{n}</b>\n}\n"
      ]
    }
  }),
  react({
    id: "react/effect-without-cleanup",
    severity: "medium",
    confidence: "HIGH",
    title: "The effect starts something that nothing stops",
    why: "It stays when the component goes, and with every further run of the effect there is one more of it.",
    fix: "Return a function from the effect that takes it back: `return () => clearInterval(id)`.",
    reference: "https://react.dev/reference/react/useEffect#connecting-to-an-external-system",
    inTests: false,
    keywords: ["setInterval", "addEventListener"],
    query: ask.call,
    check: (claim) => {
      const callback = effect.test(callOf(claim).called) ? callbackOf(claim) : null
      if (callback === null || componentOf(claim) === null || givesBack(callback)) return false
      if (takesBack.test(callback.text)) return false
      // Only what the effect itself does: a callback of its own may run never or once.
      for (const call of within(callback.childForFieldName("body") ?? callback, ["call_expression"], scopes)) {
        const left = leftBehind(call)
        if (left !== null) return { ...firstLineOf(call), description: `${left} goes on after the component is gone.` }
      }
      return false
    },
    examples: {
      bad: [
        "function A() {\n  useEffect(() => {\n    window.addEventListener('resize', onResize)\n  }, [])\n  return <b>x</b>\n}\n",
        "function useTick(f) {\n  useEffect(() => {\n    setInterval(f, 1000)\n  }, [f])\n}\n",
        "const A = () => {\n  React.useEffect(() => {\n    if (on) {\n      document.addEventListener('keydown', (e) => f(e))\n    }\n  }, [on])\n  return <b>x</b>\n}\n"
      ],
      good: [
        "function A() {\n  useEffect(() => {\n    window.addEventListener('resize', onResize)\n    return () => window.removeEventListener('resize', onResize)\n  }, [])\n  return <b>x</b>\n}\n",
        "function A() {\n  useEffect(() => {\n    window.addEventListener('load', f, { once: true })\n  }, [])\n  return <b>x</b>\n}\n",
        "function useTick(f) {\n  useEffect(() => {\n    const id = setInterval(() => { if (f()) clearInterval(id) }, 1000)\n  }, [f])\n}\n",
        "function A() {\n  const start = () => { setInterval(f, 1000) }\n  return <b onClick={start}>x</b>\n}\n",
        "function A() {\n  useEffect(() => {\n    input.addEventListener('change', f)\n  }, [])\n  return <b>x</b>\n}\n"
      ]
    }
  }),
  react({
    id: "react/set-state-in-render",
    severity: "high",
    confidence: "HIGH",
    title: "State is set while rendering, which renders again without end",
    why: "Every render sets the state, and every set state asks for a render; React stops it with an error.",
    fix: "Set it in an event handler or an effect; a handler is handed over, not called: `onClick={() => setOpen(true)}`.",
    reference: "https://react.dev/reference/react/useState#im-getting-an-error-too-many-re-renders",
    inTests: false,
    keywords: ["useState"],
    query: ask.call,
    check: (claim) => {
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
    examples: {
      bad: [
        "function A() {\n  const [open, setOpen] = useState(false)\n  return <b onClick={setOpen(true)}>x</b>\n}\n",
        "const A = ({ x }) => {\n  const [y, setY] = useState(0)\n  setY(x * 2)\n  return <b>{y}</b>\n}\n",
        "function A(p) {\n  const [xs, setXs] = React.useState([])\n  setXs(p.xs)\n  return <b>{xs.length}</b>\n}\n"
      ],
      good: [
        "function A() {\n  const [open, setOpen] = useState(false)\n  return <b onClick={() => setOpen(true)}>x</b>\n}\n",
        "function A({ x }) {\n  const [old, setOld] = useState(x)\n  if (x !== old) {\n    setOld(x)\n  }\n  return <b>{old}</b>\n}\n",
        "function A({ x }) {\n  const [y, setY] = useState(0)\n  useEffect(() => {\n    setY(x)\n  }, [x])\n  return <b>{y}</b>\n}\n",
        "function A() {\n  const [y, setY] = useState(0)\n  const on = () => {\n    setY(1)\n  }\n  return <b onClick={on}>{y}</b>\n}\n"
      ]
    }
  }),
  react({
    id: "react/effect-returns-promise",
    severity: "high",
    confidence: "HIGH",
    title: "The effect gives a promise back where React expects its clean-up",
    why: "React calls what an effect returns when the component goes or the effect runs again; a promise cannot be called.",
    fix: "Put braces around the call, so that nothing is returned: `useEffect(() => { load() }, [])`.",
    reference: "https://react.dev/reference/react/useEffect#parameters",
    inTests: false,
    keywords: ["Effect"],
    query: ask.call,
    check: (claim) => {
      const callback = effect.test(callOf(claim).called) ? callbackOf(claim) : null
      // An async callback is another rule's.
      if (callback === null || isAsync(callback)) return false
      const value = resultOf(callback)
      return value !== null && isPromise(value) && linesOf(value)
    },
    examples: {
      bad: [
        "function A() {\n  const load = async () => { await f() }\n  useEffect(() => load(), [])\n  return <b>x</b>\n}\n",
        "async function load() {}\nfunction A() {\n  useEffect(() => load(), [])\n  return <b>x</b>\n}\n",
        "function A() {\n  useEffect(() => {\n    return fetch('/a').then(set)\n  }, [])\n  return <b>x</b>\n}\n",
        "function useA(id) {\n  React.useEffect(() => get(id).then(set).catch(report), [id])\n}\n"
      ],
      good: [
        "function A() {\n  const load = async () => { await f() }\n  useEffect(() => { load() }, [])\n  return <b>x</b>\n}\n",
        "function A() {\n  useEffect(() => subscribe(f), [])\n  return <b>x</b>\n}\n",
        "function A() {\n  useEffect(() => {\n    const load = async () => { await f() }\n    load()\n    return () => stop()\n  }, [])\n  return <b>x</b>\n}\n",
        "function A() {\n  const x = useMemo(() => fetch('/a').then(g), [])\n  return <b>x</b>\n}\n"
      ]
    }
  }),
  react({
    id: "react/props-mutation",
    severity: "high",
    confidence: "HIGH",
    title: "A property is changed in place, though it belongs to the parent",
    why: "The parent's own state changes behind its back: other components see it at some later time, or never.",
    fix: "Work on a copy: `[...items].sort()`, or `items.toSorted()`.",
    reference: "https://react.dev/learn/keeping-components-pure",
    inTests: false,
    keywords: ["props", "({", "{"],
    query: "[(assignment_expression) (call_expression)] @claim",
    check: (claim) => {
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
    examples: {
      bad: [
        "function A({ items }) {\n  items.sort((a, b) => a.n - b.n)\n  return <ul>{items.length}</ul>\n}\n",
        "const A = (props) => {\n  props.items.reverse()\n  return <ul>{props.items.length}</ul>\n}\n",
        "function A(props) {\n  props.title = props.title.trim()\n  return <b>{props.title}</b>\n}\n",
        "const A = ({ items }: Props) => <ul>{items.sort().map((x) => <li key={x}>{x}</li>)}</ul>\n"
      ],
      good: [
        "function A({ items }) {\n  const sorted = [...items].sort()\n  return <ul>{sorted.length}</ul>\n}\n",
        "function A({ history }) {\n  const go = () => history.push('/a')\n  return <b onClick={go}>x</b>\n}\n",
        "function A({ items }) {\n  const xs = items.filter(f).sort()\n  return <ul>{xs.length}</ul>\n}\n",
        "function sort({ items }) {\n  items.sort()\n  return items\n}\n",
        "function A(props) {\n  const out = {}\n  out.title = props.title\n  return <b {...out} />\n}\n"
      ]
    }
  }),
  react({
    id: "react/random-key",
    severity: "medium",
    confidence: "HIGH",
    title: "The key is another one on every render",
    why: "React takes each item for a new one: it is built anew every time, and its state, focus and text selection are lost.",
    fix: "Use something that belongs to the item, such as its id.",
    reference: "https://react.dev/learn/rendering-lists#rules-of-keys",
    inTests: false,
    keywords: ["key={"],
    query: "(jsx_attribute) @claim",
    check: (claim) => {
      const [name, value] = claim.namedChildren
      if (name?.text !== "key" || value?.type !== "jsx_expression") return false
      const calls = value.descendantsOfType("call_expression")
      return calls.some((call) => freshKey.test(callOf(call).called) && callOf(call).args.length === 0)
    },
    examples: {
      bad: [
        "const A = ({ xs }) => <ul>{xs.map((x) => <li key={Math.random()}>{x}</li>)}</ul>\n",
        "const A = ({ xs }) => <ul>{xs.map((x) => <li key={uuidv4()}>{x}</li>)}</ul>\n",
        "const A = ({ xs }) => <ul>{xs.map((x) => <Item key={`${x}-${Date.now()}`} />)}</ul>\n"
      ],
      good: [
        "const A = ({ xs }) => <ul>{xs.map((x) => <li key={x.id}>{x.name}</li>)}</ul>\n",
        "const A = ({ xs }) => <ul>{xs.map((x) => <li key={hash(x)}>{x}</li>)}</ul>\n",
        "const A = ({ xs }) => <ul>{xs.map((x) => <li key={uuidv5(x, space)}>{x}</li>)}</ul>\n",
        "const A = () => <input defaultValue={Math.random()} />\n"
      ]
    }
  }),
  react({
    id: "react/component-in-render",
    severity: "medium",
    confidence: "HIGH",
    title: "A component is defined inside another, so it starts anew on every render",
    why: "Each render makes a new function, which React takes for another component: it drops the old one with its state, focus and effects.",
    fix: "Move it out of the component and hand it what it needs as properties.",
    reference: "https://react.dev/learn/your-first-component#nesting-and-organizing-components",
    inTests: false,
    keywords: ["<"],
    query: "[(jsx_opening_element) (jsx_self_closing_element)] @claim",
    check: (claim) => {
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
    examples: {
      bad: [
        "function A() {\n  function Row() {\n    const [on, setOn] = useState(false)\n    return <i onClick={() => setOn(!on)}>x</i>\n  }\n  return <b><Row /></b>\n}\n",
        "const A = ({ xs }) => {\n  const Field = () => <input defaultValue={xs[0]} />\n  return <form><Field /></form>\n}\n",
        "function A() {\n  const Box = ({ children }) => {\n    const ref = useRef(null)\n    return <i ref={ref}>{children}</i>\n  }\n  return <Box>y</Box>\n}\n"
      ],
      good: [
        "function Row() {\n  const [on, setOn] = useState(false)\n  return <i>x</i>\n}\nfunction A() {\n  return <b><Row /></b>\n}\n",
        "function A() {\n  const row = () => <input />\n  return <b>{row()}</b>\n}\n",
        "function A({ icon }) {\n  const Icon = icon\n  return <b><Icon /></b>\n}\n",
        "function A() {\n  const Row = useMemo(() => () => <input />, [])\n  return <b><Row /></b>\n}\n"
      ]
    }
  }),
  react({
    id: "react/style-text",
    severity: "high",
    confidence: "HIGH",
    title: "`style` is given a text; React wants an object and throws",
    why: "React refuses to render the element: The `style` prop expects a mapping from style properties to values.",
    fix: "Write an object: `style={{ color: 'red' }}`.",
    reference: "https://react.dev/reference/react-dom/components/common#applying-css-styles",
    inTests: false,
    keywords: ["style="],
    query: "(jsx_attribute) @claim",
    check: (claim, file) => {
      const [name, value] = claim.namedChildren
      if (name?.text !== "style" || value === undefined) return false
      const tag = claim.parent?.childForFieldName("name")?.text ?? ""
      if (!/^[a-z][a-z0-9]*$/.test(tag)) return false
      const given = value.type === "jsx_expression" ? expressionOf(value) : value
      if (given === null || !/^(string|template_string)$/.test(bare(given).type)) return false
      // Preact and others take a text; only a file that says it is React's is sure.
      return (file.head ?? []).some((line) => /\b(from|require\()\s*['"]react['"]/.test(line))
    },
    examples: {
      bad: [
        "import React from 'react'\nconst a = <b style=\"color: red\">x</b>\n",
        "import { useState } from 'react'\nconst a = <b style={'color: red'}>x</b>\n",
        "const React = require('react')\nconst A = ({ w }) => <b style={`width: ${w}px`}>x</b>\n"
      ],
      good: [
        "import React from 'react'\nconst a = <b style={{ color: 'red' }}>x</b>\n",
        "import { h } from 'preact'\nconst a = <b style=\"color: red\">x</b>\n",
        "import React from 'react'\nconst a = <Box style=\"wide\">x</Box>\n"
      ]
    }
  })
]

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
