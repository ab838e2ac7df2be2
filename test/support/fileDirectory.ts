/** A directory for the tests of one file, removed after the last one. */
import { afterAll } from "bun:test"
import { scratch } from "./process.ts"

/** Call it where the file is loaded, not in a test. */
export const fileDirectory = (): string => {
  const place = scratch()
  afterAll(() => place[Symbol.dispose]())
  return place.path
}
