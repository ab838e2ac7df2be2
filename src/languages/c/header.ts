import type { Grammar } from "../../domain/change/Grammar.ts"

/** What never begins a line of a plain C header. */
const onlyInCpp = /^\s*(?:(?:class|namespace|template)\b|using\s+\w|(?:public|private|protected)\s*:|extern\s+"C\+\+")/m

/** A header may be C or C++, and its name does not tell. */
export const headerGrammar = (path: string, text: string): Grammar =>
  /\.h$/i.test(path) && onlyInCpp.test(text) ? "cpp" : "c"
