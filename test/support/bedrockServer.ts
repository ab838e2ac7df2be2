/**
 * Speaks Bedrock's `invoke-with-response-stream`: the events of the Messages API, each in a binary frame of AWS's event
 * stream, and errors as exceptions. Checks the signature of a request as AWS does (Signature Version 4).
 */
import { createHash, createHmac } from "node:crypto"
import { messagesDialect } from "./anthropicServer.ts"
import { type Dialect, type ScriptedTurn, underRules } from "./scriptedTurn.ts"
import { type Heard, startServer, type WireServer } from "./wireServer.ts"

export const accessKey = "AKIDEXAMPLE"
export const secretKey = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"

const exceptions = {
  overloaded: "serviceUnavailableException",
  "rate-limited": "throttlingException",
  fault: "internalServerException"
} as const

export const bedrockDialect: Dialect = {
  ...messagesDialect,
  noise: ['event: ping\ndata: {"type":"ping"}\n\n', 'event: x\ndata: {"gateway":"keep-alive"}\n\n'],
  errorEvent: (error) => `exception: ${exceptions[error]}`,
  errorBody: (_, message) => ({ message }),
  broken: "event: x\ndata: {\n\n",
  contentType: "application/vnd.amazon.eventstream",
  frame: (event) => {
    const [, exception] = /^exception: (\w+)/.exec(event) ?? []
    if (exception !== undefined) {
      const headers = {
        ":message-type": "exception",
        ":exception-type": exception,
        ":content-type": "application/json"
      }
      return framed(headers, JSON.stringify({ message: "no" }))
    }
    const data = /^data: (.*)$/m.exec(event)?.[1] ?? "{}"
    const headers = { ":message-type": "event", ":event-type": "chunk", ":content-type": "application/json" }
    return framed(headers, JSON.stringify({ bytes: Buffer.from(data).toString("base64"), p: "abc" }))
  }
}

export const startBedrock = (script: (heard: Heard, nth: number) => ScriptedTurn): Promise<WireServer> =>
  startServer(underRules(() => bedrockDialect, script))

/** Prelude (lengths and their checksum), headers, payload, checksum of all. */
const framed = (headers: Readonly<Record<string, string>>, payload: string): Uint8Array => {
  const head = Buffer.concat(
    Object.entries(headers).map(([name, value]) => {
      const length = Buffer.alloc(2)
      length.writeUInt16BE(Buffer.byteLength(value))
      // 7: a string.
      return Buffer.concat([
        Buffer.from([name.length]),
        Buffer.from(name),
        Buffer.from([7]),
        length,
        Buffer.from(value)
      ])
    })
  )
  const body = Buffer.from(payload)
  const prelude = Buffer.alloc(8)
  prelude.writeUInt32BE(8 + 4 + head.length + body.length + 4, 0)
  prelude.writeUInt32BE(head.length, 4)
  const message = Buffer.concat([prelude, checksum(prelude), head, body])
  return Buffer.concat([message, checksum(message)])
}

const checksum = (bytes: Uint8Array): Buffer => {
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(Bun.hash.crc32(bytes))
  return sum
}

/** Whether a request bears the signature its own headers, path and body demand. */
export const isSigned = ({ method, path, headers, text }: Heard, region: string): boolean => {
  const given =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d+)\/([^/]+)\/bedrock\/aws4_request, SignedHeaders=([^,]+), Signature=(\w+)$/.exec(
      headers.authorization ?? ""
    )
  if (given === null || given[1] !== accessKey || given[3] !== region) return false
  const [, , date = "", , names = "", signature] = given
  const sha256 = (data: string): string => createHash("sha256").update(data).digest("hex")
  const canonical = [
    method,
    // Encoded once more, as every service but S3 wants it.
    path.split("/").map(encodeURIComponent).join("/"),
    "",
    ...names.split(";").map((name) => `${name}:${String(headers[name]).trim()}`),
    "",
    names,
    sha256(text)
  ].join("\n")
  const scope = `${date}/${region}/bedrock/aws4_request`
  const toSign = ["AWS4-HMAC-SHA256", String(headers["x-amz-date"]), scope, sha256(canonical)].join("\n")
  const hmac = (secret: string | Buffer, data: string): Buffer => createHmac("sha256", secret).update(data).digest()
  const signing = ["bedrock", "aws4_request"].reduce(hmac, hmac(hmac(`AWS4${secretKey}`, date), region))
  return hmac(signing, toSign).toString("hex") === signature
}
