import { Schema } from "effect"

/** What a model may add to a merged item: words, never a removal. */
export class MergeNote extends Schema.Class<MergeNote>("dd/MergeNote")({
  id: Schema.Int,
  lens: Schema.optionalKey(Schema.Literals(["per-stack", "cross-stack"])),
  note: Schema.String
}) {}
