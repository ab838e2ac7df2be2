/** Provides functions with the services of the layer in which it runs: the methods of a service. */
import { Effect } from "effect"

type Functions = Readonly<Record<string, (...args: never) => Effect.Effect<unknown, unknown, unknown>>>

type Provided<F extends Functions> = {
  readonly [K in keyof F]: (
    ...args: Parameters<F[K]>
  ) => Effect.Effect<Effect.Success<ReturnType<F[K]>>, Effect.Error<ReturnType<F[K]>>>
}

export const withServices = <F extends Functions>(
  functions: F
): Effect.Effect<Provided<F>, never, Effect.Services<ReturnType<F[keyof F]>>> =>
  Effect.map(Effect.context<Effect.Services<ReturnType<F[keyof F]>>>(), (services) => {
    const provided = Object.entries(functions).map(([name, run]) => [
      name,
      // The type of the result has the errors and services of each function.
      // @effect-diagnostics-next-line anyUnknownInErrorContext:off
      (...args: never) => Effect.provideContext(run(...args), services)
    ])
    return Object.fromEntries(provided)
  })
