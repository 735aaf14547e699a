// What a language function refuses, in a form that tables can hold: `code@column`.
import { LanguageError } from '../../src/language/language-error.ts'

/** `code@column` of the LanguageError that `run` throws; fails on anything else, and on errors people could not use. */
export function refusalOf(run: () => unknown): string {
  const { code, column } = caught(run)
  return `${code}@${column}`
}

export function caught(run: () => unknown): LanguageError {
  let result: unknown
  try {
    result = run()
  } catch (error) {
    if (!(error instanceof LanguageError)) throw error
    assertUsable(error)
    return error
  }
  throw new Error(`expected a refusal, got ${JSON.stringify(result)}`)
}

/** One line, some text, a column that exists, and something to do next. */
function assertUsable({ message, hint, column }: LanguageError): void {
  for (const text of [message, hint]) {
    if (!text || /\p{Cc}/u.test(text)) throw new Error(`not one line of text: ${JSON.stringify(text)}`)
  }
  if (!Number.isInteger(column) || column < 1) throw new Error(`not a column: ${column}`)
}
