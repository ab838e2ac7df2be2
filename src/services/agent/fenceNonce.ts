/** The word in the fences of a run, which the text in them cannot predict. */
import { Effect } from "effect"
import { SecureRandom } from "effect/crypto/SecureRandom"

const length = 10

/** Without vowels, so that they form no words; ten of them give 10^12 possibilities. */
const letters = "bcdfghjkmnpqrstvwxz"
const wordOf = (bytes: Uint8Array): string => [...bytes].map((byte) => letters[byte % letters.length]).join("")

export const fenceNonce = SecureRandom.use((random) => Effect.map(random.randomBytes(length), wordOf))
