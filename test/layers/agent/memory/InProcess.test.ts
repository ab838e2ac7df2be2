import * as InProcess from "../../../../src/layers/agent/memory/InProcess.ts"
import { memoryLogContract } from "../../../support/memoryLogContract.ts"

memoryLogContract("in process", InProcess.layer)
