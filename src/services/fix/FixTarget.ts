/** The repository whose files the fixes are for, and what names the run in a commit. */
import { Context } from "effect"
import type { Repository } from "../change/openRepository.ts"

export class FixTarget extends Context.Service<
  FixTarget,
  {
    /** Null for a bare patch. */
    readonly repository: Repository | null
    readonly run: string
    readonly version: string
  }
>()("dd/services/fix/FixTarget") {}
