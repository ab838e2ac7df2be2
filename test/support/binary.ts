/**
 * The compiled binary and where to run it. Importing this builds `dist/dd` when it is missing or out of date.
 *
 * Tests that use it measure what users get: nothing here reaches into src/.
 */
import { rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { compile, isOutOfDate } from "../../scripts/compile.ts"
import { systemPath } from "./process.ts"

if (isOutOfDate()) await compile()

const dist = join(import.meta.dir, "../../dist")

/** The binary under its two names. */
export const dd = join(dist, "dd")
export const daydream = join(dist, "daydream")

/** A PATH on which this program comes before coreutils. */
export const installedPath = `${dist}:${systemPath}`

/** A JSON report without what differs in every run. */
export const stable = (json: string) => {
  const { run, ...report } = JSON.parse(json)
  const { session_id: _, started_at: __, duration_ms: ___, ...rest } = run
  return { ...report, run: rest }
}

const modules = join(import.meta.dir, "../../node_modules")

/**
 * A prefix for a command that puts it where nothing can be written (not even a temporary file) and this repository's
 * packages are out of reach; nothing where the system does not let us make such a place.
 *
 * Temporary files may be on a file system of their own, so every mount is made read-only, keeping its other flags: those
 * that came from outside may not be taken away.
 */
export const sealed = ((): ReadonlyArray<string> | undefined => {
  const script = `mount -t tmpfs none "$0" && mount -o remount,ro "$0" || exit 1
    printf '%s\\n' "$(cat /proc/self/mounts)" | while read -r _ directory _ options _; do
      kept=$(printf %s "$options" | tr , '\\n' | grep -E '^(nosuid|nodev|noexec|noatime|nodiratime|relatime)$' | tr '\\n' ,)
      mount -o "remount,bind,\${kept}ro" "$(printf '%b' "$directory")"
    done 2>/dev/null
    exec "$@"`
  const prefix = ["unshare", "--map-root-user", "--mount", "sh", "-c", script, modules]
  const path = join(tmpdir(), `dd-sealed-${process.pid}`)
  const tried = Bun.spawnSync([...prefix, "sh", "-c", '! touch "$0"', path], {
    stdin: "ignore",
    stdout: "ignore",
    stderr: "ignore"
  })
  rmSync(path, { force: true })
  return tried.success ? prefix : undefined
})()
