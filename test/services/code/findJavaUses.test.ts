import { describe } from "bun:test"
import { contractReviews } from "../../support/contracts.ts"

const { silent, speaks } = contractReviews()

const at = "src/main/java/com/shop"
const cart = `package com.shop;

public class Cart {
  public static int count() { return 1; }

  public int total(int tax) { return tax; }
}
`
const without = cart.replace("  public static int count() { return 1; }\n\n", "")
const user = (body: string, imports = "") =>
  `package com.other;\n\nimport com.shop.Cart;\n${imports}\nclass User {\n  private final Cart cart = new Cart();\n\n  int run(Cart given) {\n    ${body}\n  }\n}\n`

describe("Java", () => {
  speaks(
    "finds a removed static method through its class and at a static import",
    { [`${at}/Cart.java`]: [cart, without] },
    {
      [`${at}/Near.java`]: "package com.shop;\n\nclass Near {\n  int a = Cart.count();\n}\n",
      "src/main/java/com/other/User.java": user("return Cart.count();"),
      "src/test/java/com/other/Far.java":
        "package com.other;\n\nimport static com.shop.Cart.count;\n\nclass Far {\n  int a = count();\n}\n"
    },
    [
      `removed-definition-still-used src/main/java/com/other/User.java:9 <- ${at}/Cart.java:3; src/main/java/com/other/User.java:9; ${at}/Near.java:4; src/test/java/com/other/Far.java:3`
    ]
  )
  speaks(
    "finds a renamed method on a field, a parameter, a variable, a new object, and on the object itself",
    {
      [`${at}/Cart.java`]: [
        `${cart.slice(0, -2)}  int twice() { return total(1) + this.total(1); }\n}\n`,
        `${cart.slice(0, -2).replace("total", "sum")}  int twice() { return total(1) + this.total(1); }\n}\n`
      ]
    },
    {
      "src/main/java/com/other/User.java": user(
        "Cart own = new Cart();\n    var other = new Cart();\n    cart.total(1);\n    this.cart.total(1);\n    given.total(1);\n    own.total(1);\n    other.total(1);\n    return new Cart().total(1);"
      )
    },
    [
      `removed-definition-still-used ${at}/Cart.java:7 <- ${at}/Cart.java:6; src/main/java/com/other/User.java:11; src/main/java/com/other/User.java:12; src/main/java/com/other/User.java:13; src/main/java/com/other/User.java:14; src/main/java/com/other/User.java:15; src/main/java/com/other/User.java:16; ${at}/Cart.java:7`
    ]
  )
  speaks(
    "finds calls that no overload takes any more, and constructors that ask for more",
    {
      [`${at}/Cart.java`]: [
        cart,
        cart
          .replace("total(int tax)", "total(int tax, int rate)")
          .replace("  public static", "  public Cart(String owner) {}\n  public static")
      ]
    },
    { "src/main/java/com/other/User.java": user("return cart.total(1);") },
    [
      `call-no-longer-fits ${at}/Cart.java:4 <- ${at}/Cart.java:4; src/main/java/com/other/User.java:6`,
      `call-no-longer-fits ${at}/Cart.java:7 <- ${at}/Cart.java:7; src/main/java/com/other/User.java:9`
    ]
  )
  speaks(
    "finds users of a deleted class: at the import, and where its own package names it",
    { [`${at}/Cart.java`]: [cart, null] },
    {
      [`${at}/Near.java`]: "package com.shop;\n\nclass Near {\n  Cart cart;\n}\n",
      "src/main/java/com/other/User.java": user("return 1;")
    },
    [
      `import-of-deleted-file src/main/java/com/other/User.java:3 <- ${at}/Cart.java:1; src/main/java/com/other/User.java:3; ${at}/Near.java:4`
    ]
  )
  speaks(
    "finds users that may no longer see a method or a class",
    { [`${at}/Cart.java`]: [cart, cart.replace("public int total", "int total")] },
    {
      [`${at}/Near.java`]: "package com.shop;\n\nclass Near {\n  int a = new Cart().total(1);\n}\n",
      "src/main/java/com/other/User.java": user("return given.total(1);")
    },
    [
      `export-dropped-still-imported src/main/java/com/other/User.java:9 <- ${at}/Cart.java:6; src/main/java/com/other/User.java:9`
    ]
  )
  speaks(
    "finds an enumeration's constant that is gone, and a result that is no more",
    {
      [`${at}/Kind.java`]: [
        "package com.shop;\n\npublic enum Kind {\n  BIG, SMALL;\n  static int size() { return 1; }\n}\n",
        "package com.shop;\n\npublic enum Kind {\n  BIG;\n  static void size() { }\n}\n"
      ]
    },
    { [`${at}/Near.java`]: "package com.shop;\n\nclass Near {\n  Kind k = Kind.SMALL;\n  int n = Kind.size();\n}\n" },
    [
      `result-no-longer-fits ${at}/Kind.java:5 <- ${at}/Kind.java:5; ${at}/Near.java:5`,
      `removed-definition-still-used ${at}/Near.java:4 <- ${at}/Kind.java:3; ${at}/Near.java:4`
    ]
  )
  speaks(
    "follows fields and results that are plainly declared",
    { [`${at}/Cart.java`]: [cart, cart.replace("total", "sum")] },
    {
      [`${at}/Shop.java`]: "package com.shop;\n\nclass Shop {\n  Cart cart;\n  Cart open() { return cart; }\n}\n",
      [`${at}/Near.java`]:
        "package com.shop;\n\nclass Near {\n  int a(Shop shop) { return shop.open().total(1) + shop.cart.total(1); }\n}\n"
    },
    [`removed-definition-still-used ${at}/Near.java:4 <- ${at}/Cart.java:6; ${at}/Near.java:4`]
  )
  silent(
    "a complete rename",
    {
      [`${at}/Cart.java`]: [cart, cart.replace("total", "sum")],
      "src/main/java/com/other/User.java": [user("return given.total(1);"), user("return given.sum(1);")]
    },
    {}
  )
  silent(
    "a method that a parent has, and one that an annotation makes",
    {
      [`${at}/Cart.java`]: [
        cart.replace("Cart {", "Cart extends Base {"),
        without.replace("Cart {", "Cart extends Base {")
      ],
      [`${at}/Tax.java`]: [
        "package com.shop;\n\nclass Tax {\n  int rate;\n  int getRate() { return rate; }\n}\n",
        "package com.shop;\n\n@Data\nclass Tax {\n  int rate;\n}\n"
      ]
    },
    {
      [`${at}/Base.java`]: "package com.shop;\n\nclass Base {\n  static int count() { return 1; }\n}\n",
      [`${at}/Near.java`]: "package com.shop;\n\nclass Near {\n  int a = Cart.count() + new Tax().getRate();\n}\n"
    }
  )
  silent(
    "a method of another class, an object of no known type, and a lambda's parameter",
    { [`${at}/Cart.java`]: [cart, cart.replace("total", "sum")] },
    {
      [`${at}/Near.java`]:
        "package com.shop;\n\nimport java.util.List;\n\nclass Near {\n  Basket cart;\n  void a(List<Cart> carts) { cart.total(1); carts.forEach(each -> each.total(1)); get().total(1); }\n}\n"
    }
  )
  silent(
    "an overload more, and a class that only moved in its package",
    {
      [`${at}/Cart.java`]: [
        cart,
        cart.replace("  public int", "  int total(int a, int b) { return 1; }\n  public int")
      ],
      "src/main/java/com/shop/Old.java": ["package com.shop;\n\nclass Old {}\n", null],
      "src/test/java/com/shop/Old.java": [null, "package com.shop;\n\nclass Old {}\n"]
    },
    {
      "src/main/java/com/other/User.java": user("return given.total(1);"),
      [`${at}/Near.java`]: "package com.shop;\n\nclass Near extends Old {}\n"
    }
  )
})
