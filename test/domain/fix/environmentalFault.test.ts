import { describe, expect } from "bun:test"
import { environmentalFault } from "../../../src/domain/fix/environmentalFault.ts"
import { it } from "../../support/effect.ts"

const kindOf = (output: string, exitCode = 1, failing = 0) =>
  environmentalFault(exitCode, output, failing)?.kind ?? null
const reasonOf = (output: string, exitCode = 1) => environmentalFault(exitCode, output, 0)?.reason ?? null

describe("environmentalFault", () => {
  it("finds what is missing in the output", () => {
    const outputs: ReadonlyArray<readonly [string, string]> = [
      ["sh: 1: jest: not found", "command"],
      ["/bin/sh: line 3: pytest: command not found", "command"],
      ["make: pytest: No such file or directory", "command"],
      ["env: ‘python’: No such file or directory", "command"],
      ["Error: spawn docker ENOENT", "command"],
      ['exec: "gcc": executable file not found in $PATH', "command"],
      ["E   ModuleNotFoundError: No module named 'requests'", "dependency"],
      ["/usr/bin/python: No module named pytest", "dependency"],
      ["Error: Cannot find module 'express'", "dependency"],
      ["Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'zod' imported from /a/b.js", "dependency"],
      ["a.go:4:2: no required module provides package github.com/x/y; to add it:", "dependency"],
      ["error: no matching package named `serde` found", "dependency"],
      ["Unchecked dependencies for environment test:", "dependency"],
      ["Could not find gem 'rspec' in locally installed gems.", "dependency"],
      ["Could not find rake-13.0.6 in any of the sources", "dependency"],
      ["PHP Warning:  require(): Failed to open stream: vendor/autoload.php", "dependency"],
      ["Error: connect ECONNREFUSED 127.0.0.1:5432", "service"],
      ["could not connect to server: Connection refused", "service"],
      ["dial tcp 127.0.0.1:6379: connect: connection refused", "service"],
      ["Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?", "service"],
      ["Error: listen EADDRINUSE: address already in use :::3000", "port"],
      ["Error: getaddrinfo EAI_AGAIN registry.example", "network"],
      ["fatal: Could not resolve host: example.com", "network"],
      ["OSError: [Errno 28] No space left on device", "disk"],
      ["FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory", "memory"],
      ["PermissionError: [Errno 13] Permission denied: '/x'", "permission"],
      ["OSError: [Errno 30] Read-only file system: '/x'", "permission"]
    ]
    expect(outputs.map(([line]) => [line, kindOf(`before\n${line}\nafter`)])).toEqual(outputs.map((each) => [...each]))
  })

  it("names it, and what to do", () => {
    expect(reasonOf("sh: 1: jest: not found", 127)).toBe(
      "the program jest is not installed; install it, or set test_command"
    )
    expect(reasonOf("connect ECONNREFUSED 127.0.0.1:5432")).toContain("a service at 127.0.0.1:5432 refused")
    expect(reasonOf("", 127)).toContain("the command was not found")
    expect(reasonOf("", 126)).toContain("cannot be executed")
  })

  it("is none for failures of the code", () => {
    expect(kindOf("AssertionError: 1 != 2")).toBeNull()
    expect(kindOf("Error: Cannot find module './missing'")).toBeNull()
    expect(kindOf("assert not found: x == y")).toBeNull()
    expect(kindOf("connect ECONNREFUSED 127.0.0.1:5432", 0)).toBeNull()
  })

  it("does not count what fewer lines report than tests fail", () => {
    const output = "connect ECONNREFUSED 127.0.0.1:1\n✖ a\n✖ b\n"
    expect(kindOf(output, 1, 2)).toBeNull()
    expect(kindOf(output, 1, 1)).toBe("service")
  })

  it("reads the first 2,000 characters of a line, whatever it repeats", () => {
    const fault = "sh: 1: jest: not found"
    for (const piece of ["spawn a", "1:", "Could not find ", "'", "x "]) {
      const line = piece.repeat(500_000 / piece.length)
      expect(kindOf(`${line} ${fault}\n${line}`)).toBeNull()
      expect(kindOf(`${line}\n${fault}\n${line}`)).toBe("command")
    }
  })
})
