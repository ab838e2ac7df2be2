/**
 * Texts that are made of what the patterns of `domain/secret/Secret` begin with, so that each of them has to look again and
 * again. For the tests, which hang where one takes more than linear time, and for `scripts/bench/secrets.ts`.
 */

/** In two parts, so that no scanner takes this file for one that holds a credential. */
const prefixes: ReadonlyArray<string> = [
  "AK|IA",
  "AS|IA",
  "gh|p_",
  "github|_pat_",
  "gl|pat-",
  "xo|xb-",
  "xa|pp-1-",
  "hooks.sl|ack.com/services/",
  "discord.com|/api/webhooks/",
  "sk|-ant-",
  "sk|-",
  "sk_li|ve_",
  "whs|ec_",
  "GOC|SPX-",
  "AI|za-",
  "np|m_",
  "pypi|-AgE",
  "S|G.",
  "S|K",
  "Account|Key=",
  "dop|_v1_",
  "h|f_",
  "shp|at_",
  "da|pi",
  "12345678|:AA",
  "hv|s.",
  "AGE-SECRET|-KEY-1",
  "agh|p_aaaaaaaaaaaaaaaaaaaaaaaa",
  "xAK|IA",
  "key|-0",
  "fm|2_+",
  "sl|.a",
  "MT|a.aaaaaa."
]

/** What is repeated, with nothing between. */
export const hostilePieces: ReadonlyArray<string> = [
  ...prefixes.map((prefix) => prefix.replace("|", "")),
  ...["eyJ-", "eyJaaaa.", "eyJ-aaa.eyJ-", ".eyJ-aaaa", "-eyJaaaa.eyJaaaa"],
  ...["-----BEGIN ", "-----BEGIN PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----\n-----END ", "\\n\\", "A+/="],
  ...["password", "token=", 'token="', "token='<<<<", "token: &str = ", 'secret="{a'],
  ...["A_", " A_KEY=", " A_KEY=aaaa", "://", "://a:", "://a:b", "://a:{@", "authorization:", "authorization: bearer "],
  ...["\\", "\\n", "\\u001b[1;", "\x1b[", "\x1b[1m", "%25", "%C3", "&#1", "[1;", "a\0", "\\na_KEY=1\n"],
  ...['"--token", ', '"--token" (', 'token: {"', "option('--token', '", 'flag.String("token", "t", "', "token:\n  1"],
  ...["<", "{{", "[REDACTED_", "x", " ", "\n"]
]

/** Many small secrets on one line: each is found, and none may cost a look at the rest of the line. */
export const secretPieces: ReadonlyArray<string> = ["sk|-abcdef ", "A_KEY=|abcdef ", 'password="|hunter2";'].map(
  (piece) => piece.replace("|", "")
)

export const repeated = (piece: string, length: number): string => piece.repeat(Math.ceil(length / piece.length))
