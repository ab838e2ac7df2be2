/** What dd knows about React: the rules of hooks, keys, effects and state, where one file proves them broken. */
import { linesOf, type SyntaxRule } from "../../domain/finding/Rule.ts"
import { enclosing, parts } from "../../languages/tree.ts"
import { reactEffectRules } from "./reactEffects.ts"
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
  react,
  resultOf,
  stateOf
} from "./reactTree.ts"
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
  operationOf
} from "./scriptTree.ts"

const changers = /^(push|pop|shift|unshift|splice|sort|reverse|fill|copyWithin)$/

export const reactRules: ReadonlyArray<SyntaxRule> = [
  react({
    id: "react/conditional-hook",
    severity: "high",
    confidence: "HIGH",
    title: "This hook does not run on every render",
    why: "React tells hooks apart by the order of their calls; a call that is sometimes missing gives every later hook the wrong state.",
    fix: "Call the hook at the top of the component and put the condition inside it.",
    reference: "https://react.dev/reference/rules/rules-of-hooks",
    inTests: false,
    keywords: ["use"],
    query: ask.call,
    check: (claim) => {
      const { called } = callOf(claim)
      if (!/^(React\.)?use[A-Z]\w*$/.test(called)) return false
      const component = enclosing(claim, functions)
      if (component === null || !isComponent(component) || isAsync(component)) return false
      // Only a function that is surely a component: it gives JSX back or goes by a hook's name.
      const isSure = /<[A-Za-z>]/.test(component.text) || hookName.test(nameOf(component))
      const when = isSure ? condition(claim, component) : null
      return when !== null && { ...firstLineOf(claim), description: `\`${called}\` is called ${when}.` }
    },
    examples: {
      bad: [
        "function A({ open }) {\n  if (open) {\n    useEffect(() => {})\n  }\n  return <b>x</b>\n}\n",
        "const A = ({ user }) => {\n  if (!user) return null\n  const [x, setX] = useState(0)\n  return <b>{x}</b>\n}\n",
        "function useThing(a) {\n  for (const x of a) {\n    useMemo(() => x, [x])\n  }\n}\n",
        "function A(p) {\n  const x = p.on ? useContext(C) : null\n  return <b>{x}</b>\n}\n",
        "function A(p) {\n  const x = p.on && useThing()\n  return <b>{x}</b>\n}\n"
      ],
      good: [
        "function A({ open }) {\n  useEffect(() => { if (open) f() }, [open])\n  return <b>x</b>\n}\n",
        "function A() {\n  if (useThing()) return null\n  return <b>x</b>\n}\n",
        "const A = ({ user }) => {\n  const [x] = useState(0)\n  if (!user) return null\n  return <b>{x}</b>\n}\n",
        "function A() {\n  const x = useA() ?? 1\n  return <b>{x}</b>\n}\n",
        "function plain(a) {\n  if (a) {\n    useEverything()\n  }\n}\n",
        "function A(p) {\n  if (p.on) {\n    const y = use(C)\n  }\n  return <b>x</b>\n}\n"
      ]
    }
  }),
  react({
    id: "react/hook-in-callback",
    severity: "high",
    confidence: "HIGH",
    title: "A hook is called inside a callback",
    why: "React can keep a hook's state only when the component itself calls it, during rendering.",
    fix: "Call the hook in the component and use its result in the callback.",
    reference: "https://react.dev/reference/rules/rules-of-hooks",
    inTests: false,
    keywords: ["use"],
    query: ask.call,
    check: (claim) => {
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
    examples: {
      bad: [
        "function A() {\n  return <b onClick={() => { const [x] = useState(0) }}>x</b>\n}\n",
        "function A({ xs }) {\n  return <b>{xs.map((x) => { const r = useRef(x); return <i key={x} ref={r} /> })}</b>\n}\n",
        "function useA() {\n  useEffect(() => {\n    const c = useContext(C)\n  }, [])\n}\n"
      ],
      good: [
        "function A() {\n  const [x] = useState(0)\n  return <b onClick={() => f(x)}>x</b>\n}\n",
        "const useA = create(() => useState(0))\n",
        "test('a', () => {\n  renderHook(() => useState(0))\n})\n",
        "const A = memo(() => {\n  const [x] = useState(0)\n  return <b>{x}</b>\n})\n"
      ]
    }
  }),
  react({
    id: "react/missing-key",
    severity: "medium",
    confidence: "HIGH",
    title: "Elements made in a list have no key",
    why: "Without a key React cannot tell the items apart when the list changes, and mixes up their state.",
    fix: "Give each element a `key` that belongs to its item.",
    reference: "https://react.dev/learn/rendering-lists#keeping-list-items-in-order-with-key",
    inTests: false,
    keywords: [".map("],
    query: ask.jsx,
    check: (claim, file) => {
      const shown = expressionOf(claim)
      const call = shown?.type === "binary_expression" ? operationOf(shown).right : shown
      if (call?.type !== "call_expression" || callOf(call).method !== "map") return false
      const callback = callbackOf(call)
      if (callback === null || /\bChildren$/.test(callOf(call).object?.text ?? "")) return false
      const element = resultOf(callback)
      if (element === null || !/^jsx_(element|self_closing_element)$/.test(element.type)) return false
      const attributes = attributesOf(element)
      // A spread may bring the key.
      if (attributes.some((attribute) => attribute.type === "jsx_expression" || /^key\b/.test(attribute.text)))
        return false
      return file.isAdded(linesOf(element).line) && firstLineOf(element)
    },
    examples: {
      bad: [
        "const A = ({ xs }) => <ul>{xs.map((x) => <li>{x}</li>)}</ul>\n",
        "const A = ({ xs }) => <ul>{xs && xs.map((x) => (\n  <Item value={x} />\n))}</ul>\n",
        "const A = ({ xs }) => <ul>{xs.map((x) => {\n  const y = f(x)\n  return <><b>{y}</b></>\n})}</ul>\n"
      ],
      good: [
        "const A = ({ xs }) => <ul>{xs.map((x) => <li key={x}>{x}</li>)}</ul>\n",
        "const A = ({ xs }) => <ul>{xs.map((x) => <Item {...x} />)}</ul>\n",
        "const A = ({ xs }) => <ul>{React.Children.map(xs, (x) => <li>{x}</li>)}</ul>\n",
        "import { For } from 'solid-js'\nconst A = ({ xs }) => <ul>{xs.map((x) => <li>{x}</li>)}</ul>\n",
        "const A = ({ xs }) => <ul>{xs.map((x) => x.name)}</ul>\n"
      ]
    }
  }),
  react({
    id: "react/async-effect",
    severity: "medium",
    confidence: "HIGH",
    title: "An effect's function is async, so its clean-up is a promise",
    why: "React calls what the effect returns; a promise is not a function, and what the effect throws is nobody's.",
    fix: "Define an async function inside the effect and call it there.",
    reference: "https://react.dev/reference/react/useEffect#fetching-data-with-effects",
    keywords: ["Effect"],
    query: ask.call,
    check: (claim) => {
      const callback = effect.test(callOf(claim).called) ? callbackOf(claim) : null
      return callback !== null && isAsync(callback) && firstLineOf(claim)
    },
    examples: {
      bad: [
        "function A() {\n  useEffect(async () => { await load() }, [])\n}\n",
        "function A() {\n  React.useEffect(async function () { await load() })\n}\n",
        "function useA(id) {\n  useLayoutEffect(async () => {\n    set(await load(id))\n  }, [id])\n}\n"
      ],
      good: [
        "function A() {\n  useEffect(() => { load() }, [])\n}\n",
        "function A() {\n  useEffect(() => {\n    const f = async () => { await load() }\n    f()\n  }, [])\n}\n",
        "function A() {\n  const f = useCallback(async () => { await load() }, [])\n}\n"
      ]
    }
  }),
  react({
    id: "react/state-mutation",
    severity: "high",
    confidence: "HIGH",
    title: "State is changed in place, so React does not see a change",
    why: "React compares the old and the new object; the same object means that nothing is rendered again.",
    fix: "Make a copy with the change and set that.",
    reference: "https://react.dev/learn/updating-arrays-in-state",
    inTests: false,
    keywords: ["useState", "this.state"],
    query: "[(assignment_expression) (call_expression)] @claim",
    check: (claim) => {
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
      // Proof that the state is meant: the same object is set again.
      return around.descendantsOfType("call_expression").some((call) => {
        const { called, args } = callOf(call)
        return called === setter && args[0]?.type === "identifier" && args[0].text === object.text
      })
    },
    examples: {
      bad: [
        "function A() {\n  const [xs, setXs] = useState([])\n  const add = (x) => {\n    xs.push(x)\n    setXs(xs)\n  }\n  return <b onClick={add}>x</b>\n}\n",
        "class A extends React.Component {\n  open() {\n    this.state.open = true\n  }\n}\n",
        "function A() {\n  const [xs, setXs] = React.useState([])\n  function sort() {\n    xs.sort()\n    setXs(xs)\n  }\n  return <b onClick={sort}>x</b>\n}\n"
      ],
      good: [
        "function A() {\n  const [xs, setXs] = useState([])\n  const add = (x) => setXs([...xs, x])\n  return <b onClick={add}>x</b>\n}\n",
        "class A extends React.Component {\n  constructor(p) {\n    super(p)\n    this.state.open = true\n  }\n}\n",
        "class Machine {\n  open() {\n    this.state.open = true\n  }\n}\n",
        "function A() {\n  const [xs, setXs] = useState([])\n  const add = (x) => {\n    const ys = [...xs]\n    ys.push(x)\n    setXs(ys)\n  }\n  return <b onClick={add}>x</b>\n}\n"
      ]
    }
  }),
  react({
    id: "react/effect-loop",
    severity: "high",
    confidence: "HIGH",
    title: "This effect sets state after every render, and so renders without end",
    why: "It has no list of dependencies, so it runs after each render; the new state causes the next one.",
    fix: "Give the effect the list of what it depends on.",
    reference: "https://react.dev/reference/react/useEffect#my-effect-keeps-re-running-in-an-infinite-cycle",
    keywords: ["Effect"],
    query: ask.call,
    check: (claim) => {
      const { called, args } = callOf(claim)
      const callback = effect.test(called) && args.length === 1 ? callbackOf(claim) : null
      const component = callback === null ? null : componentOf(claim)
      if (callback === null || component === null) return false
      const setters = new Set(stateOf(component).values())
      const body = callback.childForFieldName("body")
      const statements = body?.type === "statement_block" ? parts(body).map(expressionOf) : [body]
      const sets = statements.some((statement) => {
        if (statement?.type !== "call_expression" || !setters.has(callOf(statement).called)) return false
        // Setting the same constant, or what was there before, ends after one more render.
        const [value] = callOf(statement).args
        const result = value?.type === "arrow_function" ? value.childForFieldName("body") : value
        return result != null && /^(object|array|binary_expression|new_expression)$/.test(bare(result).type)
      })
      return sets && firstLineOf(claim)
    },
    examples: {
      bad: [
        "function A() {\n  const [n, setN] = useState(0)\n  useEffect(() => {\n    setN((n) => n + 1)\n  })\n  return <b>{n}</b>\n}\n",
        "function A(p) {\n  const [o, setO] = useState({})\n  useEffect(() => {\n    setO({ a: p.a })\n  })\n  return <b>{o.a}</b>\n}\n",
        "const A = (p) => {\n  const [xs, setXs] = React.useState([])\n  React.useEffect(() => setXs([...p.xs]))\n  return <b>{xs.length}</b>\n}\n"
      ],
      good: [
        "function A() {\n  const [n, setN] = useState(0)\n  useEffect(() => {\n    setN((n) => n + 1)\n  }, [])\n  return <b>{n}</b>\n}\n",
        "function A(p) {\n  const [o, setO] = useState(null)\n  useEffect(() => {\n    setO((old) => (same(old, p) ? old : p))\n  })\n  return <b>{o}</b>\n}\n",
        "function A() {\n  const [on, setOn] = useState(false)\n  useEffect(() => {\n    setOn(true)\n  })\n  return <b>{on}</b>\n}\n",
        "function A() {\n  const [n, setN] = useState(0)\n  useEffect(() => {\n    if (n < 3) setN((n) => n + 1)\n  })\n  return <b>{n}</b>\n}\n"
      ]
    }
  }),
  react({
    id: "react/unstable-dependency",
    severity: "medium",
    confidence: "HIGH",
    title: "This dependency is a new object on every render, so the list never stays equal",
    why: "Dependencies are compared by identity: the hook runs each time, as if it had no list.",
    fix: "Depend on the values inside, or keep the object with useMemo or outside the component.",
    reference:
      "https://react.dev/learn/removing-effect-dependencies#move-dynamic-objects-and-functions-inside-your-effect",
    inTests: false,
    keywords: ["use"],
    query: ask.call,
    check: (claim) => {
      const { called, args } = callOf(claim)
      if (!/^(React\.)?use(Effect|LayoutEffect|Memo|Callback)$/.test(called) || args[1]?.type !== "array") return false
      const made = /^(object|array|arrow_function|function_expression|new_expression)$/
      const dependency = parts(args[1]).find(({ type }) => made.test(type))
      return dependency !== undefined && linesOf(dependency)
    },
    examples: {
      bad: [
        "function A({ id }) {\n  useEffect(() => { f(id) }, [{ id }])\n}\n",
        "function A({ id }) {\n  const x = useMemo(() => f(id), [[id]])\n}\n",
        "function A({ id }) {\n  const x = useCallback(() => f(id), [() => id])\n}\n"
      ],
      good: [
        "function A({ id }) {\n  useEffect(() => { f(id) }, [id])\n}\n",
        "function A({ id }) {\n  const x = useStable(() => f(id), [{ id }])\n}\n",
        "function A({ id }) {\n  const x = useMemo(() => [{ id }], [])\n}\n"
      ]
    }
  }),
  react({
    id: "react/duplicate-prop",
    severity: "medium",
    confidence: "HIGH",
    title: "This property is given twice; only the last one counts",
    why: "The first value is overwritten in silence.",
    fix: "Remove one of the two.",
    reference: "https://react.dev/learn/passing-props-to-a-component",
    keywords: ["<"],
    query: "[(jsx_opening_element) (jsx_self_closing_element)] @claim",
    check: (claim, file) => {
      const seen = new Set<string>()
      for (const attribute of claim.namedChildren) {
        if (attribute.type === "jsx_expression") seen.clear()
        const name = attribute.type === "jsx_attribute" ? attribute.namedChildren[0]?.text : undefined
        if (name === undefined) continue
        const { line, endLine } = linesOf(attribute)
        if (seen.has(name) && file.isAdded(line)) return { line, endLine, description: `The property is ${name}.` }
        seen.add(name)
      }
      return false
    },
    examples: {
      bad: [
        'const a = <b className="x" id="y" className="z">c</b>\n',
        "const a = <A on={1} on={2} />\n",
        "const a = (\n  <A\n    onClick={f}\n    x={1}\n    onClick={g}\n  />\n)\n"
      ],
      good: [
        'const a = <b className="x" id="y">c</b>\n',
        "const a = <A on={1} {...rest} on={2} />\n",
        "const a = <A on={1}><B on={2} /></A>\n"
      ]
    }
  }),
  react({
    id: "react/length-rendered",
    severity: "medium",
    confidence: "HIGH",
    title: "With an empty list this renders the number 0",
    why: "`0 && <A />` is 0, and React shows numbers.",
    fix: "Compare: `xs.length > 0 && ...`.",
    reference: "https://react.dev/learn/conditional-rendering#logical-and-operator-",
    keywords: [".length", ".size"],
    query: ask.jsx,
    check: (claim) => {
      const shown = expressionOf(claim)
      // As an attribute's value it is not rendered.
      if (shown?.type !== "binary_expression" || claim.parent?.type !== "jsx_element") return false
      const { left, operator, right } = operationOf(shown)
      if (operator !== "&&" || left?.type !== "member_expression" || right === null) return false
      return (
        /^(length|size)$/.test(left.childForFieldName("property")?.text ?? "") &&
        /^jsx_/.test(bare(right).type) &&
        linesOf(left)
      )
    },
    examples: {
      bad: [
        "const A = ({ xs }) => <b>{xs.length && <i>{xs[0]}</i>}</b>\n",
        "const A = ({ xs }) => (\n  <b>\n    {xs.length && (\n      <List items={xs} />\n    )}\n  </b>\n)\n",
        "const A = ({ s }) => <b>{s.ids.size && <I />}</b>\n"
      ],
      good: [
        "const A = ({ xs }) => <b>{xs.length > 0 && <i>{xs[0]}</i>}</b>\n",
        "const A = ({ xs }) => <b>{!!xs.length && <i />}</b>\n",
        "const A = ({ xs }) => <B on={xs.length && <i />} />\n",
        "const A = ({ xs }) => <b>{xs.length ? <i /> : null}</b>\n"
      ]
    }
  }),
  ...reactEffectRules
]
