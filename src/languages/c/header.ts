import type { Grammar } from "../../domain/change/Grammar.ts"

/** Matches line starts that a C header cannot have. */
const onlyInCpp = /^\s*(?:(?:class|namespace|template)\b|using\s+\w|(?:public|private|protected)\s*:|extern\s+"C\+\+")/m

/** A header may be C or C++; its name does not decide it. */
export const headerGrammar = (path: string, text: string): Grammar =>
  /\.h$/i.test(path) && onlyInCpp.test(text) ? "cpp" : "c"
