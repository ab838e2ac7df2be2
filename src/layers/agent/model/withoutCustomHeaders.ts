// @effect-diagnostics processEnv:off
/**
 * Makes an SDK's client without the headers it would take from the environment: they were meant for another server, and
 * may hold its key. Synchronous, so nobody else sees the environment without them.
 */
export const withoutCustomHeaders = <Client>(make: () => Client): Client => {
  const kept = ["ANTHROPIC_CUSTOM_HEADERS", "OPENAI_CUSTOM_HEADERS"].flatMap((name) => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  for (const [name] of kept) delete process.env[name]
  try {
    return make()
  } finally {
    for (const [name, value] of kept) process.env[name] = value
  }
}
