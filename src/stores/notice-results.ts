// `notice-results.json`: how the last notice of each channel went, for `notices` in whatever process it is typed (behaviour 50).
import { join } from 'node:path'
import * as z from 'zod/mini'
import { time } from '../protocol/rows.ts'
import { createJsonFile, type FileState, stateOf } from './json-file.ts'
import { recordOf } from './row-file.ts'

const result = z.looseObject({ at: time, error: z.exactOptional(z.string()) })

/** `error`: why it was not delivered, for people. */
export interface NoticeResult {
  /** ms since the epoch. */
  readonly at: number
  readonly error?: string
}

const fileSchema = z.looseObject({ channels: z.exactOptional(z.record(z.string(), result)) })
interface ResultsFile {
  readonly channels?: Readonly<Record<string, NoticeResult>>
}

export interface NoticeResultStore extends FileState {
  find(channel: string): NoticeResult | undefined
  /** Those that are given take the places of theirs; of channels that are not named in `known` nothing is kept. @throws {StoreError} */
  note(results: ReadonlyMap<string, NoticeResult>, known: readonly string[]): Promise<void>
}

export function openNoticeResults(directory: string): NoticeResultStore {
  const file = createJsonFile<ResultsFile>({
    path: join(directory, 'notice-results.json'),
    parse: recordOf<ResultsFile>(fileSchema),
    defaults: {},
  })
  return {
    find(channel) {
      const { channels = {} } = file.read()
      return Object.hasOwn(channels, channel) ? channels[channel] : undefined
    },
    async note(results, known) {
      await file.update((content) => {
        const all = { ...content.channels, ...Object.fromEntries(results) }
        const kept = Object.entries(all).filter(([channel]) => known.includes(channel))
        return { ...content, channels: Object.fromEntries(kept) }
      })
    },
    ...stateOf(file),
  }
}
