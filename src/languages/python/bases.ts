/** Python's built-in base classes with their attributes. A class that is not listed may have any attribute. */
import type { ImportedName } from "../../domain/code/Symbol.ts"

const table = "clear copy fromkeys get items keys pop popitem setdefault update values"
const text =
  "capitalize casefold center count encode endswith expandtabs find format format_map index isalnum isalpha isascii isdecimal isdigit isidentifier islower isnumeric isprintable isspace istitle isupper join ljust lower lstrip maketrans partition removeprefix removesuffix replace rfind rindex rjust rpartition rsplit rstrip split splitlines startswith strip swapcase title translate upper zfill"
const number = "as_integer_ratio conjugate fromhex hex imag is_integer real"
const whole =
  "as_integer_ratio bit_count bit_length conjugate denominator from_bytes imag is_integer numerator real to_bytes"
const frozen = "copy difference intersection isdisjoint issubset issuperset symmetric_difference union"
const error = "add_note args with_traceback"
const member = "name value"
const mapping = "get items keys values"

const handler =
  "acquire addFilter close createLock emit filter filters flush format formatter get_name handle handleError level lock name release removeFilter setFormatter setLevel set_name"

/** By built-in name. */
const builtin: Readonly<Record<string, string>> = {
  object: "",
  str: text,
  int: whole,
  float: number,
  dict: table,
  list: "append clear copy count extend index insert pop remove reverse sort",
  tuple: "count index",
  frozenset: frozen,
  set: `${frozen} add clear difference_update discard intersection_update pop remove symmetric_difference_update update`,
  ...Object.fromEntries(
    "BaseException Exception ValueError TypeError KeyError IndexError LookupError RuntimeError ArithmeticError AssertionError NotImplementedError Warning UserWarning DeprecationWarning RuntimeWarning"
      .split(" ")
      .map((name) => [name, error])
  )
}

/** By module and name. */
const imported: Readonly<Record<string, string>> = {
  "abc.ABC": "",
  "typing.Generic": "",
  "typing.Protocol": "",
  "typing_extensions.Protocol": "",
  "typing.NamedTuple": "count index",
  "collections.OrderedDict": `${table} move_to_end`,
  "collections.defaultdict": `${table} default_factory`,
  "collections.UserDict": `${table} data`,
  "collections.abc.Mapping": mapping,
  "collections.abc.Sequence": "count index",
  "collections.abc.MutableSequence": "append clear count extend index insert pop remove reverse",
  "collections.abc.Set": "isdisjoint",
  "collections.abc.MutableSet": "add clear discard isdisjoint pop remove",
  "collections.abc.Iterable": "",
  "collections.abc.Iterator": "",
  "collections.abc.Hashable": "",
  "collections.abc.Callable": "",
  "typing.Sequence": "count index",
  "typing.Mapping": mapping,
  "typing.MutableMapping": table,
  "typing.Iterable": "",
  "typing.Iterator": "",
  "logging.Handler": handler,
  "logging.Formatter":
    "converter default_format default_msec_format default_time_format format formatException formatMessage formatStack formatTime usesTime",
  "logging.Filter": "filter name nlen",
  "threading.Thread": "daemon getName ident isDaemon is_alive join name native_id run setDaemon setName start",
  "collections.abc.MutableMapping": `${table}`,
  ...Object.fromEntries(
    ["Enum", "IntEnum", "StrEnum", "Flag", "IntFlag"].map((name) => [
      `enum.${name}`,
      `${member}${name === "IntEnum" || name === "IntFlag" ? ` ${whole}` : name === "StrEnum" ? ` ${text}` : ""}`
    ])
  )
}

/** The attributes of a parent class, also of `metaclass=ABCMeta`; null if they are unknown. */
export const knownMembers = (
  written: string,
  imports: ReadonlyArray<ImportedName>,
  isOwn: (name: string) => boolean
): ReadonlyArray<string> | null => {
  const plain = written.replace(/\s+/g, "").replace(/\[.*\]$/s, "")
  if (/^metaclass=(?:abc\.)?ABCMeta$/.test(plain)) return []
  // `import a.b` is known as `a.b`.
  const from = imports.find(({ local }) => plain === local || plain.startsWith(`${local}.`))
  if (from === undefined) return plain.includes(".") || isOwn(plain) ? null : words(builtin[plain])
  const rest = plain.slice(from.local.length + 1)
  return words(imported[[from.module, from.name, rest].filter((part) => part !== null && part !== "").join(".")])
}

const words = (names: string | undefined): ReadonlyArray<string> | null =>
  names === undefined ? null : names.split(" ").filter((name) => name !== "")
