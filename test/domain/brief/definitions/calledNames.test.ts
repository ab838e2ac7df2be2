import { describe, expect, test } from "bun:test"
import { calledNames } from "../../../../src/domain/brief/definitions/calledNames.ts"
import { callsIn } from "../../../../src/domain/brief/definitions/callsIn.ts"
import { tokensOf } from "../../../../src/domain/brief/definitions/Token.ts"
import { languageOf } from "../../../../src/languages/languages.ts"
import { countedReads } from "../../../support/countedReads.ts"

/** `kind name` of each name. */
const named = (path: string, text: string): ReadonlyArray<string> => {
  const language = languageOf(path)
  if (language === null) throw new Error(`no language for ${path}`)
  return [...new Set(calledNames(path, text.split("\n"), language).map(({ kind, name }) => `${kind} ${name}`))]
}

const cases: ReadonlyArray<readonly [path: string, text: string, names: ReadonlyArray<string>]> = [
  [
    "a.py",
    'os.environ["ONE"]; os.environ.get("TWO", "DEFAULT"); os.getenv("THREE")',
    ["environment ONE", "environment TWO", "environment THREE"]
  ],
  ["a.py", 'parser.add_argument(\n  "-f", "--foo",  # "--no"\n  help="--not",\n)', ["flag foo"]],
  ["a.py", '@click.option("--shout/--no-shout", "-s", envvar="A_B")', ["environment A_B", "flag shout"]],
  [
    "a.py",
    '@app.route("/x/<id>", methods=["POST", "PUT"])\ndef f(): pass',
    ["route POST /x/<id>", "route PUT /x/<id>"]
  ],
  ["a.py", '@router.get(\n  "/x",\n)\nasync def f(): pass', ["route GET /x"]],
  ["a.py", 'web.get("/x", show); requests.get("/no", x); client.get("/no")', ["route GET /x"]],
  [
    "a/urls.py",
    'urlpatterns = [path("users/<int:pk>/", show), re_path(r"^a/$", b)]',
    ["route /users/<int:pk>", "route /a"]
  ],
  ["a.ts", 'app.get("/x", (req) => {}); router.post("/y/:id", a, b)', ["route GET /x", "route POST /y/:id"]],
  ["a.ts", 'new Hono().get("/x", a).post("/y", b); axios.get("/no", {})', ["route GET /x", "route POST /y"]],
  [
    "a.ts",
    'fastify.get<{ Q: string }>("/x", a); fastify.route({ method: "GET", url: "/y" })',
    ["route GET /x", "route GET /y"]
  ],
  [
    "a.ts",
    '@Controller("cats")\nexport class C {\n  @Get(":id") one() {}\n  @Post() two() {}\n}',
    ["route GET /cats/:id", "route POST /cats"]
  ],
  ["a.ts", 'app.get(["/x", "/y"], show)', ["route GET /x", "route GET /y"]],
  [
    "A.java",
    '@RequestMapping(value = "/x", method = {RequestMethod.PUT, RequestMethod.POST}) X a() {}',
    ["route PUT /x", "route POST /x"]
  ],
  ["a.ts", 'router.post("documents.list", auth(), list)', ["route POST /documents.list"]],
  [
    "a.ts",
    'process.env.ONE; process.env["TWO"]; import.meta.env.VITE; const { FOUR, FIVE: x } = process.env',
    ["environment ONE", "environment TWO", "environment VITE", "environment FIVE", "environment FOUR"]
  ],
  [
    "a.ts",
    'program.option("-p, --port <n>", "x"); yargs.option("verbose", { alias: "v" })',
    ["flag port", "flag verbose"]
  ],
  ["a.go", 'os.Getenv("ONE"); viper.BindEnv("key", "TWO")', ["environment ONE", "environment TWO"]],
  ["a.go", 'type T struct {\n\tA string `env:"ONE"`\n}', ["environment ONE"]],
  ["a.go", 'flag.String("a", "x", "u"); cmd.Flags().StringVarP(&x, "b", "c", "", "u")', ["flag a", "flag b"]],
  ["a.go", '&cli.StringFlag{Name: "a", EnvVars: []string{"ONE"}}', ["environment ONE", "flag a"]],
  ["a.go", 'mux.HandleFunc("GET /x/{id}", a); r.Get("/y", b); http.Get("/no")', ["route GET /x/{id}", "route GET /y"]],
  ["a.rs", 'env::var("ONE"); env!("TWO")', ["environment ONE", "environment TWO"]],
  [
    "a.rs",
    'struct A {\n  #[arg(short, long)]\n  dry_run: bool,\n  #[arg(long = "x")]\n  pub y: u8,\n}',
    ["flag dry-run", "flag x"]
  ],
  [
    "a.rs",
    '#[get("/x/{id}")]\nasync fn f() {}\nRouter::new().route("/y", get(show))',
    ["route GET /x/{id}", "route GET /y"]
  ],
  [
    "A.java",
    '@RequestMapping("/api")\nclass A {\n  @GetMapping("/{id}") X a() {}\n  @PostMapping X b() {}\n  @RequestMapping(path = {"/a", "/b"}) X c() {}\n}',
    ["route GET /api/{id}", "route POST /api", "route /api/a", "route /api/b"]
  ],
  [
    "A.java",
    'System.getenv("ONE"); @Option(names = {"-v", "--verbose"}) boolean v;',
    ["environment ONE", "flag verbose"]
  ],
  [
    "config/routes.rb",
    'get "/x", to: "a#b"\nget "y" => "c#d"\nresources :users',
    ["route GET /x", "route GET /y", "route :users"]
  ],
  ["a.rb", 'ENV.fetch("ONE") { 1 }; opts.on("-x", "--xray NAME")', ["environment ONE", "flag xray"]],
  ["router.ex", 'get "/x", C, :index\nSystem.fetch_env!("ONE")', ["route GET /x", "environment ONE"]],
  [
    "a.php",
    "<?php Route::get('/x', a); getenv('ONE'); $app->post('/y', b);",
    ["route GET /x", "environment ONE", "route POST /y"]
  ],
  ["a.cs", '[Route("api")]\nclass A {\n  [HttpGet("{id}")] X B() {}\n}', ["route GET /api/{id}"]],
  ["a.kt", 'get("/x") { }\nclient.get("/no")', ["route GET /x"]]
]

describe("names in calls", () => {
  for (const [path, text, names] of cases) test(`${path}: ${text}`, () => expect(named(path, text)).toEqual([...names]))

  test("are read from hostile text of twice the length with twice the work", () => {
    for (const path of ["a.ts", "a.rs"]) {
      for (const text of ["f(", "a.", 'x["', "@a(", "{a:", "const {A,", "#[arg(long)]", "} = process.env;"]) {
        const readsOf = (count: number) => {
          const tokens = countedReads(tokensOf([text.repeat(count)], languageOf(path)!))
          callsIn(tokens.value)
          return tokens.reads()
        }
        expect(readsOf(2_000)).toBeLessThan(2.1 * readsOf(1_000))
      }
    }
  })
})
