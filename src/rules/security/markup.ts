/** Pages put together from values on the server, past the template's own escaping. */

import type { Grammar } from "../../domain/change/Grammar.ts"
import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import type { SyntaxRule } from "../../domain/finding/Rule.ts"
import { parts, squeezed, within } from "../../languages/tree.ts"
import { nodeRules } from "../nodeRule.ts"

interface Language {
  readonly area: string
  readonly stack: string
  readonly grammars: ReadonlyArray<Grammar>
  readonly call: string
  /** Calls something safe although a value stands in it, without white space. */
  readonly pattern: (call: SyntaxNode) => boolean
  readonly keywords: ReadonlyArray<string>
  readonly examples: SyntaxRule["examples"]
}

const escapes = /escape|sanitiz|bleach|clean|translate|static|url_for|gettext|strip_tags|json\.dumps/i

const htmlFromValues = (language: Language): SyntaxRule =>
  nodeRules({ stack: language.stack, grammars: language.grammars })({
    id: `${language.area}/html-from-values`,
    severity: "high",
    confidence: "MEDIUM",
    title: "Text with values in it is declared to be safe HTML",
    why: "Markup in one of the values is run in the reader's session (cross-site scripting).",
    fix: "Let the template escape the values, or escape each of them before the text is declared safe.",
    reference: "CWE-79",
    inTests: false,
    keywords: language.keywords,
    query: `(${language.call}) @claim`,
    check: (claim) => claim.endIndex - claim.startIndex < 600 && !escapes.test(claim.text) && language.pattern(claim),
    examples: language.examples
  })

const languages: ReadonlyArray<Language> = [
  {
    area: "py",
    stack: "python",
    grammars: ["python"],
    call: "call",
    pattern: (call) => {
      if (!/^(?:\w+\.)?(?:mark_safe|Markup)\(/.test(squeezed(call))) return false
      const list = call.childForFieldName("arguments")
      const text = list === null ? undefined : parts(list)[0]
      if (text === undefined || !/<\/?\w+/.test(text.text)) return false
      if (text.type === "string") return within(text, ["interpolation"]).length > 0
      if (text.type === "binary_operator") return within(text, ["identifier"]).length > 0
      return (
        text.type === "call" && text.childForFieldName("function")?.childForFieldName("attribute")?.text === "format"
      )
    },
    keywords: ["mark_safe", "Markup"],
    examples: {
      bad: [
        "html = mark_safe(f'<b>{user.name}</b>')\n",
        "html = Markup('<a href=\"%s\">x</a>' % link)\n",
        "html = mark_safe('<p>' + text + '</p>')\n"
      ],
      good: [
        "html = format_html('<b>{}</b>', user.name)\n",
        "html = mark_safe('<b>static text</b>')\n",
        "html = mark_safe(f'<b>{escape(user.name)}</b>')\n",
        "html = Markup('<a href=\"%s\">x</a>') % link\n"
      ]
    }
  },
  {
    area: "go",
    stack: "go",
    grammars: ["go"],
    call: "call_expression",
    pattern: (call) => {
      const text = squeezed(call)
      return (
        /^template\.HTML\(/.test(text) &&
        (/fmt\.Sprintf\(["`][^"`]*<.*%[sv]/.test(text) ||
          /["`]\+[\w.]+|[\w.\])]\+["`]/.test(text) ||
          /FormValue\(|Query\(\)/.test(text))
      )
    },
    keywords: ["template.HTML("],
    examples: {
      bad: [
        'package p\n\nfunc f(name string) template.HTML {\n\treturn template.HTML("<b>" + name + "</b>")\n}\n',
        'package p\n\nfunc f(u User) template.HTML {\n\treturn template.HTML(fmt.Sprintf("<a href=%q>%s</a>", u.URL, u.Name))\n}\n',
        'package p\n\nfunc f(r *http.Request) template.HTML {\n\treturn template.HTML(r.FormValue("text"))\n}\n'
      ],
      good: [
        'package p\n\nfunc f() template.HTML {\n\treturn template.HTML("<b>static</b>")\n}\n',
        'package p\n\nfunc f(name string) template.HTML {\n\treturn template.HTML("<b>" + html.EscapeString(name) + "</b>")\n}\n',
        "package p\n\nfunc f(rendered string) template.HTML {\n\treturn template.HTML(rendered)\n}\n"
      ]
    }
  },
  {
    area: "elixir",
    stack: "elixir",
    grammars: ["elixir"],
    call: "call",
    pattern: (call) => {
      const text = squeezed(call)
      return (
        /^(?:Phoenix\.HTML\.)?raw\("[^"]*<\w[^"]*#\{/.test(text) ||
        /^(?:Phoenix\.HTML\.)?raw\((?:conn\.)?params(?:\["|\.\w)/.test(text)
      )
    },
    keywords: ["raw("],
    examples: {
      bad: [
        'defmodule A do\n  def f(user), do: raw("<b>#{user.name}</b>")\nend\n',
        'defmodule A do\n  def f(params), do: raw(params["text"])\nend\n',
        'defmodule A do\n  def f(x) do\n    Phoenix.HTML.raw("<p class=a>#{x}</p>")\n  end\nend\n'
      ],
      good: [
        "defmodule A do\n  def f(user), do: content_tag(:b, user.name)\nend\n",
        'defmodule A do\n  def f, do: raw("<b>static</b>")\nend\n',
        'defmodule A do\n  def f(x), do: raw("<b>#{html_escape(x)}</b>")\nend\n'
      ]
    }
  }
]

export const markupRules: ReadonlyArray<SyntaxRule> = languages.map(htmlFromValues)
