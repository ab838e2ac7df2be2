import { Layer } from "effect"
import * as Static from "../../../src/layers/backend/Static.ts"
import * as Memory from "../../../src/layers/recorder/Memory.ts"
import * as Patch from "../../../src/layers/sources/Patch.ts"
import * as TreeSitter from "../../../src/layers/syntax/TreeSitter.ts"
import { FailPolicy } from "../../../src/services/FailPolicy.ts"
import { RuleSet } from "../../../src/services/RuleSet.ts"
import { StaticReviewer } from "../../../src/services/StaticReviewer.ts"
import { backendContract } from "../../support/backendContract.ts"
import { change, everyTask } from "../../support/builders.ts"

const answering = Static.layer(2).pipe(
  Layer.provide(StaticReviewer.layer),
  Layer.provide([TreeSitter.layer, RuleSet.layer, Patch.layer(change())]),
  Layer.provide(FailPolicy.layer),
  Layer.provide(Memory.layer)
)

backendContract("static", answering, everyTask)
