// Every model, by venue and kind.
import { bitgetModel } from './bitget.ts'
import { bybitModel } from './bybit.ts'
import { coinbaseModel } from './coinbase.ts'
import { deribitModel } from './deribit.ts'
import { gateModel } from './gate.ts'
import { hyperliquidModel } from './hyperliquid.ts'
import { krakenModel } from './kraken.ts'
import { krakenFuturesModel } from './krakenfutures.ts'
import { kucoinModel } from './kucoin.ts'
import { mexcModel } from './mexc.ts'
import type { ModelSpec } from './model.ts'

export const MODELS: readonly ModelSpec[] = [
  bybitModel('linear'),
  bybitModel('spot'),
  gateModel('linear'),
  gateModel('spot'),
  bitgetModel(),
  kucoinModel('linear'),
  kucoinModel('spot'),
  deribitModel(),
  hyperliquidModel(),
  krakenModel(),
  krakenFuturesModel(),
  coinbaseModel(),
  mexcModel(),
]
