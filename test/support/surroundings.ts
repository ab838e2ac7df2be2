/**
 * Loaded before the tests of each run (bunfig.toml): they see nothing of who runs them. No settings of git or dd, no keys,
 * no proxies, no home; what a test is to see of these it sets itself.
 */
import { setDefaultTimeout } from "bun:test"
import { patience } from "./patience.ts"

setDefaultTimeout(patience)

const kept = /^(?:PATH|TMPDIR|TZ|LANG|LC_\w+|BUN_\w+|DD_TEST_(?!COMMAND|TIMEOUT|SANDBOX)\w+)$/

for (const name of Object.keys(process.env)) if (!kept.test(name)) delete process.env[name]
// Nobody can make a directory there, not even root.
process.env.HOME = "/dev/null"
