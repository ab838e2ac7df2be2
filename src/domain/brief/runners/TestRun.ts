import type { Place } from "../Place.ts"

/** How one test file is run: a program in a folder, with an argument for the file. */
export interface TestRun {
  readonly runner: string
  /** What decided. */
  readonly source: Place
  /** The folder to run in, with its slash; "" for the repository. */
  readonly folder: string
  /** What comes before the arguments, quoted. */
  readonly command: string
  /**
   * The call of the runner alone, with the variables and options that the project gives it, before the files; with the argument for the file; absent
   * if it is not known. Its program is in the packages' folder of programs.
   */
  readonly direct?: { readonly call: string; readonly argument: string }
  /** Not quoted; null if the command needs none. */
  readonly argument: string | null
  /** Comes before each argument. */
  readonly option?: string
  /** Between the arguments of one line. Commas and bars make one argument of them; a line break: one on each line. */
  readonly separator: " " | "," | "|" | "\n"
  /** May a folder of files be the argument? */
  readonly takesFolder: boolean
}
