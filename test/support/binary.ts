/**
 * The compiled binary and where to run it. Importing this builds `dist/dd` when it is missing or out of date.
 *
 * Tests that use it measure what users get: nothing here reaches into src/.
 */
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

const modules = join(import.meta.dir, "../../node_modules")

/**
 * A prefix for a command that puts it where nothing can be written (not even a temporary file) and this repository's
 * packages are out of reach; nothing where the system does not let us make such a place.
 */
export const sealed = ((): ReadonlyArray<string> | undefined => {
  const script = `mount -t tmpfs none '${modules}' && mount -o remount,ro '${modules}' &&
    { mount -o remount,ro,bind /dev/shm || true; } 2>/dev/null; mount -o remount,ro,bind / && exec "$@"`
  const prefix = ["unshare", "--map-root-user", "--mount", "sh", "-c", script, "sh"]
  const tried = Bun.spawnSync([...prefix, "true"], { stdin: "ignore", stdout: "ignore", stderr: "ignore" })
  return tried.success ? prefix : undefined
})()
