import { describe, expect, test } from "bun:test"
import { fileURLToPath } from "node:url"
import { startAnthropic } from "../../../support/anthropicServer.ts"

const program = fileURLToPath(import.meta.resolve("../../../support/askThroughProxy.ts"))

const ask = async (url: string, environment: Record<string, string>): Promise<string> => {
  const child = Bun.spawn([process.execPath, program, url], { env: environment, stdout: "pipe", stderr: "pipe" })
  return (await new Response(child.stdout).text()).trim()
}

/** Where nobody listens, which is known at once: a name would be asked of a name server, which may be long in answering. */
const nobody = async (): Promise<string> => {
  const server = await startAnthropic(() => ({ text: "No." }))
  await server.close()
  return server.url
}

describe("a proxy", () => {
  test("of the environment is used, and none if there is none", async () => {
    const proxy = await startAnthropic(() => ({ text: "Through the proxy." }))
    try {
      const away = "http://model.invalid:8888"
      expect(await ask(away, { HTTP_PROXY: proxy.url })).toBe("Through the proxy.")
      expect(proxy.heard[0]?.path).toBe(`${away}/v1/messages`)
      const url = await nobody()
      expect(await ask(url, { HTTP_PROXY: proxy.url })).toBe("Through the proxy.")
      expect(await ask(url, { HTTP_PROXY: proxy.url, NO_PROXY: "127.0.0.1" })).toContain("could not be reached")
      expect(await ask(url, {})).toContain("could not be reached")
      expect(proxy.heard).toHaveLength(2)
    } finally {
      await proxy.close()
    }
  })
})
