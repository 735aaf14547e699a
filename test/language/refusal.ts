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
    return assertRefusal(error)
  }
  throw new Error(`expected a refusal, got ${JSON.stringify(result)}`)
}

/** Rethrows what is no LanguageError; fails on one without a line of text, a column that exists and something to do next. */
export function assertRefusal(error: unknown): LanguageError {
  if (!(error instanceof LanguageError)) throw error
  const { message, hint, column } = error
  for (const text of [message, hint]) {
    if (!text || text.length > 300 || /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(text)) {
      throw new Error(`not one line of text: ${JSON.stringify(text)}`)
    }
  }
  if (!Number.isInteger(column) || column < 1) throw new Error(`not a column: ${column}`)
  return error
}
