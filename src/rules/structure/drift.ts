/** The words of the findings about names that are renamed on one side only. */
import type { RepositoryRule } from "../../domain/finding/Rule.ts"

const shared = { _tag: "Repository", stack: "structure", severity: "medium", confidence: "MEDIUM" } as const
const same = (text: string): readonly [string, string] => [text, text]

export const driftRules: ReadonlyArray<RepositoryRule> = [
  {
    ...shared,
    id: "drift/environment-variable",
    title: "An environment variable is renamed on one side only",
    why: "Code that reads a variable nobody sets falls back to its default or fails where it is deployed, not where it is tested.",
    fix: "Rename it in the places that are listed too, or read the old name as a fallback.",
    reference: "https://cwe.mitre.org/data/definitions/1188.html",
    examples: {
      bad: [
        {
          "app/settings.py": [
            'import os\n\nURL = os.environ["QUEUE_URL"]\n',
            'import os\n\nURL = os.environ["JOB_QUEUE_URL"]\n'
          ],
          "docker-compose.yml": same("services:\n  app:\n    environment:\n      QUEUE_URL: redis://queue\n")
        },
        {
          "src/mail.ts": [
            "export const key = process.env.MAIL_API_KEY\n",
            "export const key = process.env.MAILER_API_KEY\n"
          ],
          ".env.example": same("MAIL_API_KEY=\n")
        },
        {
          "cmd/main.go": same('package main\n\nimport "os"\n\nvar dir = os.Getenv("CACHE_DIR")\n'),
          ".github/workflows/test.yml": [
            "jobs:\n  test:\n    env:\n      CACHE_DIR: tmp\n",
            "jobs:\n  test:\n    env:\n      BUILD_CACHE_DIR: tmp\n"
          ]
        },
        {
          "config/runtime.exs": [
            'config :app, port: System.get_env("HTTP_PORT")\n',
            'config :app, port: System.get_env("APP_HTTP_PORT")\n'
          ],
          "README.md": same("Set `HTTP_PORT` to the port it listens on.\n")
        }
      ],
      good: [
        {
          "app/settings.py": [
            'import os\n\nURL = os.environ["QUEUE_URL"]\n',
            'import os\n\nURL = os.environ["JOB_QUEUE_URL"]\n'
          ],
          "docker-compose.yml": [
            "services:\n  app:\n    environment:\n      QUEUE_URL: redis://queue\n",
            "services:\n  app:\n    environment:\n      JOB_QUEUE_URL: redis://queue\n"
          ]
        },
        // Still read elsewhere.
        {
          "src/mail.ts": [
            "export const key = process.env.MAIL_API_KEY\n",
            "export const key = process.env.MAILER_API_KEY\n"
          ],
          "src/old.ts": same("export const key = process.env.MAIL_API_KEY\n"),
          ".env.example": same("MAIL_API_KEY=\n")
        },
        // The old name is a fallback.
        {
          "src/mail.ts": [
            "export const key = process.env.MAIL_API_KEY\n",
            "export const key = process.env.MAILER_API_KEY ?? process.env.MAIL_API_KEY\n"
          ],
          ".env.example": same("MAIL_API_KEY=\n")
        },
        // What changed when is told under the old name on purpose.
        {
          "config/runtime.exs": [
            'config :app, port: System.get_env("HTTP_PORT")\n',
            'config :app, port: System.get_env("APP_HTTP_PORT")\n'
          ],
          "CHANGELOG.md": same("- read `HTTP_PORT`\n")
        }
      ]
    }
  },
  {
    ...shared,
    id: "drift/command-line-flag",
    title: "A command-line flag is renamed on one side only",
    why: "A script that passes a flag the program does not know ends before it has done anything.",
    fix: "Rename it in the places that are listed too, or keep the old name as an alias.",
    reference: "https://cwe.mitre.org/data/definitions/628.html",
    examples: {
      bad: [
        {
          "tool/cli.py": [
            'parser.add_argument("--batch-size", type=int)\n',
            'parser.add_argument("--import-batch-size", type=int)\n'
          ],
          "scripts/import.sh": same("#!/bin/sh\nshop-import --batch-size 10 data.csv\n")
        },
        {
          "src/cli.ts": [
            'program.option("--max-items <n>", "how many")\n',
            'program.option("--max-results <n>", "how many")\n'
          ],
          ".github/workflows/nightly.yml": same("jobs:\n  x:\n    steps:\n      - run: ./shop --max-items 5\n")
        },
        {
          "cmd/root.go": [
            'package cmd\n\nfunc init() {\n\tcmd.Flags().StringVar(&path, "rules-path", "", "rules")\n}\n',
            'package cmd\n\nfunc init() {\n\tcmd.Flags().StringVar(&path, "rules-file", "", "rules")\n}\n'
          ],
          "README.md": same("Run `shop check --rules-path rules.yml`.\n")
        }
      ],
      good: [
        {
          "tool/cli.py": [
            'parser.add_argument("--batch-size", type=int)\n',
            'parser.add_argument("--import-batch-size", type=int)\n'
          ],
          "scripts/import.sh": [
            "#!/bin/sh\nshop-import --batch-size 10 data.csv\n",
            "#!/bin/sh\nshop-import --import-batch-size 10 data.csv\n"
          ]
        },
        // Another program's flag.
        {
          "src/cli.ts": [
            'program.option("--max-items <n>", "how many")\n',
            'program.option("--max-results <n>", "how many")\n'
          ],
          "scripts/list.sh": same("aws s3api list-objects --max-items 5\n")
        },
        // The old name still works.
        {
          "tool/cli.py": [
            'parser.add_argument("--batch-size", type=int)\n',
            'parser.add_argument("--import-batch-size", type=int)\n'
          ],
          "tool/old.py": same('parser.add_argument("--batch-size", type=int)\n'),
          "scripts/import.sh": same("#!/bin/sh\nshop-import --batch-size 10 data.csv\n")
        }
      ]
    }
  },
  {
    ...shared,
    id: "drift/route",
    title: "A route is renamed on one side only",
    why: "A client that requests a path nobody answers gets an error where it expects data.",
    fix: "Change the requests that are listed too, or keep answering under the old path.",
    reference: "https://developer.mozilla.org/docs/Web/HTTP/Reference/Status/404",
    examples: {
      bad: [
        {
          "server/orders.py": [
            '@app.get("/api/orders/recent")\ndef recent():\n    return []\n',
            '@app.get("/api/orders/latest")\ndef recent():\n    return []\n'
          ],
          "web/orders.ts": same('export const load = () => fetch("/api/orders/recent")\n')
        },
        {
          "server.js": ['app.post("/api/cart/items", add)\n', 'app.post("/api/cart/lines", add)\n'],
          "client/cart.js": same('axios.post("/api/cart/items", item)\n')
        },
        {
          "main.go": [
            'package main\n\nfunc main() {\n\thttp.HandleFunc("/internal/health-check", health)\n}\n',
            'package main\n\nfunc main() {\n\thttp.HandleFunc("/internal/health", health)\n}\n'
          ],
          "probe.py": same('requests.get("/internal/health-check")\n')
        }
      ],
      good: [
        {
          "server/orders.py": [
            '@app.get("/api/orders/recent")\ndef recent():\n    return []\n',
            '@app.get("/api/orders/latest")\ndef recent():\n    return []\n'
          ],
          "web/orders.ts": [
            'export const load = () => fetch("/api/orders/recent")\n',
            'export const load = () => fetch("/api/orders/latest")\n'
          ]
        },
        // Still answered.
        {
          "server.js": ['app.post("/api/cart/items", add)\n', 'app.post("/api/cart/lines", add)\n'],
          "legacy.js": same('app.post("/api/cart/items", add)\n'),
          "client/cart.js": same('axios.post("/api/cart/items", item)\n')
        },
        // Another path.
        {
          "server.js": ['app.post("/api/cart/items", add)\n', 'app.post("/api/cart/lines", add)\n'],
          "client/cart.js": same('axios.post("/api/orders/items", item)\n')
        }
      ]
    }
  },
  {
    ...shared,
    id: "drift/settings-key",
    title: "A settings key is renamed on one side only",
    why: "A key under another name is not read: the default stands in its place, and nothing says so.",
    fix: "Rename it in the places that are listed too, or read the old key as a fallback.",
    reference: "https://cwe.mitre.org/data/definitions/1188.html",
    examples: {
      bad: [
        {
          "config/app.yml": ["retry_limit: 3\n", "max_retry_limit: 3\n"],
          "app/jobs.py": same('limit = config["retry_limit"]\n')
        },
        {
          "src/mail.ts": [
            'export const host = config.get("mail.smtp_host")\n',
            'export const host = config.get("mail.relay_host")\n'
          ],
          "config/default.toml": same('mail.smtp_host = "localhost"\n')
        },
        {
          "app/search.rb": [
            "def index\n  render if Flipper.enabled?(:new_search_page)\nend\n",
            "def index\n  render if Flipper.enabled?(:search_page)\nend\n"
          ],
          "config/features.yml": same("new_search_page: true\n")
        }
      ],
      good: [
        {
          "config/app.yml": ["retry_limit: 3\n", "max_retry_limit: 3\n"],
          "app/jobs.py": ['limit = config["retry_limit"]\n', 'limit = config["max_retry_limit"]\n']
        },
        {
          "config/app.yml": ["retry_limit: 3\n", "max_retry_limit: 3\n"],
          "config/worker.yml": same("retry_limit: 5\n"),
          "app/jobs.py": same('limit = config["retry_limit"]\n')
        },
        {
          "config/app.yml": ["retry_limit: 3\n", "max_retry_limit: 3\n"],
          "app/jobs.py": same('limit = config.get("max_retry_limit", config["retry_limit"])\n')
        }
      ]
    }
  },
  {
    ...shared,
    id: "drift/column",
    title: "A column or table is renamed, and code still uses the old name",
    why: "A query for a column that is not there fails when it is run, and only then.",
    fix: "Rename it in the places that are listed too.",
    reference: "https://cwe.mitre.org/data/definitions/628.html",
    examples: {
      bad: [
        {
          "db/migrate/1_rename.rb": [
            null,
            "class Rename < ActiveRecord::Migration[7.0]\n  def change\n    rename_column :orders, :paid_on, :settled_on\n  end\nend\n"
          ],
          "app/models/order.rb": same("class Order\n  scope :recent, -> { order(:paid_on) }\nend\n")
        },
        {
          "migrations/2.sql": [null, "ALTER TABLE orders RENAME COLUMN paid_on TO settled_on;\n"],
          "src/orders.ts": same('export const paid = (row: Row) => row.paid_on ?? "never"\n')
        },
        {
          "priv/repo/migrations/3_rename.exs": [null, "rename table(:orders), :paid_on, to: :settled_on\n"],
          "lib/orders.ex": same("def recent(query), do: order_by(query, desc: :paid_on)\n")
        }
      ],
      good: [
        {
          "migrations/2.sql": [null, "ALTER TABLE orders RENAME COLUMN paid_on TO settled_on;\n"],
          "src/orders.ts": [
            "export const paid = (row: Row) => row.paid_on\n",
            "export const paid = (row: Row) => row.settled_on\n"
          ]
        },
        // Another table has one of that name.
        {
          "db/migrate/1_rename.rb": [
            null,
            "class Rename < ActiveRecord::Migration[7.0]\n  def change\n    rename_column :orders, :paid_on, :settled_on\n  end\nend\n"
          ],
          "db/schema.rb": same('create_table "invoices" do |t|\n  t.date "paid_on"\nend\n'),
          "app/models/invoice.rb": same("class Invoice\n  scope :recent, -> { order(:paid_on) }\nend\n")
        },
        // What undoes the migration names it the other way round.
        {
          "priv/repo/migrations/3_rename.exs": [
            null,
            "def up do\n  rename table(:orders), :paid_on, to: :settled_on\nend\n\ndef down do\n  rename table(:orders), :settled_on, to: :paid_on\nend\n"
          ],
          "lib/orders.ex": same("def recent(query), do: order_by(query, desc: :settled_on)\n")
        },
        // An alias keeps the old name.
        {
          "db/migrate/1_rename.rb": [
            null,
            "class Rename < ActiveRecord::Migration[7.0]\n  def change\n    rename_column :orders, :paid_on, :settled_on\n  end\nend\n"
          ],
          "app/models/order.rb": same("class Order\n  alias_attribute :paid_on, :settled_on\nend\n"),
          "app/views/order.rb": same("order.paid_on\n")
        }
      ]
    }
  }
]
