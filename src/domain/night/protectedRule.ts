/**
 * Rules whose findings no learned suppression hides, whatever people say of them: those that report secrets or weaknesses of
 * security, and the claims of models, whose rule does not tell what they report.
 */

/** `reference` as in the page of the rule; absent: the rule is not known. */
export const isProtectedRule = (id: string, reference?: string): boolean =>
  reference === undefined ||
  protectedAreas.has(id.slice(0, id.indexOf("/"))) ||
  /^CVE-|\/(?:cve|secure|security)[-/]/i.test(reference) ||
  weaknesses.has(/\bCWE-(\d+)|\/definitions\/(\d+)/.exec(reference)?.slice(1).find(Boolean) ?? "")

const protectedAreas = new Set(["secret", "injection", "ci", "text", "model"])

/** The CWE numbers of weaknesses that an attacker uses: injection, paths, secrets, cryptography, access, deserialisation, memory. */
const weaknesses = new Set(
  `20 22 23 36 59 73 74 77 78 79 80 88 89 90 91 93 94 95 96 98 113 116 117 119 120 121 122 125 134 200 201 209 250 256
   257 259 266 269 276 284 285 287 290 294 295 297 303 306 307 311 312 319 321 322 326 327 328 330 331 335 338 345 346 347 352 353
   359 377 379 384 415 416 426 427 434 441 444 451 470 471 494 501 502 506 521 522 523 524 532 538 540 548 552 565 598 601
   602 611 613 614 615 640 643 644 648 693 697 732 749 757 759 760 776 777 780 787 798 807 822 824 829 830 843 862
   863 908 913 915 916 917 918 922 923 940 942 943 1004 1021 1236 1275 1321 1333 1336 1385 1390 1391 1392 1393 1427`.split(
    /\s+/
  )
)
