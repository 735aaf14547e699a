// A paper account beside the scripted one, which may replay candles out of files of the directory.
import { keptCandles } from '../../src/app/candle-files.ts'
import { UNLIMITED_DEPTH } from '../../src/exchanges/paper/depth.ts'
import { createReplayMarket } from '../../src/exchanges/paper/replay.ts'
import type { ScriptedMarket } from './scripted-market.ts'

export function openReplayable(market: ScriptedMarket, directory: string, name: string) {
  return market.openAccount((store) =>
    createReplayMarket({
      prices: market.prices,
      depth: UNLIMITED_DEPTH,
      replay: () => store.read().replay,
      candles: keptCandles(directory, name),
    }),
  )
}
