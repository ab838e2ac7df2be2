import { describe, expect, setDefaultTimeout, test } from "bun:test"
import { startAnthropic } from "../../support/anthropicServer.ts"
import { patience } from "../../support/patience.ts"

setDefaultTimeout(patience)

const ask = async (environment: Record<string, string>): Promise<string> => {
  const child = Bun.spawn(
    [
      process.execPath,
      import.meta.resolve("../../support/askThroughProxy.ts").replace("file://", ""),
      "http://model.invalid:8888"
    ],
    { env: environment, stdout: "pipe", stderr: "pipe" }
  )
  return (await new Response(child.stdout).text()).trim()
}

describe("a proxy", () => {
  test("of the environment is asked, and none where there is none", async () => {
    const proxy = await startAnthropic(() => ({ text: "Through the proxy." }))
    try {
      expect(await ask({ HTTP_PROXY: proxy.url })).toBe("Through the proxy.")
      expect(proxy.heard[0]?.path).toBe("http://model.invalid:8888/v1/messages")
      expect(await ask({ HTTP_PROXY: proxy.url, NO_PROXY: "model.invalid" })).toContain("could not be reached")
      expect(await ask({})).toContain("could not be reached")
      expect(proxy.heard).toHaveLength(1)
    } finally {
      await proxy.close()
    }
  })
})
