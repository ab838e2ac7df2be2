#!/usr/bin/env node
// Runs the program of the package for this system. npm installs only that one of the optional dependencies.
const { spawn } = require("node:child_process")
const { constants } = require("node:os")

const system = process.platform === "win32" ? "windows" : process.platform
const isGlibc = () => process.report.getReport().header.glibcVersionRuntime !== undefined
// Some package managers install both.
const libcs = system !== "linux" ? [""] : isGlibc() ? ["", "-musl"] : ["-musl", ""]
const names = libcs.map((libc) => `daydream-review-${system}-${process.arch}${libc}`)

const find = () => {
  for (const name of names) {
    try {
      return require.resolve(`${name}/daydream${system === "windows" ? ".exe" : ""}`)
    } catch {
      // Not installed.
    }
  }
  console.error(
    `daydream: ${names[0]} is not installed; reinstall without --omit=optional, on a system that dd supports`
  )
  process.exit(3)
}

// Before the program starts: a signal that ends only this process would leave it running.
for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal))
// A terminal sends this one to both.
process.on("SIGINT", () => {})
const child = spawn(find(), process.argv.slice(2), { stdio: "inherit" })
child.on("error", ({ message }) => {
  console.error(`daydream: ${message}`)
  process.exit(3)
})
child.on("exit", (code, signal) => process.exit(code ?? 128 + constants.signals[signal]))
