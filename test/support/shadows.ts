/** Random programs of each language whose locals have the name of a function, `total`, or another name of this length. */
import { Schema } from "effect"

/** A local with a name, and what is done where it holds. */
type Binder = (name: string, body: string) => string

export interface Shadows {
  readonly path: string
  readonly start: string
  readonly end?: string
  /** Uses the function; `at` tells the places apart. */
  readonly real: (at: number) => string
  readonly use: (name: string) => string
  /** As a declaration of a file. */
  readonly unit: (at: number, body: string) => string
  readonly binders: ReadonlyArray<Binder>
  /** Not in another local: their values use the function, or the names around them do not hold in them. */
  readonly readers?: ReadonlyArray<Binder>
}

const indented = (text: string): string => text.replaceAll("\n", "\n    ")

export const shadows: Readonly<Record<string, Shadows>> = {
  python: {
    path: "u.py",
    start: "from a import total\n",
    real: (at) => `x${at} = total(${at})\n`,
    use: (name) => `${name}(1)`,
    unit: (at, body) => `def f${at}(p):\n    ${indented(body)}\n`,
    readers: [
      (name, body) => `def g(${name}=total(1)):\n    ${indented(body)}`,
      (name, body) => `def g(${name}: total(1)):\n    ${indented(body)}`,
      (name) => `[${name}(1) for ${name} in total(1)]`
    ],
    binders: [
      (name, body) => `def g(${name}):\n    ${indented(body)}`,
      (name, body) => `def g(*, ${name}=1):\n    ${indented(body)}`,
      (name, body) => `def g():\n    ${name} = p\n    ${indented(body)}`,
      (name, body) => `def g():\n    (a, [${name}, *b]) = p\n    ${indented(body)}`,
      (name, body) => `def g():\n    for ${name} in p:\n        ${indented(indented(body))}`,
      (name, body) => `def g():\n    with p as ${name}:\n        ${indented(indented(body))}`,
      (name, body) => `def g():\n    from b import ${name}\n    ${indented(body)}`,
      (name, body) => `def g():\n    import b as ${name}\n    ${indented(body)}`,
      (name, body) => `def g():\n    def ${name}(q):\n        return q\n    ${indented(body)}`,
      (name, body) => `def g():\n    class ${name}:\n        pass\n    ${indented(body)}`,
      (name, body) =>
        `def g():\n    match p:\n        case [${name}, _]:\n            ${indented(indented(indented(body)))}`,
      (name, body) =>
        `def g():\n    match p:\n        case C(x=${name}):\n            ${indented(indented(indented(body)))}`,
      (name, body) => `def g():\n    try:\n        pass\n    except E as ${name}:\n        ${indented(indented(body))}`,
      (name, body) => `def g():\n    if (${name} := p):\n        ${indented(indented(body))}`,
      (name, body) => `def g[${name}](a):\n    ${indented(body)}`,
      (name) => `[${name}(1) for ${name} in p]`,
      (name) => `(lambda ${name}: ${name}(1))(p)`
    ]
  },
  typescript: {
    path: "u.ts",
    start: 'import { total } from "./a"\n',
    real: (at) => `export const x${at} = total(${at})\n`,
    use: (name) => `${name}(1)`,
    unit: (at, body) => `export function f${at}(p: any) {\n${body}\n}\n`,
    binders: [
      (name, body) => `function g(${name}: any) { ${body} }`,
      (name, body) => `function g({ a: ${name} }: any) { ${body} }`,
      (name, body) => `{ const ${name} = p\n ${body} }`,
      (name, body) => `{ let [a, ${name} = 1] = p\n ${body} }`,
      (name, body) => `{ const { a: { b: ${name} }, ...c } = p\n ${body} }`,
      (name, body) => `for (const ${name} of p) { ${body} }`,
      (name, body) => `for (let ${name} = p; ; ) { ${body} }`,
      (name, body) => `try { p() } catch (${name}) { ${body} }`,
      (name, body) => `{ function ${name}() {}\n ${body} }`,
      (name, body) => `p(function ${name}() { ${body} })`,
      (name, body) => `p((${name}: any) => { ${body} })`,
      (name, body) => `p(${name} => { ${body} })`,
      (name, body) => `p(() => { if (p) { var ${name} = p }\n ${body} })`,
      (name, body) => `{ class ${name} {}\n ${body} }`
    ]
  },
  go: {
    path: "p/u.go",
    start: "package p\n",
    real: (at) => `var x${at} = total(${at})\n`,
    use: (name) => `${name}(1)`,
    unit: (at, body) => `func f${at}(p T) {\n${body}\n}\n`,
    readers: [
      (name, body) => `for _, ${name} := range total(1) {\n${body}\n}`,
      (name, body) => `{\n${name} := total(1)\n${body}\n}`
    ],
    binders: [
      (name, body) => `func(${name} T) {\n${body}\n}(p)`,
      (name, body) => `func() (${name} T) {\n${body}\nreturn\n}()`,
      (name, body) => `{\n${name} := p\n${body}\n}`,
      (name, body) => `{\nvar a, ${name} = p, p\n${body}\n}`,
      (name, body) => `{\ntype ${name} T\n${body}\n}`,
      (name, body) => `for _, ${name} := range p {\n${body}\n}`,
      (name, body) => `if ${name} := p; true {\n${body}\n}`,
      (name, body) => `switch ${name} := p.(type) {\ncase T:\n${body}\n}`,
      (name, body) => `select {\ncase ${name} := <-p:\n${body}\n}`
    ]
  },
  rust: {
    path: "src/u.rs",
    start: "use crate::a::total;\n",
    real: (at) => `static X${at}: u8 = total(${at});\n`,
    use: (name) => `${name}(1);`,
    unit: (at, body) => `fn f${at}(p: T) {\n${body}\n}\n`,
    readers: [
      (name, body) => `for ${name} in total(1) { ${body} }`,
      (name, body) => `if let Some(${name}) = total(1) { ${body} }`,
      (name, body) => `match total(1) { Some(${name}) => { ${body} }, _ => {} }`,
      (name, body) => `{ let ${name} = total(1); ${body} }`
    ],
    binders: [
      (name, body) => `{ let ${name} = p; ${body} }`,
      (name, body) => `{ let (a, P { b: ${name}, .. }) = p; ${body} }`,
      (name, body) => `if let Some(${name}) = p { ${body} }`,
      (name, body) => `while let Some(${name}) = p { ${body} }`,
      (name, body) => `for (a, ${name}) in p { ${body} }`,
      (name, body) => `match p { Some(${name}) => { ${body} }, _ => {} }`,
      (name, body) => `match p { ${name} @ 1..=2 => { ${body} }, _ => {} }`,
      (name, body) => `p(|${name}| { ${body} });`,
      (name, body) => `{ fn ${name}(x: u8) {} ${body} }`,
      (name) => `println!("{}", p(|a, ${name}| ${name}(1)));`,
      (name, body) => `fn g(${name}: T) { ${body} }`,
      (name, body) => `{ use other::b as ${name}; ${body} }`
    ]
  },
  java: {
    path: "p/U.java",
    start: "package p;\nclass U {\n",
    end: "}\n",
    real: (at) => `  Object x${at} = new total(${at});\n`,
    use: (name) => `new ${name}(1);`,
    unit: (at, body) => `  void f${at}(T p) {\n${body}\n  }\n`,
    binders: [(name, body) => `{ class ${name} {}\n ${body} }`]
  },
  kotlin: {
    path: "p/u.kt",
    start: "package p\n",
    real: (at) => `val x${at} = total(${at})\n`,
    use: (name) => `${name}(1)`,
    unit: (at, body) => `fun f${at}(p: T) {\n${body}\n}\n`,
    readers: [
      (name, body) => `for (${name} in total(1)) {\n${body}\n}`,
      (name, body) => `if (p) {\nval ${name} = total(1)\n${body}\n}`
    ],
    binders: [
      (name, body) => `fun g(${name}: T) {\n${body}\n}`,
      (name, body) => `if (p) {\nval ${name} = p\n${body}\n}`,
      (name, body) => `if (p) {\nval (a, ${name}) = p\n${body}\n}`,
      (name, body) => `for (${name} in p) {\n${body}\n}`,
      (name, body) => `p.map { ${name} ->\n${body}\n}`,
      (name, body) => `try {\n} catch (${name}: E) {\n${body}\n}`,
      (name, body) => `when (val ${name} = p) {\n1 -> {\n${body}\n}\n}`,
      (name, body) => `if (p) {\nfun ${name}(x: Int) = x\n${body}\n}`
    ]
  },
  swift: {
    path: "u.swift",
    start: "import Foundation\n",
    real: (at) => `let x${at} = total(${at})\n`,
    use: (name) => `${name}(1)`,
    unit: (at, body) => `func f${at}(p: T) {\n${body}\n}\n`,
    readers: [
      (name, body) => `for ${name} in total(1) {\n${body}\n}`,
      (name, body) => `if p {\nguard let ${name} = total(1), p else { return }\n${body}\n}`,
      (name, body) => `if let ${name} = total(1), p {\n${body}\n}`
    ],
    binders: [
      (name, body) => `func g(_ ${name}: T) {\n${body}\n}`,
      (name, body) => `if p {\nlet ${name} = p\n${body}\n}`,
      (name, body) => `if p {\nlet (a, ${name}) = p\n${body}\n}`,
      (name, body) => `if p {\nguard let ${name} = p, p(${name}), let a = ${name} else { return }\n${body}\n}`,
      (name, body) => `if case let .a(b, ${name}) = p, ${name}.a, let c = ${name}, p.a {\n${body}\n}`,
      (name, body) => `if p {\nguard let ${name}, let b = ${name}.a else { return }\n${body}\n}`,
      (name, body) => `if let ${name} = p, ${name}.a, case .b(let c) = ${name} {\n${body}\n}`,
      (name, body) => `if let ${name} = p {\n${body}\n}`,
      (name, body) => `if p {\nguard let ${name} = p else { return }\n${body}\n}`,
      (name, body) => `while let ${name} = p {\n${body}\n}`,
      (name, body) => `for ${name} in p {\n${body}\n}`,
      (name, body) => `p.map { ${name} in\n${body}\n}`,
      (name, body) => `p.map { (${name}: T) -> T in\n${body}\n}`,
      (name, body) => `switch p {\ncase .a(let ${name}):\n${body}\n}`,
      (name, body) => `do {\n} catch let ${name} {\n${body}\n}`
    ]
  },
  ruby: {
    path: "lib/u.rb",
    start: "require_relative 'a'\n",
    real: (at) => `def h${at}\n  total\nend\n`,
    use: (name) => `g ${name}`,
    unit: (at, body) => `def f${at}(p)\n${body}\nend\n`,
    binders: [
      (name, body) => `p.each do |${name}|\n${body}\nend`,
      (name, body) => `p.each { |(a, ${name}), *b|\n${body}\n}`,
      (name, body) => `p.each do\n${name} = p\n${body}\nend`,
      (name, body) => `p.each do\na, (b, ${name}) = p\n${body}\nend`,
      (name, body) => `p.each do\nfor ${name} in p do\n${body}\nend\nend`,
      (name, body) => `p.each do\nbegin\nrescue E => ${name}\n${body}\nend\nend`,
      (name, body) => `p.each do\ncase p\nin [${name}, *a]\n${body}\nend\nend`,
      (name, body) => `->(${name}) {\n${body}\n}`
    ],
    readers: [(name, body) => `def g(a, ${name}: 1)\n${body}\nend`]
  },
  c: {
    path: "u.c",
    start: '#include "a.h"\n',
    real: (at) => `int x${at} = total(${at});\n`,
    use: (name) => `${name}(1);`,
    unit: (at, body) => `int f${at}(int p) {\n${body}\n}\n`,
    binders: [
      (name, body) => `{ int ${name} = p; ${body} }`,
      (name, body) => `{ int a, *${name}[2]; ${body} }`,
      (name, body) => `{ int (*${name})(int) = p; ${body} }`,
      (name, body) => `for (int ${name} = 0; ; ) { ${body} }`,
      (name, body) => `{ typedef int ${name}; ${body} }`
    ]
  },
  cpp: {
    path: "u.cpp",
    start: '#include "a.h"\n',
    real: (at) => `int x${at} = total(${at});\n`,
    use: (name) => `${name}(1);`,
    unit: (at, body) => `int f${at}(int p) {\n${body}\n}\n`,
    binders: [
      (name, body) => `{ auto& ${name} = p; ${body} }`,
      (name, body) => `{ auto ${name} = p; std::thread a(${name}); ${body} }`,
      (name, body) => `{ auto [a, ${name}] = p; ${body} }`,
      (name, body) => `for (const auto& ${name} : p) { ${body} }`,
      (name, body) => `p([&](int ${name}) { ${body} });`,
      (name, body) => `try { } catch (const E& ${name}) { ${body} }`,
      (name, body) => `if (auto ${name} = p; p) { ${body} }`
    ]
  },
  csharp: {
    path: "U.cs",
    start: "class U {\n",
    end: "}\n",
    real: (at) => `  object x${at} = new total(${at});\n`,
    use: (name) => `G(${name});`,
    unit: (at, body) => `  void F${at}(T p) {\n${body}\n  }\n`,
    binders: [
      (name, body) => `{ var ${name} = p; ${body} }`,
      (name, body) => `{ var (a, ${name}) = p; ${body} }`,
      (name, body) => `foreach (var ${name} in p) { ${body} }`,
      (name, body) => `for (int ${name} = 0; ; ) { ${body} }`,
      (name, body) => `p(${name} => { ${body} });`,
      (name, body) => `p((a, ${name}) => { ${body} });`,
      (name, body) => `p((int ${name}) => { ${body} });`,
      (name, body) => `try { } catch (E ${name}) { ${body} }`,
      (name, body) => `{ if (p is T ${name}) { ${body} } }`,
      (name, body) => `{ p(out var ${name}); ${body} }`,
      (name, body) => `{ int ${name}(int x) => x; ${body} }`,
      (name, body) => `using (var ${name} = p) { ${body} }`,
      (name, body) => `switch (p) { case T ${name}: ${body} break; }`
    ]
  },
  php: {
    path: "u.php",
    start: "<?php\nrequire 'a.php';\n",
    real: (at) => `$x${at} = total(${at});\n`,
    use: (name) => `g($${name});`,
    unit: (at, body) => `function f${at}($p) {\n${body}\n}\n`,
    binders: [
      (name, body) => `$${name} = $p; ${body}`,
      (name, body) => `foreach ($p as $${name}) { ${body} }`,
      (name, body) => `$g = function ($${name}) { ${body} };`,
      (name, body) => `try { } catch (E $${name}) { ${body} }`,
      (name, body) => `[$a, $${name}] = $p; ${body}`
    ]
  },
  elixir: {
    path: "lib/u.ex",
    start: "import A\n",
    real: (at) => `def h${at} do\n  total\nend\n`,
    use: (name) => `g(${name})`,
    unit: (at, body) => `def f${at}(p) do\n${body}\nend\n`,
    binders: [
      (name, body) => `if p do\n${name} = p\n${body}\nend`,
      (name, body) => `if p do\n{a, %{b: ${name}}} = p\n${body}\nend`,
      (name, body) => `p.(fn ${name} ->\n${body}\nend)`,
      (name, body) => `case p do\n{:ok, ${name}} ->\n${body}\nend`,
      (name, body) => `case p do\n${name} when is_list(${name}) ->\n${body}\nend`,
      (name, body) => `p.(fn {:ok, [a]} = ${name}, b ->\n${body}\nend)`,
      (name, body) => `case p do\n{nil = ${name}, a} ->\n${body}\nend`,
      (name, body) => `p.(fn ${name}, [a | b] when ${name} > a ->\n${body}\nend)`,
      (name, body) => `for ${name} <- p do\n${body}\nend`,
      (name, body) => `with {:ok, ${name}} <- p do\n${body}\nend`
    ]
  }
}

const number = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 99 }))

/** For each part of a program: its binders, outer first, and whether the function is used after it. */
export const Program = Schema.Array(
  Schema.Struct({ outer: number, inner: number, deep: Schema.Boolean, real: Schema.Boolean })
)

/** The same program with the locals called otherwise: `names` are those of outer and inner ones. */
export const programOf = (
  { binders, end = "", readers = [], real, start, unit, use }: Shadows,
  parts: typeof Program.Type,
  [outer, inner]: readonly [outer: string, inner: string]
): string =>
  start +
  parts
    .map((part, at) => {
      const all = [...binders, ...readers]
      const around = (body: string) => all[part.outer % all.length]!(outer, body)
      const within = (body: string) => binders[part.inner % binders.length]!(inner, body)
      const deeper = part.deep ? `${use(outer)}\n${within(`${use(inner)}\n${use(outer)}`)}` : use(outer)
      return unit(at, around(deeper)) + (part.real ? real(at) : "")
    })
    .join("") +
  end
