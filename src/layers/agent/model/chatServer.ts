/**
 * The servers that speak Chat Completions, and what each has to be asked in words of its own.
 *
 * Known by the user's word, else by its address where that says it; any other is sent nothing beyond the protocol.
 * Source: the documents of each.
 */
import type { ChatServer } from "../../../domain/run/ReviewSettings.ts"

/** By host name, or by the port a server listens on when nobody says otherwise. */
export const chatServerAt = (baseUrl: string): ChatServer => {
  if (!URL.canParse(baseUrl)) return "other"
  const { hostname, port } = new URL(baseUrl)
  if (hostname === "api.openai.com") return "openai"
  if (hostname === "openrouter.ai" || hostname.endsWith(".openrouter.ai")) return "openrouter"
  if (port === "11434") return "ollama"
  return port === "1234" ? "lm-studio" : "other"
}

/** How a server is told not to think, where it can be told. A thinking model under a schema may answer nothing at all. */
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
