/**
 * Risks in GitHub Actions workflows: text from outside that reaches a shell, and rights that reach a stranger.
 *
 * Read by lines and indentation: a claim needs the place, which a parsed document no longer has.
 */
import type { ChangeRule, LineRule, Rule, RuleFile } from "../../domain/finding/Rule.ts"
import { isMovedLine } from "../movedLine.ts"

const isWorkflow = (path: string): boolean => /(?:^|\/)\.github\/workflows\/[^/]+\.ya?ml$/.test(path)
const isAction = (path: string): boolean => isWorkflow(path) || /(?:^|\/)action\.ya?ml$/.test(path)

const isComment = (text: string): boolean => /^\s*#/.test(text)

const indentOf = (text: string): number => text.length - text.trimStart().length

/** How far above a line its block's key is looked for. */
const longestScript = 300

/** Does the line belong to the value of one of these keys: on its line, or in the block below it? */
const isUnder = (keys: RegExp, text: string, line: number, file: RuleFile): boolean => {
  if (keys.test(text)) return true
  let depth = indentOf(text)
  for (let at = line - 1; at >= Math.max(1, line - longestScript); at--) {
    const above = file.head?.[at - 1]
    if (above === undefined) return false
    if (above.trim() === "" || indentOf(above) >= depth) continue
    if (/^\s*(?:- )?[\w-]+:\s*[|>][+-]?\d?\s*(?:#.*)?$/.test(above)) return keys.test(above)
    depth = indentOf(above)
  }
  return false
}

const runKey = /^\s*(?:- )?(?:run|script):/

/** Values that whoever opens an issue, a pull request or a branch can choose. */
const chosenByOthers =
  /\$\{\{[^}]{0,200}\bgithub\.(?:head_ref\b|event\.(?:(?:issue|pull_request|discussion)\.(?:title|body)\b|(?:comment|review|review_comment)\.body\b|pull_request\.head\.(?:ref|label|repo\.default_branch)\b|head_commit\.(?:message|author\.(?:email|name))\b|workflow_run\.(?:head_branch|head_commit\.message|pull_requests)\b|pages\b[^}]{0,40}page_name\b))/

const headOfPullRequest =
  /^\s*(?:ref|repository):.*\$\{\{[^}]{0,200}(?:github\.event\.pull_request\.head\.(?:sha|ref|repo\.full_name)|github\.head_ref|github\.event\.pull_request\.merge_commit_sha)|^\s*ref:\s*["']?refs\/pull\//

const workflow = (trigger: string, steps: string): string =>
  `on: ${trigger}\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n${steps}`

const pullRequestTarget: ChangeRule = {
  _tag: "Change",
  id: "ci/pull-request-target-checkout",
  stack: "generic",
  severity: "high",
  confidence: "HIGH",
  title: "A privileged workflow checks out a stranger's code",
  why: "`pull_request_target` runs with the repository's secrets and a write token; what it checks out from the fork (build scripts, hooks, configuration) runs with them.",
  fix: "Use `pull_request`, or split the work: build without secrets, then publish from a second workflow that checks out nothing.",
  reference: "https://docs.github.com/actions/reference/security/secure-use",
  check: ({ files }) =>
    files.flatMap((file) => {
      if (!isWorkflow(file.path) || file.head === null) return []
      const trigger = file.head.findIndex((text) => /\bpull_request_target\b/.test(text) && !isComment(text)) + 1
      const checkout = file.head.findIndex((text) => headOfPullRequest.test(text)) + 1
      if (trigger === 0 || checkout === 0) return []
      if (file.isAdded(checkout)) return [{ path: file.path, line: checkout }]
      return file.isAdded(trigger) ? [{ path: file.path, line: trigger }] : []
    }),
  examples: {
    bad: [
      {
        ".github/workflows/a.yml": [
          null,
          workflow(
            "pull_request_target",
            "      - uses: actions/checkout@v4\n        with:\n          ref: ${{ github.event.pull_request.head.sha }}\n"
          )
        ]
      },
      {
        ".github/workflows/a.yaml": [
          null,
          workflow(
            "[push, pull_request_target]",
            "      - uses: actions/checkout@v4\n        with:\n          ref: ${{ github.head_ref }}\n"
          )
        ]
      },
      {
        ".github/workflows/a.yml": [
          null,
          workflow(
            "pull_request_target",
            "      - uses: actions/checkout@v4\n        with:\n          ref: refs/pull/${{ github.event.number }}/merge\n"
          )
        ]
      }
    ],
    good: [
      {
        ".github/workflows/a.yml": [
          null,
          workflow(
            "pull_request",
            "      - uses: actions/checkout@v4\n        with:\n          ref: ${{ github.event.pull_request.head.sha }}\n"
          )
        ]
      },
      { ".github/workflows/a.yml": [null, workflow("pull_request_target", "      - uses: actions/labeler@v5\n")] },
      { ".github/workflows/a.yml": [null, workflow("pull_request_target", "      - uses: actions/checkout@v4\n")] },
      {
        "docs/a.yml": [null, workflow("pull_request_target", "      - with:\n          ref: ${{ github.head_ref }}\n")]
      }
    ]
  }
}

const scriptInjection: LineRule = {
  _tag: "Line",
  id: "ci/script-injection",
  stack: "generic",
  severity: "high",
  confidence: "HIGH",
  title: "Text a stranger chooses is pasted into a workflow script",
  why: "The expression is replaced before the shell reads the script, so a title or a branch name with a quote in it runs as commands, with the job's token.",
  fix: "Hand the value over as an environment variable (`env:`) and use the variable, quoted, in the script.",
  reference: "https://docs.github.com/actions/concepts/security/script-injections",
  inTests: true,
  check: (text, line, file) =>
    isAction(file.path) &&
    chosenByOthers.test(text) &&
    !isComment(text) &&
    isUnder(runKey, text, line, file) &&
    !isMovedLine(file, text),
  examples: {
    path: ".github/workflows/triage.yml",
    bad: [
      workflow("issues", '      - run: echo "${{ github.event.issue.title }}"\n'),
      workflow("pull_request", "      - run: |\n          set -e\n\n          git checkout ${{ github.head_ref }}\n"),
      workflow(
        "issue_comment",
        "      - uses: actions/github-script@v7\n        with:\n          script: |\n            const body = `${{ github.event.comment.body }}`\n"
      )
    ],
    good: [
      workflow(
        "issues",
        '      - env:\n          TITLE: ${{ github.event.issue.title }}\n        run: echo "$TITLE"\n'
      ),
      workflow("issues", "      - run: |\n          echo ${{ github.event.issue.number }}\n"),
      workflow(
        "pull_request",
        "      - uses: actions/checkout@v4\n        with:\n          ref: ${{ github.head_ref }}\n"
      ),
      workflow("pull_request", "      - run: echo ok\n        # run: echo ${{ github.head_ref }}\n"),
      workflow("pull_request", "      - if: ${{ github.event.pull_request.title == 'x' }}\n        run: echo ok\n")
    ]
  }
}

/** A step of a workflow: the lines of the same list item, from a line on. */
const restOfStep = (line: number, file: RuleFile): ReadonlyArray<string> => {
  const rest: Array<string> = []
  for (const text of file.head?.slice(line, line + 40) ?? []) {
    if (/^\s*- /.test(text) || /^\s{0,4}\S/.test(text)) break
    rest.push(text)
  }
  return rest
}

const movingAction: LineRule = {
  _tag: "Line",
  id: "ci/secret-to-moving-action",
  stack: "generic",
  severity: "medium",
  confidence: "HIGH",
  title: "A secret is handed to an action taken from a moving branch",
  why: "Whatever is pushed to that branch tomorrow receives the secret.",
  fix: "Pin the action to a commit, or at least to a release tag.",
  reference: "https://docs.github.com/actions/reference/security/secure-use#using-third-party-actions",
  inTests: true,
  check: (text, line, file) => {
    if (!isAction(file.path) || isMovedLine(file, text)) return false
    const used =
      /^\s*(?:- )?uses:\s*["']?([\w.-]+)\/([\w./-]+)@(?:main|master|develop|dev|HEAD|trunk)["']?\s*(?:#.*)?$/.exec(text)
    // GitHub's own actions are trusted with the runner anyway.
    if (used === null || ["actions", "github"].includes(used[1]!)) return false
    return restOfStep(line, file).some((below) => /\$\{\{\s*secrets\.(?!GITHUB_TOKEN\b)/.test(below))
  },
  examples: {
    path: ".github/workflows/ci.yml",
    bad: [
      workflow("push", "      - uses: acme/deploy@main\n        with:\n          key: ${{ secrets.DEPLOY_KEY }}\n"),
      workflow(
        "push",
        "      - name: x\n        uses: acme/tools/setup@master\n        env:\n          A: 1\n          KEY: ${{secrets.KEY}}\n"
      ),
      workflow("push", '      - uses: "acme/deploy@HEAD" # newest\n        with:\n          key: ${{ secrets.K }}\n')
    ],
    good: [
      workflow("push", "      - uses: acme/deploy@v2\n        with:\n          key: ${{ secrets.DEPLOY_KEY }}\n"),
      workflow(
        "push",
        "      - uses: acme/deploy@main\n      - run: ./x\n        env:\n          KEY: ${{ secrets.KEY }}\n"
      ),
      workflow("push", "      - uses: acme/toolchain@master\n        with:\n          toolchain: stable\n"),
      workflow("push", "      - uses: acme/label@main\n        with:\n          token: ${{ secrets.GITHUB_TOKEN }}\n")
    ]
  }
}

const writeAll: LineRule = {
  _tag: "Line",
  id: "ci/write-all",
  stack: "generic",
  severity: "medium",
  confidence: "HIGH",
  title: "A workflow takes every write permission",
  why: "Any step, and any action it uses, can then push code, publish packages and change the repository's settings.",
  fix: "List the permissions the job needs, `contents: read` first.",
  reference: "https://docs.github.com/actions/reference/workflows-and-actions/workflow-syntax#permissions",
  inTests: true,
  check: (text, _line, file) =>
    isWorkflow(file.path) && /^\s*permissions:\s*["']?write-all\b/.test(text) && !isMovedLine(file, text),
  examples: {
    path: ".github/workflows/ci.yml",
    bad: [
      "on: push\npermissions: write-all\n",
      "jobs:\n  a:\n    permissions: write-all # all\n",
      'permissions: "write-all"\n'
    ],
    good: [
      "permissions: read-all\n",
      "permissions:\n  contents: write\n",
      "# permissions: write-all\n",
      "permissions: {}\n"
    ]
  }
}

const secretPrinted: LineRule = {
  _tag: "Line",
  id: "ci/secret-printed",
  stack: "generic",
  severity: "medium",
  confidence: "MEDIUM",
  title: "A workflow prints a secret",
  why: "GitHub hides only the exact text of a secret in the log; once it is encoded, cut or part of JSON it can be read by everybody who sees the run.",
  fix: "Do not print it; pass it to the program through an environment variable or its standard input.",
  reference: "CWE-532",
  inTests: true,
  check: (text, line, file) =>
    isAction(file.path) &&
    /\b(?:echo|printf|cat\s+<<<)\b[^|>]*\$\{\{\s*secrets\.(?!GITHUB_TOKEN\b)\w+\s*\}\}[^|>]*$/.test(text) &&
    !/add-mask|\$GITHUB_ENV/.test(text) &&
    !continuesInto(file.head?.[line]) &&
    !isComment(text) &&
    isUnder(runKey, text, line, file) &&
    !isMovedLine(file, text),
  examples: {
    path: ".github/workflows/ci.yml",
    bad: [
      workflow("push", "      - run: echo ${{ secrets.DEPLOY_KEY }}\n"),
      workflow("push", '      - run: |\n          echo "key: ${{ secrets.DEPLOY_KEY }}"\n'),
      workflow("push", '      - run: printf "%s" "${{secrets.TOKEN}}"\n')
    ],
    good: [
      workflow("push", "      - run: echo ${{ secrets.PASSWORD }} | docker login -u x --password-stdin\n"),
      workflow("push", '      - run: echo "${{ secrets.KEY }}" > key.pem\n'),
      workflow("push", '      - run: echo "::add-mask::${{ secrets.KEY }}"\n'),
      workflow("push", "      - env:\n          KEY: ${{ secrets.KEY }}\n        run: echo done\n")
    ]
  }
}

/** A pipe or a redirection may stand at the beginning of the next line. */
const continuesInto = (next: string | undefined): boolean => next !== undefined && /^\s*[|>]/.test(next)

export const workflowRules: ReadonlyArray<Rule> = [
  pullRequestTarget,
  scriptInjection,
  movingAction,
  writeAll,
  secretPrinted
]
