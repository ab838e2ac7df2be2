/** This process, as the lock of a corpus names it. */
import { hostname } from "node:os"

export const thisProcess = () => ({ pid: process.pid, host: hostname() })
