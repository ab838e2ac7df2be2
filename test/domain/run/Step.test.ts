import { expect, test } from "bun:test"
import { Effect } from "effect"
import { breakLoop, inOrder, isEnabled, proceed, type StepBody, stop } from "../../../src/domain/run/Step.ts"

type Body = StepBody<ReadonlyArray<string>, never, never>

const add = (name: string): Body => ({ run: (state) => Effect.succeed(proceed([...state, name], name)) })
const off: Body = { enabled: () => false, run: () => Effect.die("it is not enabled") }
const silent: Body = { run: (state) => Effect.succeed(proceed(state)) }

const run = (...bodies: ReadonlyArray<Body>) => Effect.runSync(inOrder(...bodies).run([]))

test("bodies run in their order, each with the state of the one before", () => {
  expect(run(add("a"), off, add("b"))).toEqual(proceed(["a", "b"], "b"))
})

test("the summary is the last one that was given", () => {
  expect(run(add("a"), silent).summary).toBe("a")
})

test("a stop and a break of the loop end it", () => {
  const stops: Body = { run: (state) => Effect.succeed(stop(state, 1, "red")) }
  const breaks: Body = { run: (state) => Effect.succeed(breakLoop(state)) }
  expect(run(add("a"), stops, add("b"))).toEqual(stop(["a"], 1, "red"))
  expect(run(add("a"), breaks, add("b"))).toEqual(breakLoop(["a"], "a"))
})

test("it is enabled if one of its bodies is", () => {
  expect(isEnabled(inOrder(off, off), [])).toBe(false)
  expect(isEnabled(inOrder(off, silent), [])).toBe(true)
})
