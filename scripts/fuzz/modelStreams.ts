/**
 * Damaged streams through the decoders of models: `bun scripts/fuzz/modelStreams.ts [streams] [first seed]`, so many
 * (10,000) through each. Wrong is also what tells events out of order, or says of a cut call that it is whole.
 */
import { judged, protocols } from "../../test/support/damagedStreams.ts"
import { eachStream } from "./eachStream.ts"

eachStream(protocols, judged)
