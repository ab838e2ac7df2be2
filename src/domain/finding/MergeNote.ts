import { Schema } from "effect"

/** A model's addition to a merged item; a model cannot remove anything. */
export class MergeNote extends Schema.Class<MergeNote>("dd/MergeNote")({
  id: Schema.Int,
  lens: Schema.optionalKey(Schema.Literals(["per-stack", "cross-stack"])),
  note: Schema.String
}) {}
