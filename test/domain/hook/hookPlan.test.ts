/** dd's lines in a hook: they can be added and removed without a trace, and the plan of that is data. */
import { describe, expect, test } from "bun:test"
import { Yaml } from "effect/encoding"
import {
  flagsOf,
  type HookPlan,
  type HookSite,
  installation,
  isInstalled,
  ownCall,
  type Present,
  removal
} from "../../../src/domain/hook/hookPlan.ts"
import {
  asidesOf,
  flagsIn,
  hookNames,
  isExtensible,
  ownHook,
  programIn,
  withBlock,
  withoutBlock
} from "../../../src/domain/hook/hookScript.ts"

const path = "/r/.git/hooks/pre-push"
const [place, earlierPlace] = asidesOf(path)
const file = (text: string | null, isExecutable = true): Present => ({ _tag: "File", text, isExecutable })
const texts = [
  "",
  "\n",
  "exit 3",
  "#!/bin/sh\n",
  "#!/bin/sh",
  "#!/usr/bin/env bash\n\nset -eu\nnpm test\n",
  '#!/usr/bin/env sh\n. "$(dirname -- "$0")/_/husky.sh"\n\nnpm test',
  "#!/bin/sh\r\nexit 1\r\n",
  "#!/usr/bin/python3\nprint(1)\n",
  "# <<< dd hook\n#!/bin/sh\n\n\n",
  "\ufeffecho é\n"
]
const places: ReadonlyArray<Present> = [
  { _tag: "Absent" },
  { _tag: "Link" },
  file(null),
  ...texts.flatMap((text) => [file(text), file(text, false)])
]

/** The files that a hook has: its own, and the one that is moved aside. */
type Disk = Readonly<Record<string, Present>>

const siteOf = (disk: Disk, hook: HookSite["hook"], isShared: boolean): HookSite => {
  const aside = asidesOf(path).find((each) => disk[each] !== undefined)
  return {
    ...{ hook, path, manager: null, settings: "None", isEverywhere: false, isShared },
    present: disk[path] ?? { _tag: "Absent" },
    entry: { path, present: disk[path] ?? { _tag: "Absent" } },
    aside: aside === undefined ? null : { path: aside, isExecutable: true }
  }
}

const applied = (disk: Disk, plan: HookPlan): Disk => {
  const now: Record<string, Present> = { ...disk }
  for (const step of plan._tag === "Steps" ? plan.steps : []) {
    if (step._tag === "Write") {
      const before = now[step.path]
      now[step.path] = file(step.text, before?._tag === "File" ? before.isExecutable : true)
    } else if (step._tag === "Remove") delete now[step.path]
    else {
      now[step.to] = now[step.from]!
      delete now[step.from]
    }
  }
  return now
}

const told = (program: string, allowsEverywhere = false, flags: string | null = null) => ({
  program,
  flags,
  allowsEverywhere
})

