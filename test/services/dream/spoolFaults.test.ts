import { expect, test } from "bun:test"
import { faultLine, spoolFaults } from "../../../src/services/dream/spoolFaults.ts"

test("lost events are counted whether or not the disk had room for their reasons", () => {
  const noRoom = "\0"
  const cutOff = "\x001795"
  const text = [faultLine(1_795, "ENOSPC"), noRoom, noRoom, cutOff, faultLine(1_796, "EACCES")].join("")
  const unwritten = "without room to note why"
  expect(spoolFaults(text)).toEqual(["ENOSPC", unwritten, unwritten, unwritten, "EACCES"])
  expect(spoolFaults("")).toEqual([])
})
