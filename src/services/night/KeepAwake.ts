/** Keeps the machine from sleeping while a night runs. A port, because it depends on the platform. */
import { Context, type Effect, type Scope } from "effect"
import type { Awake } from "../../domain/night/Awake.ts"

export class KeepAwake extends Context.Service<
  KeepAwake,
  {
    /** Until the scope closes, or the process dies. Never fails: a machine that may sleep is a fact, not a fault. */
    readonly begin: (wanted: boolean) => Effect.Effect<Awake, never, Scope.Scope>
  }
>()("dd/services/night/KeepAwake") {}
