/** The repository of README: a function gets a parameter, and a call of it in another file does not. */
import { execFileSync } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"

const before = {
  "shop/cart.py": `def add_item(cart, item, quantity):
    cart.append((item, quantity))
    return cart
`,
  "shop/checkout.py": `from shop.cart import add_item


def checkout(order):
    cart = []
    for item, quantity in order:
        add_item(cart, item, quantity)
    return cart
`
}

const after = {
  "shop/cart.py": `def add_item(cart, item, quantity, currency):
    cart.append((item, quantity, currency))
    return cart
`
}

/** Two commits on two branches; their ids are always the same. */
export const demoShop = (directory: string): void => {
  const date = "2026-01-05T09:00:00Z"
  const env = {
    PATH: process.env.PATH,
    HOME: directory,
    GIT_CONFIG_NOSYSTEM: "1",
    ...{ GIT_AUTHOR_NAME: "Ann", GIT_AUTHOR_EMAIL: "ann@example.com", GIT_AUTHOR_DATE: date },
    ...{ GIT_COMMITTER_NAME: "Ann", GIT_COMMITTER_EMAIL: "ann@example.com", GIT_COMMITTER_DATE: date }
  }
  const git = (...args: ReadonlyArray<string>) => execFileSync("git", args, { cwd: directory, env, stdio: "pipe" })
  const write = (files: Readonly<Record<string, string>>) => {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(directory, path)), { recursive: true })
      writeFileSync(join(directory, path), text)
    }
    git("add", ".")
  }
  mkdirSync(directory, { recursive: true })
  git("init", "--quiet", "--initial-branch=main")
  write(before)
  git("commit", "--quiet", "--message=shop: carts")
  git("switch", "--quiet", "--create=currencies")
  write(after)
  git("commit", "--quiet", "--message=shop: currencies")
}
