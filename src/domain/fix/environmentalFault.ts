/** Why tests could not do their work, by their exit code and output: something that no edit of the code can repair. */

export type EnvironmentalKind =
  | "command"
  | "dependency"
  | "service"
  | "network"
  | "port"
  | "disk"
  | "memory"
  | "permission"

export interface EnvironmentalFault {
  readonly kind: EnvironmentalKind
  /** For people: what happened and what to do. */
  readonly reason: string
}

interface Sign {
  readonly kind: EnvironmentalKind
  /** In one line; its first group is what is missing. */
  readonly form: RegExp
  readonly reason: (what: string) => string
}

/** In order: what comes first explains what comes after it. */
const signs: ReadonlyArray<Sign> = [
  {
    kind: "disk",
    form: /\bNo space left on device\b|\bENOSPC\b|\bEDQUOT\b|\bDisk quota exceeded\b/,
    reason: () => "no space is left on the device; free some, then run the tests again"
  },
  {
    kind: "memory",
    form: /\bJavaScript heap out of memory\b|\bCannot allocate memory\b|\bjava\.lang\.OutOfMemoryError\b|\bENOMEM\b/,
    reason: () => "there was not enough memory; run fewer tests at the same time"
  },
  {
    kind: "command",
    form: /^(?:\S*sh: (?:line )?(?:\d+: )?|make: |env: )['‘"]?([\w.@/+-]+)['’"]?: (?:command not found|not found|No such file or directory)\s*$/,
    reason: (what) => `the program ${what} is not installed; install it, or set test_command`
  },
  {
    kind: "command",
    form: /\bspawn ([\w.@/+-]+) ENOENT\b|\bexec: "([\w.@/+-]+)": executable file not found\b/,
    reason: (what) => `the program ${what} is not installed; install it, or set test_command`
  },
  {
    kind: "dependency",
    form: /\bModuleNotFoundError: No module named ['"]?([\w.]+)|\bNo module named ([\w.]+)\s*$/,
    reason: (what) => `the Python module ${what} is not installed; install the project's dependencies`
  },
  {
    kind: "dependency",
    form: /\bCannot find (?:module|package) ['"]((?![./])[^'"\s]+)['"]/,
    reason: (what) => `the package ${what} is not installed; install the project's dependencies`
  },
  {
    kind: "dependency",
    form: /\bno required module provides package (\S+?)[;:\s]|\bmissing go\.sum entry for (?:module providing package )?(\S+?)[;:\s]/,
    reason: (what) => `the Go module of ${what} is not there; run go mod download`
  },
  {
    kind: "dependency",
    form: /\bfailed to (?:get|download) `([\w.-]+)|\bno matching package named `([\w.-]+)` found/,
    reason: (what) => `the crate ${what} is not there; run cargo fetch`
  },
  {
    kind: "dependency",
    form: /\bUnchecked dependencies for environment (\w+)|\bthe dependency is not available, run "mix (deps\.get)"/,
    reason: () => "the dependencies of the Mix project are not there; run mix deps.get"
  },
  {
    kind: "dependency",
    form: /\bCould not find (?:gem ['"`]?)?([\w.-]+(?:-\d[\w.]*)?)['"`]?.*\b(?:in (?:any of the sources|locally installed gems|the local)|gem sources)|\bBundler::GemNotFound\b/,
    reason: (what) => `the gem ${what} is not installed; run bundle install`
  },
  {
    kind: "dependency",
    form: /\bFailed (?:to open|opening) (?:stream|required).*\b(vendor\/autoload\.php)/,
    reason: () => "the Composer packages are not installed; run composer install"
  },
  {
    kind: "dependency",
    form: /\bCould not resolve (?:all (?:files|dependencies|artifacts) for|dependencies for project) (\S+)/,
    reason: (what) => `the dependencies of ${what} could not be resolved; download them, then run the tests again`
  },
  {
    kind: "port",
    form: /\bEADDRINUSE\b|\baddress already in use\b/i,
    reason: () => "a port is in use by another program; end it, then run the tests again"
  },
  {
    kind: "service",
    form: /\bECONNREFUSED\b(?:[^\n]*?((?:[\w.-]+|\[?[\da-f:]+\]?):\d{2,5}))?|\bconnection refused\b|\bcould not connect to server\b|\bCan't connect to (?:local )?(?:MySQL|MariaDB)/i,
    reason: (what) =>
      `a service${what === "" ? "" : ` at ${what}`} refused the connection; start it, then run the tests again`
  },
  {
    kind: "service",
    form: /\b(?:Cannot connect to the Docker daemon|Is the docker daemon running|container \S* ?is not running)\b/i,
    reason: () => "Docker is not running, or a container is not; start it, then run the tests again"
  },
  {
    kind: "network",
    form: /\bTemporary failure in name resolution\b|\bgetaddrinfo (?:ENOTFOUND|EAI_AGAIN) ?(\S*)|\bCould not resolve host:? ?(\S*)|\bNetwork is unreachable\b|\bENETUNREACH\b|\bdial tcp: lookup (\S+)|\bName or service not known\b/,
    reason: (what) => `the network is not reachable${what === "" ? "" : ` (${what})`}; the tests need it`
  },
  {
    kind: "permission",
    form: /\bRead-only file system\b|\bEROFS\b|\bEACCES\b|\bPermission denied\b|\bOperation not permitted\b/,
    reason: () => "the system refused the tests access to a file; give them access, then run them again"
  }
]

/** How much of a line is compared. */
const longestLine = 2_000

/**
 * Null for failures of the code. A program may print a sign while its tests fail for another reason: if the runner names
 * more failing tests than there are lines with the sign, it does not count.
 */
export const environmentalFault = (
  exitCode: number | null,
  output: string,
  failing: number
): EnvironmentalFault | null => {
  if (exitCode === 0) return null
  const lines = output.split("\n").map((line) => line.slice(0, longestLine))
  for (const { form, kind, reason } of signs) {
    const matches = lines.map((line) => form.exec(line)).filter((match) => match !== null)
    const [first] = matches
    if (first !== undefined && matches.length >= failing) {
      return { kind, reason: reason(first.slice(1).find((group) => group !== undefined) ?? "") }
    }
  }
  if (exitCode === 127) return { kind: "command", reason: "the command was not found; install it, or set test_command" }
  if (exitCode === 126) return { kind: "permission", reason: "the command cannot be executed; make it executable" }
  return null
}
