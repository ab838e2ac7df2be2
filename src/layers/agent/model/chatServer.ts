/**
 * The servers of Chat Completions, and the parameters that only some of them support.
 *
 * The user's settings name the server, else its address does; an unknown one gets no parameters beyond the protocol.
 * Source: the documents of each.
 */
import type { ChatServer } from "../../../domain/run/ReviewSettings.ts"

/** By host name, or by the default port of a server. */
export const chatServerAt = (baseUrl: string): ChatServer => {
  if (!URL.canParse(baseUrl)) return "other"
  const { hostname, port } = new URL(baseUrl)
  if (hostname === "api.openai.com") return "openai"
  if (hostname === "openrouter.ai" || hostname.endsWith(".openrouter.ai")) return "openrouter"
  if (port === "11434") return "ollama"
  return port === "1234" ? "lm-studio" : "other"
}

/** Without the path of Ollama's OpenAI endpoint, which most configurations include. */
export const ollamaOrigin = (baseUrl: string): string => baseUrl.replace(/\/+$/, "").replace(/\/(?:v1|api)$/, "")

/** Turns thinking off, if the server can. A thinking model under a schema may send an empty answer. */
export const withoutThinking = (server: Exclude<ChatServer, "ollama">): { readonly [parameter: string]: unknown } => {
  switch (server) {
    case "llama.cpp":
    case "vllm":
      return { chat_template_kwargs: { enable_thinking: false } }
    case "openrouter":
      return { reasoning: { enabled: false } }
    case "openai":
    case "lm-studio":
    case "other":
      return {}
  }
}
