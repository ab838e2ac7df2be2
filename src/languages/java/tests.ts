/** The test conventions of Java and Kotlin. */
import type { TestConventions } from "../Language.ts"

export const javaTests: TestConventions = {
  namesFor: (stem, ending) => [
    `${stem}Test.${ending}`,
    `${stem}Tests.${ending}`,
    `Test${stem}.${ending}`,
    `${stem}IT.${ending}`
  ],
  styles: [{ header: /^\s*(?:public )?void (?<name>\w+)\(/, mark: /^\s*@(?:Test|ParameterizedTest|RepeatedTest)\b/ }]
}
