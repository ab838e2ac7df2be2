import * as InProcess from "../../../src/layers/memory/InProcess.ts"
import { memoryLogContract } from "../../support/memoryLogContract.ts"

memoryLogContract("in process", InProcess.layer)
