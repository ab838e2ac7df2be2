import { describe, expect } from "bun:test"
import { decidingFiles, projectFiles } from "../../../src/domain/brief/runners/ProjectFiles.ts"
import { detectTests } from "../../../src/domain/fix/detectTests.ts"
import { commandText } from "../../../src/domain/fix/TestCommand.ts"
import { it } from "../../support/effect.ts"

type Texts = Readonly<Record<string, string>>

const detected = (texts: Texts, changed: ReadonlyArray<string>) =>
  detectTests(
    changed,
    projectFiles(
      decidingFiles([...changed, ""], [...Object.keys(texts), ...changed].toSorted()),
      new Map(Object.entries(texts))
    )
  )
const commandFor = (texts: Texts, ...changed: ReadonlyArray<string>) => {
  const found = detected(texts, changed)
  return found === null ? null : commandText(found)
}
const scripts = (test: string) => `{\n  "scripts": {\n    "test": ${JSON.stringify(test)}\n  }\n}\n`

describe("detectTests", () => {
  it("runs the script of a package with the package manager of its lock file", () => {
    const manifest = { "package.json": scripts("vitest") }
    expect(detected(manifest, ["src/a.ts"])).toEqual({
      command: "npm test",
      directory: "",
      from: "package.json: scripts.test"
    })
    expect(commandFor({ ...manifest, "pnpm-lock.yaml": "" }, "src/a.ts")).toBe("pnpm test")
    expect(commandFor({ ...manifest, "yarn.lock": "" }, "src/a.ts")).toBe("yarn test")
    expect(commandFor({ ...manifest, "bun.lock": "" }, "src/a.ts")).toBe("bun run test")
    expect(commandFor({ "package.json": '{"devDependencies": {"jest": "1"}}' }, "src/a.ts")).toBe("npx jest")
    expect(commandFor({ "package.json": scripts('echo "Error: no test specified" && exit 1') }, "a.ts")).toBeNull()
  })

  it("runs the tests of each ecosystem", () => {
    expect(commandFor({ "pyproject.toml": "[tool.pytest.ini_options]\n" }, "src/a.py")).toBe("pytest")
    expect(commandFor({ "pytest.ini": "[pytest]\n", "uv.lock": "" }, "src/a.py")).toBe("uv run pytest")
    expect(commandFor({ "tox.ini": "[testenv]\ncommands = trial x\n" }, "a.py")).toBe("tox")
    expect(commandFor({ "noxfile.py": "@nox.session\ndef tests(session):\n" }, "a.py")).toBe("nox")
    expect(commandFor({ "tests/conftest.py": "" }, "tests/a.py")).toBe("pytest")
    expect(commandFor({ "go.mod": "module a\n" }, "x/a.go")).toBe("go test ./...")
    expect(commandFor({ "Cargo.toml": '[package]\nname = "a"\n' }, "src/lib.rs")).toBe("cargo test")
    expect(commandFor({ "mix.exs": "" }, "lib/a.ex")).toBe("mix test")
    expect(commandFor({ "Package.swift": "" }, "Sources/A/a.swift")).toBe("swift test")
    expect(commandFor({ "build.gradle.kts": "", gradlew: "" }, "src/main/kotlin/A.kt")).toBe("./gradlew test")
    expect(commandFor({ "pom.xml": "", mvnw: "" }, "src/main/java/A.java")).toBe("./mvnw test")
    expect(commandFor({ Gemfile: 'gem "rspec"\n' }, "lib/a.rb")).toBe("bundle exec rspec")
    expect(commandFor({ Gemfile: "", "bin/rails": "" }, "app/a.rb")).toBe("bin/rails test")
    expect(commandFor({ Rakefile: "Rake::TestTask.new\n" }, "lib/a.rb")).toBe("rake test")
    expect(commandFor({ "composer.json": '{"require-dev": {"phpunit/phpunit": "1"}}' }, "src/A.php")).toBe(
      "vendor/bin/phpunit"
    )
    expect(commandFor({ "composer.json": '{"scripts": {\n"test": "x"}}' }, "src/A.php")).toBe("composer test")
    expect(commandFor({ "App.sln": "", "src/App/App.csproj": "" }, "src/App/A.cs")).toBe("dotnet test")
    expect(commandFor({ Makefile: "test: all\n\t./run\n" }, "a.c")).toBe("make test")
    expect(commandFor({ justfile: "test:\n  ./run\n" }, "a.c")).toBe("just test")
    expect(commandFor({}, "a.py")).toBeNull()
  })

  it("runs the package of the changed files in a monorepo", () => {
    const monorepo = {
      "package.json": scripts("turbo test"),
      "web/package.json": scripts("vitest"),
      "api/pyproject.toml": "[tool.pytest.ini_options]\n",
      "lib/x y/package.json": scripts("jest")
    }
    expect(detected(monorepo, ["web/src/a.ts", "web/src/b.ts"])).toEqual({
      command: "npm test",
      directory: "web",
      from: "web/package.json: scripts.test"
    })
    expect(commandFor(monorepo, "web/a.ts", "api/a.py")).toBe("(cd web && npm test) && (cd api && pytest)")
    expect(commandFor(monorepo, "lib/x y/a.ts")).toBe("(cd 'lib/x y' && npm test)")
    expect(commandFor(monorepo, "README.md")).toBe("npm test")
    expect(commandFor(monorepo, "web/README.md")).toBe("(cd web && npm test)")
    expect(commandFor(monorepo)).toBe("npm test")
  })

  it("tests the changed crate of a workspace, and the module of a build", () => {
    const workspace = { "Cargo.toml": "[workspace]\n", "core/Cargo.toml": '[package]\nname = "core"\n' }
    expect(commandFor(workspace, "core/src/lib.rs")).toBe("cargo test -p core")
    const gradle = { "settings.gradle": "", gradlew: "", "app/build.gradle": "" }
    expect(commandFor(gradle, "app/src/main/java/A.java")).toBe("./gradlew :app:test")
  })

  it("takes the target that CI calls before the runner of the language", () => {
    const both = { Makefile: "test:\n\tpytest -x\n", "pytest.ini": "[pytest]\n" }
    const pipeline = ".github/workflows/ci.yml"
    expect(commandFor(both, "a.py")).toBe("pytest")
    expect(commandFor({ ...both, [pipeline]: "  - run: make test\n" }, "a.py")).toBe("make test")
    expect(commandFor({ ...both, [pipeline]: "  - run: pytest\n  - run: make test\n" }, "a.py")).toBe("pytest")
  })

  it("copies nothing of a hostile script or name", () => {
    const hostile = { "$(touch x)/package.json": scripts("$(touch y)") }
    expect(commandFor(hostile, "$(touch x)/a.ts")).toBe("(cd '$(touch x)' && npm test)")
  })
})
