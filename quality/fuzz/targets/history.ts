// `history`: the lines typed before.
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { HISTORY_LINES, openHistory } from '../../../src/repl/history.ts'
import { privateDirectory } from '../store-target.ts'
import { type OpenTarget, promise } from '../target.ts'

export const open: OpenTarget = () => {
  const directory = privateDirectory()
  const path = join(directory, 'history')
  return {
    units: 'bytes',
    seeds: ['buy $250 BTCUSDT\npositions\n', 'torn', 'a\n'.repeat(2 * HISTORY_LINES - 1), ''],
    dictionary: ['\n', '\r\n', '\u0000', '\u00ff\u00fe', ' ', 'echo fuzz\n'],
    between: '\n',
    maxLength: 20_000,
    batch: 256,
    run(input) {
      const bytes = Buffer.from(input, 'latin1')
      writeFileSync(path, bytes)
      const open = () =>
        openHistory(path, ({ message }) => {
          throw new Error(message)
        })
      const history = open()
      const before = [...history.lines()]
      promise(before.length <= HISTORY_LINES, 'history has an end')
      promise(!before.some((line) => line === '' || line.includes('\n')), 'a line of history is one line')
      history.add('echo fuzz')
      history.add('echo fuzz')
      promise(history.lines().at(-1) === 'echo fuzz', 'what was typed last stands last')
      const reread = open().lines()
      promise(JSON.stringify(reread) === JSON.stringify(history.lines()), 'the next start reads what this one knows')
      const expected = [...before, ...(before.at(-1) === 'echo fuzz' ? [] : ['echo fuzz'])].slice(-HISTORY_LINES)
      promise(JSON.stringify(reread) === JSON.stringify(expected), 'nothing is lost but the oldest')
      const after = readFileSync(path)
      const wasTrimmed = after.length < bytes.length
      promise(wasTrimmed || after.subarray(0, bytes.length).equals(bytes), 'a short history is only added to')
    },
    close: () => rmSync(directory, { recursive: true }),
  }
}
