/**
 * Texts that mean the same, and near misses that do not: 50 groups, 300 pairs. Written before the embedder was, to measure
 * what a semantic comparison adds over comparing strings. Groups with an even index (the first, the third) were used to build the embedder, the others judge it.
 *
 * `same`: three wordings of one thing, as two sessions could have left them. `other`: texts that look alike but would be wrong
 * to merge with them.
 */
export interface ParaphraseGroup {
  readonly type: "error" | "fix" | "convention" | "sequence"
  readonly same: readonly [string, string, string]
  readonly other: readonly [string, string]
}

const group = (
  type: ParaphraseGroup["type"],
  same: ParaphraseGroup["same"],
  other: ParaphraseGroup["other"]
): ParaphraseGroup => ({ type, same, other })

export const paraphraseGroups: ReadonlyArray<ParaphraseGroup> = [
  group(
    "error",
    [
      "error TS2345: Argument of type <q> is not assignable to parameter of type <q>",
      "TS2345: Argument of type <q> is not assignable to parameter of type <q>. Type <q> is missing the following properties",
      "<path> - error TS2345: argument type <q> not assignable to parameter type <q>"
    ],
    ["error TS2339: Property <q> does not exist on type <q>", "error TS2304: Cannot find name <q>"]
  ),
  group(
    "error",
    [
      "ENOENT: no such file or directory, open <q>",
      "Error: cannot open <path>: file not found (ENOENT)",
      "No such file or directory: <q>"
    ],
    ["EACCES: permission denied, open <q>", "EEXIST: file already exists, open <q>"]
  ),
  group(
    "error",
    [
      "ModuleNotFoundError: No module named <q>",
      "ImportError: module <q> could not be found",
      "ModuleNotFoundError: cannot find module <q> in <path>"
    ],
    [
      "ImportError: cannot import name <q> from <q>",
      "ImportError: attempted relative import with no known parent package"
    ]
  ),
  group(
    "error",
    [
      "error[E0502]: cannot borrow <q> as mutable because it is also borrowed as immutable",
      "E0502 cannot borrow <q> mutably while it is borrowed immutably",
      "error[E0502]: mutable borrow of <q> while an immutable borrow is live"
    ],
    ["error[E0382]: borrow of moved value: <q>", "error[E0597]: <q> does not live long enough"]
  ),
  group(
    "error",
    [
      "connect ECONNREFUSED <n>:<n>",
      "Error: connection refused by <n> port <n>",
      "dial tcp <n>:<n>: connect: connection refused"
    ],
    ["read ECONNRESET", "getaddrinfo ENOTFOUND <q>"]
  ),
  group(
    "error",
    [
      "Error: Timeout of <n> exceeded. For async tests, ensure done() is called",
      "test timed out after <n>",
      "error: test exceeded its timeout of <n>"
    ],
    ["AssertionError: expected <n> to equal <n>", "error: test suite has no tests"]
  ),
  group(
    "error",
    ["undefined: <q>", "./<path>: undefined: <q> (undeclared name)", "undeclared name: <q>"],
    ["declared and not used: <q>", "<q> redeclared in this block"]
  ),
  group(
    "error",
    [
      "AssertionError: expected <q> to equal <q>",
      "AssertionError: expected value to be equal to <q>, received <q>",
      "assert.equal failed: values are not equal, expected <q> got <q>"
    ],
    [
      "TypeError: expect(...).toEqual is not a function",
      "AssertionError: expected function to throw an error, but it did not"
    ]
  ),
  group(
    "error",
    [
      "TypeError: Cannot read properties of undefined (reading <q>)",
      "TypeError: Cannot read property <q> of undefined",
      "Uncaught TypeError: undefined has no property <q>, cannot read it"
    ],
    ["TypeError: Cannot set properties of undefined (setting <q>)", "TypeError: <q> is not a function"]
  ),
  group(
    "error",
    [
      "SyntaxError: Unexpected token <q> in JSON at position <n>",
      "JSON.parse: unexpected character <q> at line <n> column <n>",
      "SyntaxError: JSON Parse error: Unexpected identifier <q>"
    ],
    ["SyntaxError: Unexpected end of JSON input", "SyntaxError: Missing initializer in const declaration"]
  ),
  group(
    "error",
    [
      "error: src refspec <q> does not match any",
      "git push: refspec <q> matches no branch",
      "fatal: no ref matches refspec <q>"
    ],
    ["error: failed to push some refs to <q>", "fatal: The current branch <q> has no upstream branch"]
  ),
  group(
    "error",
    ["KeyError: <q>", "KeyError: key <q> is missing from the dictionary", "python: missing key <q> in dict (KeyError)"],
    ["IndexError: list index out of range", "AttributeError: <q> object has no attribute <q>"]
  ),
  group(
    "error",
    [
      "listen EADDRINUSE: address already in use :::<n>",
      "Error: port <n> is already in use (EADDRINUSE)",
      "OSError: [Errno <n>] Address already in use"
    ],
    ["listen EACCES: permission denied <n>", "Error: port should be >= 0 and < <n>"]
  ),
  group(
    "error",
    [
      "expected <q> but found end of input",
      "unexpected end of file, expected <q>",
      "parse error: reached EOF while looking for <q>"
    ],
    ["unexpected token <q>, expected <q>", "invalid character <q> in input"]
  ),
  group(
    "error",
    [
      "npm error code ERESOLVE unable to resolve dependency tree",
      "ERESOLVE could not resolve the tree of dependencies",
      "npm ERR! ERESOLVE: conflicting peer dependency while resolving"
    ],
    [
      "npm error code E404 package <q> is not in this registry",
      "npm error code EINTEGRITY checksum of <q> does not match"
    ]
  ),
  group(
    "error",
    [
      "error: database is locked",
      "sqlite3.OperationalError: database is locked",
      "SQLITE_BUSY: the database is locked by another process"
    ],
    ["sqlite3.OperationalError: no such table: <q>", "error: database disk image is malformed"]
  ),
  group(
    "error",
    [
      "mypy: error: Incompatible return value type (got <q>, expected <q>)",
      "error: incompatible type in return: got <q> but expected <q> [return-value]",
      "Return type <q> is incompatible with declared return type <q>"
    ],
    [
      "error: Missing return statement",
      "error: Incompatible types in assignment (expression has type <q>, variable has type <q>)"
    ]
  ),
  group(
    "error",
    [
      "fatal: not a git repository (or any of the parent directories): .git",
      "error: this folder is not a git repository",
      "git: no repository found in <path> or its parent directories"
    ],
    ["fatal: repository <q> does not exist", "fatal: not possible to fast-forward, aborting"]
  ),
  group(
    "error",
    ["error: unused variable <q>", "<q> is defined but never used no-unused-vars", "variable <q> is never used"],
    ["error: unused import <q>", "<q> is assigned a value but its type is never declared"]
  ),
  group(
    "error",
    [
      "JavaScript heap out of memory",
      "FATAL ERROR: Reached heap limit Allocation failed - out of memory",
      "process ran out of memory: heap limit reached"
    ],
    ["RangeError: Maximum call stack size exceeded", "ENOSPC: no space left on device, write"]
  ),
  group(
    "error",
    [
      "error: formatting differs, run the formatter on <path>",
      "<path> is not formatted: formatter would change it",
      "Code style issues found in <n> files. Run the formatter to fix."
    ],
    ["error: lint rule <q> failed in <path>", "error: the formatter crashed on <path>"]
  ),
  group(
    "error",
    [
      "panic: runtime error: index out of range [<n>] with length <n>",
      "index out of range: index <n>, length <n>",
      "thread <q> panicked: index out of bounds: the len is <n> but the index is <n>"
    ],
    ["panic: runtime error: invalid memory address or nil pointer dereference", "panic: assignment to entry in nil map"]
  ),
  group(
    "error",
    ["bash: <q>: command not found", "sh: <n>: <q>: not found", "error: executable <q> is not on the PATH"],
    ["bash: <path>: Permission denied", "bash: syntax error near unexpected token <q>"]
  ),
  group(
    "error",
    [
      "circular import: cannot import <q> from partially initialized module <q>",
      "ImportError: cannot import name <q> from partially initialized module <q> (most likely due to a circular import)",
      "import cycle not allowed: <q> imports <q>"
    ],
    ["ModuleNotFoundError: No module named <q>", "ImportError: cannot import name <q> from <q> (unknown location)"]
  ),
  group(
    "error",
    [
      "snapshot does not match stored snapshot <q>",
      "error: snapshot <q> mismatched; run with --update-snapshots",
      "expect(received).toMatchSnapshot(): snapshot <q> is different"
    ],
    ["error: snapshot file <path> is obsolete", "error: snapshot <q> could not be written"]
  ),
  group(
    "fix",
    [
      "edit <path>: import the missing name, then tsc --noEmit passes",
      "add the missing import in <path>; tsc --noEmit succeeds",
      "a missing import was added to <path>, and tsc --noEmit was ok"
    ],
    [
      "remove the unused import from <path>; tsc --noEmit succeeds",
      "add the missing type annotation in <path>; tsc --noEmit succeeds"
    ]
  ),
  group(
    "fix",
    [
      "create the directory before the file is written",
      "make the missing folder first, then write",
      "mkdir -p the parent directory before writing"
    ],
    ["delete the directory before the file is written", "create the file before the directory is read"]
  ),
  group(
    "fix",
    [
      "run npm install to get the missing dependency",
      "install the missing package with npm install",
      "npm install adds the dependency that was missing"
    ],
    ["run npm uninstall to drop the unused dependency", "run npm audit to check the dependency"]
  ),
  group(
    "fix",
    [
      "await the promise before using its result",
      "add the missing await to the async call",
      "the call is async: wait for its promise with await"
    ],
    ["remove the needless await from the sync call", "run the promises in parallel before using their results"]
  ),
  group(
    "fix",
    [
      "update the snapshot after the change of output",
      "regenerate snapshots: bun test --update-snapshots",
      "refresh stored snapshots for the new output"
    ],
    ["delete the snapshot test", "update the expected error message in the test"]
  ),
  group(
    "fix",
    [
      "check for null before the field is read",
      "guard against a null value before reading its field",
      "add a null check in front of the access"
    ],
    ["remove the null check in front of the access", "return null when the field is missing"]
  ),
  group(
    "fix",
    [
      "regenerate the lockfile with bun install",
      "run bun install so that the lockfile is updated",
      "the lockfile was out of date: bun install"
    ],
    ["delete the lockfile and commit", "install with a frozen lockfile in CI"]
  ),
  group(
    "fix",
    [
      "increase the timeout of the slow test",
      "raise the test's timeout because it is slow",
      "give the slow test a longer timeout"
    ],
    ["lower the timeout of the slow test", "skip the slow test"]
  ),
  group(
    "fix",
    [
      "release the lock in a finally block",
      "unlock in finally so that the lock is always released",
      "move the release of the lock to finally"
    ],
    ["take the lock in the try block", "close the file in a finally block"]
  ),
  group(
    "fix",
    [
      "rebase the branch on main and push again",
      "git pull --rebase from main, then push",
      "rebase onto main before pushing again"
    ],
    ["merge main into the branch and push again", "force push the branch to main"]
  ),
  group(
    "fix",
    [
      "clone the value before moving it into the closure",
      "the value is cloned so that the closure can own it",
      "pass a clone to the closure instead of the moved value"
    ],
    ["borrow the value in the closure instead of cloning it", "move the value into the closure"]
  ),
  group(
    "fix",
    [
      "escape the user's input before it is put into SQL",
      "use a prepared statement for the SQL query with user input",
      "bind user input as a parameter of the SQL query"
    ],
    ["log the user's input before the SQL query runs", "escape the user's input before it is put into HTML"]
  ),
  group(
    "fix",
    [
      "start the database container before the tests",
      "docker compose up the database, then run tests",
      "tests need the database container running first"
    ],
    ["stop the database container after the tests", "mock the database in the tests"]
  ),
  group(
    "convention",
    [
      "tests are in <path> next to the code, named *.test.ts",
      "test files stand beside the code they test and end in .test.ts",
      "unit tests: *.test.ts beside the source file"
    ],
    ["tests are in a tests folder, named *.spec.ts", "test helpers are in <path> and end in .ts"]
  ),
  group(
    "convention",
    [
      "commit messages: type(scope): summary",
      "commits follow conventional commits: type, scope, summary",
      "conventional commit messages with a type and a scope"
    ],
    ["commit messages: area: what changes", "branches are named type/summary"]
  ),
  group(
    "convention",
    ["indent with tabs", "tabs are used for indentation", "code is indented by tab characters"],
    ["indent with two spaces", "tab characters are forbidden"]
  ),
  group(
    "convention",
    [
      "package manager: pnpm, never npm",
      "dependencies are installed with pnpm rather than npm",
      "use pnpm for packages, not npm"
    ],
    ["package manager: npm, never pnpm", "packages are published with npm"]
  ),
  group(
    "convention",
    ["file names are kebab-case", "files are named in kebab-case", "kebab-case for names of files"],
    ["file names are camelCase", "CSS classes are kebab-case"]
  ),
  group(
    "convention",
    [
      "errors are values: return Result instead of throwing",
      "functions return a Result and do not throw",
      "no exceptions: failures are returned as Result"
    ],
    ["functions throw errors and do not return Result", "results of tests are returned as JSON"]
  ),
  group(
    "convention",
    [
      "after a change of migrations, schema.sql is changed too",
      "edits of migrations come with an edit of schema.sql",
      "schema.sql changes together with migrations"
    ],
    ["migrations are never edited", "schema.sql is generated and not edited"]
  ),
  group(
    "convention",
    [
      "run ruff check and ruff format before a commit",
      "before committing: ruff format, ruff check",
      "ruff check and format are run before each commit"
    ],
    ["run ruff check in CI only", "run black and isort before a commit"]
  ),
  group(
    "sequence",
    [
      "read the failing test, edit the source, run the test",
      "look at the failing test, change the source, run the test again",
      "failing test is read, source edited, test run"
    ],
    ["edit the failing test until it passes, run the test", "read the source, write a new test, run the test"]
  ),
  group(
    "sequence",
    [
      "edit schema, generate client, run type check",
      "change the schema, then regenerate the client and check types",
      "schema edit -> client generation -> type check"
    ],
    ["edit schema, write migration, run migration", "generate client, edit generated code, run type check"]
  ),
  group(
    "sequence",
    [
      "bump version, update changelog, tag, publish",
      "raise the version, write the changelog, create a tag and publish",
      "version bump -> changelog -> tag -> publish"
    ],
    ["revert version, delete tag, unpublish", "update changelog, open pull request, merge"]
  ),
  group(
    "sequence",
    [
      "run the linter, fix its reports, run tests, commit",
      "lint, fix what it reports, test, commit",
      "linter run, reports fixed, tests run, then commit"
    ],
    ["run tests, fix failures, run tests, commit", "lint, ignore the reports, commit and push"]
  )
]

export interface LabelledPair {
  readonly group: number
  readonly type: ParaphraseGroup["type"]
  readonly a: string
  readonly b: string
  readonly isSame: boolean
}

/** Three pairs that mean the same and three near misses of each group. */
export const labelledPairs: ReadonlyArray<LabelledPair> = paraphraseGroups.flatMap(({ other, same, type }, group) => {
  const pair = (a: string, b: string, isSame: boolean): LabelledPair => ({ group, type, a, b, isSame })
  return [
    pair(same[0], same[1], true),
    pair(same[0], same[2], true),
    pair(same[1], same[2], true),
    pair(same[0], other[0], false),
    pair(same[0], other[1], false),
    pair(same[1], other[0], false)
  ]
})
