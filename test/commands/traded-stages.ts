// Stages of the examples of tasks that trade an amount over a time.
import type { ExampleStage } from './example-stage.ts'

const begun = (kind: string, rest: string) => [
  new RegExp(
    String.raw`^success ${kind} [0-9a-f]{8}: ${rest} \(.tasks show [0-9a-f]{8}., .tasks cancel [0-9a-f]{8}.\)$`,
    'm',
  ),
]

export const TRADED_STAGES: Readonly<Record<string, ExampleStage>> = {
  'chase buy $250 BTCUSDT': { prints: begun('chase', 'buys 0.003 BTCUSDT, first at 64,999.9, for 1h') },
  'chase buy $250 to 1%': {
    prints: begun('chase', 'buys 0.003 BTCUSDT, first at 64,999.9, no further than 65,650, for 1h'),
  },
  'chase sell 50% reduce for 5m then market': {
    before: ['buy 0.01'],
    prints: begun('chase', 'sells 0.005 BTCUSDT, first at 65,000.1, for 5m, then at the market, reduce-only'),
  },
  'chase buy $100 BTCUSDT,ETHUSDT': {
    prints: [
      ...begun('chase', 'buys 0.001 BTCUSDT, first at 64,999.9, for 1h'),
      ...begun('chase', 'buys 0.03 ETHUSDT, first at 2,999.99, for 1h'),
    ],
  },
  'chase buy $250 --dry': {
    prints: [/^info simulated: would begin a chase that buys 0.003 BTCUSDT, first at 64,999.9, for 1h$/m],
    after: ['orders'],
  },
  'chase cancel': {
    before: ['chase buy $250'],
    prints: [/^success chase [0-9a-f]{8} on BTCUSDT: cancell?ed by the terminal$/],
  },
  'twap buy $1000 BTCUSDT into 10 over 30m': {
    prints: begun('twap', 'buys 0.015 BTCUSDT in 10 slices of about 0.0015 over 30m'),
  },
  'twap sell 50% into 5 over 10m reduce': {
    before: ['buy 0.01'],
    prints: begun('twap', 'sells 0.005 BTCUSDT in 5 slices of about 0.001 over 10m, reduce-only'),
  },
  'twap buy $1000 into 10 over 1h random 20%': {
    prints: begun('twap', 'buys 0.015 BTCUSDT in 10 slices of about 0.0015 over 1h'),
  },
  'twap buy $1000 into 10 over 1d limit +1%': {
    prints: begun('twap', 'buys 0.015 BTCUSDT in 10 slices of about 0.0015 over 24h, none above 65,650'),
  },
  'twap buy $1000 into 10 over 1h --dry': {
    prints: [
      /^info simulated: would begin a twap that buys 0.015 BTCUSDT in 10 slices of about 0.0015 over 1h$/m,
      /^info SLICE {2}WHEN +BTC\ninfo {5}1 {2}at once +0.001\ninfo {5}2 {2}after 6m +0.001$/m,
    ],
  },
}
