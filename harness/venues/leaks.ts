// Looks for secrets where none may be: in every file of a directory, and in what was printed, sent or said.
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

export interface Leak {
  readonly secret: string
  readonly place: string
}

/**
 * @param secrets by what they are: `key`, `secret`, `listen key`
 * @param texts by where they come from: `terminal`
 * @param mayHold files that are there to keep secrets
 */
export function findLeaks(
  secrets: Readonly<Record<string, string>>,
  directory: string,
  texts: Readonly<Record<string, string>>,
  mayHold: readonly string[] = [],
): readonly Leak[] {
  const places = new Map(Object.entries(texts))
  for (const name of readdirSync(directory, { recursive: true, encoding: 'utf8' })) {
    const path = join(directory, name)
    if (!mayHold.includes(name) && statSync(path, { throwIfNoEntry: false })?.isFile() === true)
      places.set(name, readFileSync(path, 'latin1'))
  }
  return Object.entries(secrets).flatMap(([secret, value]) =>
    [...places].flatMap(([place, text]) =>
      formsOf(value).some((form) => text.includes(form)) ? [{ secret, place }] : [],
    ),
  )
}

/** As it is, and as it would look in base64 or in an address. */
function formsOf(value: string): readonly string[] {
  const inBase64 = Buffer.from(value).toString('base64').replace(/=+$/, '').slice(0, -1)
  return [value, inBase64, encodeURIComponent(value)]
}
