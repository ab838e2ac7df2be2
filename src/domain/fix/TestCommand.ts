import { quoted } from "../system/shellQuote.ts"

/** The program that runs the project's tests. */
export interface TestCommand {
  /** A line for a POSIX shell; shown to the user before it first runs. */
  readonly command: string
  /** Relative to the root, without a slash at the end; "" for the root. */
  readonly directory: string
  /** What named it: `package.json: scripts.test`, `--test-command`, `DD_TEST_COMMAND`. */
  readonly from: string
}

/** For people: `(cd web && npm test)`. */
export const commandText = ({ command, directory }: TestCommand): string =>
  directory === "" ? command : `(cd ${quoted(directory)} && ${command})`
