/** Which tokens of a language are layout: two texts that differ only in these have the same meaning. */
import type { TokenRules } from "../domain/brief/form/CodeSide.ts"
import type { Grammar } from "../domain/change/Grammar.ts"

/** How a language is laid out: the tokens that are layout, and what decides whether other changes are only form. */
export interface Layout extends TokenRules {
  /** Among these, the statements whose order has a meaning. */
  readonly orderedImport: RegExp | null
  /** Are parameters part of what callers write? */
  readonly namedParameters: boolean
  /** Does a line break end a statement, or is white space printed, in a way that the tree does not show? */
  readonly linesMatter: boolean
  /** Matches the start of a definition that has the same meaning anywhere among its neighbours; else it must follow what it uses. */
  readonly anyOrder: RegExp
  /** Node types of types that several definitions, also in several files, extend. */
  readonly reopened: RegExp | null
}

const set = (types: string): ReadonlySet<string> => new Set(types.split(/\s+/).filter((type) => type !== ""))

const never = /(?!)/

const none: Layout = {
  exact: new Set(),
  trailingComma: new Set(),
  optionalSemicolon: false,
  separated: new Set(),
  bareParameter: new Set(),
  grouping: new Set(),
  eitherQuote: "never",
  quotedKeys: new Set(),
  loneBlock: new Set(),
  attributes: new Set(),
  sections: new Set(),
  imports: new Set(),
  orderedImport: null,
  namedParameters: false,
  codeComments: null,
  namesInStrings: never,
  linesMatter: false,
  anyOrder: /^/,
  reopened: null
}

const script: Layout = {
  ...none,
  exact: set("string string_fragment regex template_literal_type hash_bang_line html_comment"),
  trailingComma: set(`arguments formal_parameters array object object_pattern array_pattern named_imports export_clause
    enum_body tuple_type type_parameters type_arguments`),
  optionalSemicolon: true,
  separated: set("object_type interface_body class_body program statement_block class_static_block"),
  bareParameter: set("arrow_function"),
  quotedKeys: set("pair property_signature"),
  grouping: set("parenthesized_expression union_type intersection_type"),
  eitherQuote: "always",
  imports: set("import_statement"),
  orderedImport: /^import\s*['"]/,
  anyOrder: /^(?:export )?(?:default )?(?:declare )?(?:async )?(?:function|interface|type) /
}

const layouts: Readonly<Record<Grammar, Layout>> = {
  python: {
    ...none,
    codeComments: /^# \/\/\/ script/m,
    exact: set("string string_content"),
    grouping: set("parenthesized_expression"),
    trailingComma: set("argument_list parameters list dictionary set import_from_statement"),
    eitherQuote: "always",
    imports: set("import_statement import_from_statement future_import_statement"),
    orderedImport: /\*$|__future__/,
    anyOrder: never,
    namesInStrings: /^[A-Za-z]*[fFtT]/,
    namedParameters: true
  },
  typescript: script,
  tsx: script,
  javascript: script,
  go: {
    ...none,
    exact: set("interpreted_string_literal raw_string_literal rune_literal"),
    trailingComma: set("argument_list literal_value parameter_list"),
    imports: set("import_spec"),
    codeComments: /^\s*(?:import\s+)?"C"\s*$|^\s*\/\/ (?:Unordered )?[Oo]utput:/m
  },
  rust: {
    ...none,
    exact: set("string_literal raw_string_literal char_literal byte_string_literal"),
    trailingComma: set(`arguments parameters field_initializer_list field_declaration_list
      ordered_field_declaration_list enum_variant_list use_list
      struct_pattern type_parameters type_arguments array_expression`),
    separated: set("match_arm"),
    loneBlock: set("closure_expression match_arm"),
    attributes: set("attribute_item"),
    namesInStrings: /\{/,
    imports: set("use_declaration"),
    reopened: /^impl\b/
  },
  elixir: {
    ...none,
    anyOrder: never,
    attributes: set("unary_operator"),
    namesInStrings: /#\{/,
    exact: set("string charlist sigil quoted_atom quoted_keyword char"),
    trailingComma: set("list map tuple")
  },
  java: {
    ...none,
    exact: set("string_literal character_literal template_expression"),
    trailingComma: set("array_initializer"),
    imports: set("import_declaration")
  },
  swift: {
    ...none,
    linesMatter: true,
    exact: set("line_string_literal multi_line_string_literal raw_string_literal regex_literal"),
    trailingComma: set("array_literal dictionary_literal"),
    imports: set("import_declaration"),
    reopened: /\bextension\b/,
    namesInStrings: /\\#*\(/,
    namedParameters: true
  },
  ruby: {
    ...none,
    exact: set(`string heredoc_beginning heredoc_body regex subshell delimited_symbol character string_array
      symbol_array bare_string bare_symbol chained_string uninterpreted`),
    anyOrder: never,
    sections: set("identifier"),
    namesInStrings: /#\{/,
    reopened: /^(?:class|module)\b/,
    trailingComma: set("array hash"),
    eitherQuote: "plain",
    namedParameters: true
  },
  kotlin: {
    ...none,
    linesMatter: true,
    exact: set("string_literal multiline_string_literal character_literal"),
    namesInStrings: /\$/,
    trailingComma: set("value_arguments function_value_parameters class_parameters"),
    imports: set("import"),
    namedParameters: true
  },
  c: { ...none, exact: set("string_literal char_literal system_lib_string preproc_arg preproc_call") },
  cpp: {
    ...none,
    sections: set("access_specifier"),
    exact: set("string_literal raw_string_literal char_literal system_lib_string preproc_arg preproc_call")
  },
  csharp: {
    ...none,
    exact: set(`string_literal verbatim_string_literal raw_string_literal interpolated_string_expression
      character_literal preproc_region preproc_endregion preproc_pragma`),
    reopened: /\bpartial\b/,
    namesInStrings: /^\W*\$/,
    trailingComma: set("initializer_expression enum_member_declaration_list"),
    imports: set("using_directive"),
    namedParameters: true
  },
  php: {
    ...none,
    linesMatter: true,
    exact: set("string encapsed_string heredoc nowdoc text shell_command_expression"),
    namesInStrings: /[$<]/,
    anyOrder: /^(?:(?:abstract|final|public|private|protected|static) )*(?:function|class|interface|trait) /,
    trailingComma: set("arguments formal_parameters array_creation_expression"),
    eitherQuote: "plain",
    imports: set("namespace_use_declaration"),
    namedParameters: true
  }
}

export const layoutOf = (grammar: Grammar): Layout => layouts[grammar]
