// A file of the plainest shape, for tests of what all stores share.
import { join } from 'node:path'
import * as z from 'zod/mini'
import { checkedBy } from '../../src/stores/json-decode.ts'
import { createJsonFile, type JsonFile } from '../../src/stores/json-file.ts'

const schema = z.looseObject({ count: z.number() })
export type Counter = z.infer<typeof schema>

export const noCount: Counter = { count: 0 }

export function openCounter(directory: string): JsonFile<Counter> {
  return createJsonFile<Counter>({ path: join(directory, 'counter.json'), parse: checkedBy(schema), defaults: noCount })
}

export const increment = (counter: Counter): Counter => ({ ...counter, count: counter.count + 1 })
