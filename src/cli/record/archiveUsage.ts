/** A call of `dd archive` that cannot be meant so. */
import { Runtime, Schema } from "effect"

export class ArchiveUsage extends Schema.TaggedError<ArchiveUsage>()("ArchiveUsage", { reason: Schema.String }) {
  override readonly [Runtime.errorExitCode] = 2
  override get message() {
    return `${this.reason}; see \`dd archive --help\``
  }
}
