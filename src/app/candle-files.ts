// Files of candles: those that people name, read line by line, and the copy that a replay keeps beside its account.
import type { CandleFiles } from '../commands/kit/ports.ts'
import { ExchangeError } from '../exchange/exchange-error.ts'
import { CandleError, CandleReader, type Candles, candlesText, readCandles } from '../exchanges/paper/candles.ts'
import { findMarket } from '../exchanges/paper/markets.ts'
import type { Replay } from '../exchanges/paper/replay.ts'
import { openPaperCandles, readNamedLines } from '../stores/paper-candles.ts'

const MAX_FILE_BYTES = 32 * 1024 * 1024

export function createCandleFiles(directory: string): CandleFiles {
  return {
    async read(path, symbol, signal) {
      const reader = new CandleReader(findMarket(symbol).priceGrid.tick)
      await readNamedLines(path, { maxBytes: MAX_FILE_BYTES, signal }, (line) => reader.take(line))
      return reader.end()
    },
    keep: (account, candles) => openPaperCandles(directory, account).replace(candlesText(candles)),
  }
}

/** The candles of a replay that began earlier. */
export function keptCandles(directory: string, account: string): (replay: Replay) => Pick<Candles, 'times' | 'ticks'> {
  return ({ candles }) => {
    try {
      const kept = readCandles(openPaperCandles(directory, account).read())
      if (kept.times.length === candles) return kept
      throw new CandleError('these candles belong to another replay', '')
    } catch (cause) {
      throw new ExchangeError('unavailable', 'the candles of the replay cannot be read', {
        cause,
        hint: 'start a replay on this account again',
      })
    }
  }
}