describe("a hook", () => {
  test("is the same after dd was installed, from any path and however often, and removed", () => {
    for (const present of places)
      for (const hook of hookNames)
        for (const isShared of [false, true]) {
          const before: Disk = present._tag === "Absent" ? {} : { [path]: present }
          const install = (disk: Disk, program: string) =>
            applied(disk, installation(siteOf(disk, hook, isShared), told(program)))
          const once = install(before, "/opt/it's/dd")
          expect(isInstalled(siteOf(once, hook, isShared))).toBe(true)
          expect(install(once, "/opt/it's/dd")).toEqual(once)
          const moved = install(once, "/usr/bin/daydream")
          expect(applied(moved, removal(siteOf(moved, hook, isShared), false))).toEqual(before)
          expect(applied(before, removal(siteOf(before, hook, isShared), false))).toEqual(before)
        }
  })

  test("keeps its flags when dd is installed again, also those written by hand, until others are given", () => {
    for (const present of places)
      for (const hook of hookNames) {
        const install = (disk: Disk, flags: string | null) =>
          applied(disk, installation(siteOf(disk, hook, false), told("/opt/dd", false, flags)))
        const before: Disk = present._tag === "Absent" ? {} : { [path]: present }
        const flagsAfter = (disk: Disk) => flagsOf(siteOf(disk, hook, false))
        const odd = `--budget 60 --model 'a  "$@" b >&2 c'`
        const first = install(before, odd)
        expect(flagsAfter(first)).toBe(odd)
        expect(install(first, null)).toEqual(first)
        expect(flagsAfter(install(first, "--in-ci"))).toBe("--in-ci")
        expect(applied(first, removal(siteOf(first, hook, false), false))).toEqual(before)
      }
    const byHand = ownHook({ hook: "pre-push", program: "/opt/dd", flags: "" }).replace(
      '"$@" >&2',
      '"$@" --budget 60 >&2'
    )
    expect(flagsIn(byHand)).toBe("--budget 60")
    expect(flagsIn('"$dd_program" hook pre-push --in-ci >&2\n')).toBe("")
  })

  test("in the settings of a manager gets its flags there", () => {
    const site = siteOf({}, "pre-push", false)
    const inSettings: HookSite = { ...site, manager: "lefthook", settings: "Complete" }
    expect(installation(inSettings, told("/bin/dd"))._tag).toBe("InSettings")
    expect(installation(inSettings, told("/bin/dd", false, "--in-ci"))).toMatchObject({
      _tag: "Refused",
      reason: expect.stringContaining("after hook pre-push: --in-ci")
    })
    const snippet = (flags: string) => installation({ ...site, manager: "lefthook" }, told("/bin/dd", false, flags))
    const settings = (plan: HookPlan) => Yaml.parse(plan._tag === "Snippet" ? plan.text : "")
    for (const flags of ["--budget 60", "--model 'a: #b'"])
      expect(settings(snippet(flags))).toEqual({
        "pre-push": { commands: { dd: { run: `daydream hook pre-push ${flags} {1} {2}`, use_stdin: true } } }
      })
  })

  test("of a shell gets the lines after its first one, and after the restart of an old husky", () => {
    const block = { hook: "pre-push", program: "/bin/dd", flags: "", isOwn: false } as const
    for (const text of texts.filter(isExtensible)) {
      expect(withoutBlock(withBlock(text, block))).toBe(text)
      expect(withBlock(text, block)).toStartWith(/^#!.*\n/.exec(text)?.[0] ?? "# >>> dd hook")
    }
    expect(withBlock(texts[6]!, block)).toContain(`_/husky.sh"\n# >>> dd hook`)
  })

  test("that git does not run is not made one that it runs, except where husky runs it", () => {
    const disk: Disk = { [path]: file("exit 1\n", false) }
    const tags = (site: HookSite) => {
      const plan = installation(site, told("/bin/dd"))
      return plan._tag === "Steps" ? plan.steps.map(({ _tag }) => _tag) : []
    }
    expect(tags(siteOf(disk, "pre-push", true))).toEqual(["Move", "Write"])
    expect(tags({ ...siteOf(disk, "pre-push", true), manager: "husky" })).toEqual(["Write"])
  })

  test("of dd's own keeps the lines that others add to it", () => {
    const site = siteOf({}, "pre-push", false)
    const created = applied({}, installation(site, told("/bin/dd")))[path]
    const text = created?._tag === "File" ? created.text : null
    const disk: Disk = { [path]: file(`${text}git lfs pre-push "$@"\n`) }
    expect(installation(siteOf(disk, "pre-push", false), told("/bin/dd"))).toEqual({ _tag: "Steps", steps: [] })
    const left = applied(disk, removal(siteOf(disk, "pre-push", false), false))
    expect(left).toEqual({ [path]: file('#!/bin/sh\ngit lfs pre-push "$@"\n') })
    const both = siteOf({ ...disk, [place]: file("") }, "pre-push", false)
    expect(removal(both, false)._tag).toBe("Refused")
  })

  test("of an earlier form is brought up to date, and what it replaced comes back", () => {
    const tail = `[ -x "$0.before-dd" ] || exit 0\nexec "$0.before-dd" "$@"\n`
    for (const aside of [null, file(null)]) {
      const now = ownHook({ hook: "pre-push", program: "/bin/dd", flags: "" })
      const kept: Disk = aside === null ? {} : { [earlierPlace]: aside }
      const moved: Disk = aside === null ? {} : { [place]: aside }
      for (const added of ["", "git lfs pre-push\n"]) {
        const earlier = { ...kept, [path]: file(`${now}${tail}${added}`) }
        const updated = applied(earlier, installation(siteOf(earlier, "pre-push", false), told("/bin/dd")))
        expect(updated).toEqual({ ...moved, [path]: file(`${now}${added}`) })
        if (added !== "") continue
        const left = aside === null ? {} : { [path]: aside }
        expect(applied(earlier, removal(siteOf(earlier, "pre-push", false), false))).toEqual(left)
        expect(applied(updated, removal(siteOf(updated, "pre-push", false), false))).toEqual(left)
      }
    }
  })

  test("is not replaced if a file is in the way, and not added where other repositories would get it", () => {
    const site = siteOf({ [path]: { _tag: "Link" }, [place]: file("") }, "pre-push", false)
    expect(installation(site, told("/bin/dd"))._tag).toBe("Refused")
    const everywhere = { ...siteOf({}, "pre-push", false), isEverywhere: true }
    expect(installation(everywhere, told("/bin/dd"))._tag).toBe("Refused")
    expect(installation(everywhere, told("/bin/dd", true))._tag).toBe("Steps")
    const installed = { ...everywhere, present: file(ownHook({ hook: "pre-push", program: "/bin/dd", flags: "" })) }
    expect(removal(installed, false)._tag).toBe("Refused")
    expect(removal(installed, true)._tag).toBe("Steps")
  })

  test("whose block of dd has lost its end is not changed", () => {
    const whole = ownHook({ hook: "pre-push", program: "/bin/dd", flags: "" })
    const site = siteOf({ [path]: file(whole.replace("# <<< dd hook\n", "")) }, "pre-push", false)
    for (const plan of [installation(site, told("/bin/dd")), removal(site, false)])
      expect(plan).toMatchObject({ _tag: "Refused", reason: expect.stringContaining("by hand") })
  })

  test("that calls dd by a line of its own gets no second call", () => {
    for (const line of [
      'daydream hook pre-push "$@"',
      'exec /opt/dd/daydream hook pre-push "$@"',
      "npx dd hook pre-push"
    ]) {
      const site = siteOf({ [path]: file(`#!/bin/sh\n${line}\n`) }, "pre-push", false)
      expect(ownCall(site)).toBe(2)
      expect(installation(site, told("/bin/dd"))).toEqual({ _tag: "Steps", steps: [] })
      expect(installation(site, told("/bin/dd", false, "--in-ci"))._tag).toBe("Refused")
      expect(removal(site, false)._tag).toBe("Refused")
    }
    const others = [
      ...["# daydream hook pre-push", "daydream hook pre-commit", "add hook pre-push", 'echo "daydream hook pre-push"'],
      "npm test # formerly: daydream hook pre-push"
    ]
    for (const line of others)
      expect(ownCall(siteOf({ [path]: file(`#!/bin/sh\n${line}\n`) }, "pre-push", false))).toBe(0)
    const unused = siteOf({ [path]: file("#!/bin/sh\ndaydream hook pre-push\n", false) }, "pre-push", false)
    expect(installation(unused, told("/bin/dd"))).toMatchObject({ reason: expect.stringContaining("not executable") })
  })

  test("names the program that it calls", () => {
    for (const program of ["/opt/dd", "/opt/it's/my dd", "/opt/$x"])
      expect(programIn(ownHook({ hook: "pre-commit", program, flags: "" }))).toBe(program)
    expect(programIn(ownHook({ hook: "pre-commit", program: null, flags: "" }))).toBe(null)
  })
})
