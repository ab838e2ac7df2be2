/**
 * Damaged streams through the decoders of coding CLIs: `bun scripts/fuzz/cliStreams.ts [streams] [first seed]`, so many
 * (10,000) through each.
 */
import { judgedLines } from "../../test/support/cli/damagedLines.ts"
import { cliNames } from "../../test/support/cli/protocols.ts"
import { eachStream } from "./eachStream.ts"

eachStream(cliNames, judgedLines)
