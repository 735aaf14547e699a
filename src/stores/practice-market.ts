// `practice-market.json`: the seed of the invented prices, the same for all paper accounts of the directory, so that one can copy another.
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import * as z from 'zod/mini'
import { createJsonFile, type FileState, stateOf } from './json-file.ts'
import { recordOf } from './row-file.ts'

interface PracticeMarket {
  readonly seed: string
}

const fileSchema = z.looseObject({ seed: z.string().check(z.minLength(1, 'must not be empty')) })

/** Means "there is no file". */
const none: PracticeMarket = { seed: '' }

export interface PracticeMarketStore extends FileState {
  /**
   * Made at the first question, once for all processes.
   * @param first that of an account from before there was such a file; undefined: there is none
   * @throws {StoreError} `store-corrupt`, `store-locked`, `store-write-failed`
   */
  seed(first: () => string | undefined): Promise<string>
}

export function openPracticeMarket(directory: string): PracticeMarketStore {
  const file = createJsonFile<PracticeMarket>({
    path: join(directory, 'practice-market.json'),
    parse: recordOf<PracticeMarket>(fileSchema),
    defaults: none,
  })
  return {
    ...stateOf(file),
    async seed(first) {
      const known = file.read()
      if (known.seed !== '') return known.seed
      const { seed } = await file.update((current) =>
        current.seed === '' ? { seed: first() ?? randomUUID() } : current,
      )
      return seed
    },
  }
}
