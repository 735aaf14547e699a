// `practice-market.json`: the seed of the invented prices, the same for all paper accounts of the directory, so that one can copy another.
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import * as z from 'zod/mini'
import { createJsonFile } from './json-file.ts'
import { recordOf } from './row-file.ts'

interface PaperMarket {
  readonly seed: string
}

const fileSchema = z.looseObject({ seed: z.string().check(z.minLength(1, 'must not be empty')) })

/** Means "there is no file". */
const none: PaperMarket = { seed: '' }

/**
 * Made at the first question, once for all processes.
 * @param first that of an account from before there was such a file; undefined: there is none
 * @throws {StoreError} `store-corrupt`, `store-locked`, `store-write-failed`
 */
export async function paperMarketSeed(directory: string, first: () => string | undefined): Promise<string> {
  const file = createJsonFile<PaperMarket>({
    path: join(directory, 'practice-market.json'),
    parse: recordOf<PaperMarket>(fileSchema),
    defaults: none,
  })
  const known = file.read()
  if (known.seed !== '') return known.seed
  const { seed } = await file.update((current) => (current.seed === '' ? { seed: first() ?? randomUUID() } : current))
  return seed
}
