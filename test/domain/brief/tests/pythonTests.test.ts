import { describe, expect } from "bun:test"
import { pythonTests } from "../../../../src/domain/brief/tests/pythonTests.ts"
import { it } from "../../../support/effect.ts"

const collected = (texts: Readonly<Record<string, string>>, ...paths: ReadonlyArray<string>) =>
  paths.filter(pythonTests(new Map(Object.entries(texts))))

describe("pythonTests", () => {
  it("reads the patterns of INI and TOML files", () => {
    const paths = ["a/test_a.py", "a/check_b.py", "testing/python/c.py", "testing/python/conftest.py"]
    expect(collected({}, ...paths)).toEqual(["a/test_a.py"])
    expect(collected({ "tox.ini": "[tox]\n[pytest]\npython_files = check_*.py\n" }, ...paths)).toEqual(["a/check_b.py"])
    expect(collected({ "setup.cfg": "[tool:pytest]\npython_files =\n  check_*.py\n  test_*.py\n" }, ...paths)).toEqual([
      "a/test_a.py",
      "a/check_b.py"
    ])
    const toml = '[tool.pytest.ini_options]\npython_files = [\n  "test_*.py",\n  "testing/python/*.py",\n]\n'
    expect(collected({ "pyproject.toml": toml }, ...paths)).toEqual(["a/test_a.py", "testing/python/c.py"])
  })

  it("leaves the folders of norecursedirs out", () => {
    const ini = { "pytest.ini": "[pytest]\nnorecursedirs = lib build*\n" }
    expect(collected(ini, "lib/a/test_a.py", "build_x/test_a.py", "test/test_lib.py")).toEqual(["test/test_lib.py"])
  })

  it("takes tests.py only with tests, and only within testpaths", () => {
    const texts = { "shop/tests.py": "class CartTests(TestCase):\n", "web/test.py": "class APIClient:\n" }
    expect(collected(texts, ...Object.keys(texts))).toEqual(["shop/tests.py"])
    const limited = { ...texts, "pytest.ini": "[pytest]\ntestpaths = tests\n" }
    expect(collected(limited, ...Object.keys(texts))).toEqual([])
  })
})
