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
    prints: [/^info simulated: would start a chase: buys 0.003 BTCUSDT, first at 64,999.9, for 1h$/m],
    after: ['orders'],
  },
  'chase cancel': {
    before: ['chase buy $250'],
    prints: [/^success chase [0-9a-f]{8} on BTCUSDT: cancell?ed from a terminal$/],
  },
  'twap buy $1000 BTCUSDT into 10 over 30m': {
    prints: begun('twap', 'buys 0.015 BTCUSDT in 10 slices of 0.001 to 0.002 over 30m'),
  },
  'twap sell 50% into 5 over 10m reduce': {
    before: ['buy 0.01'],
    prints: begun('twap', 'sells 0.005 BTCUSDT in 5 slices of 0.001 over 10m, reduce-only'),
  },
  'twap buy $1000 into 10 over 1h random 20%': {
    // Chance is of the run; the last slice takes what the others rounded off.
    prints: begun('twap', 'buys 0.015 BTCUSDT in 10 slices of 0.001 to 0.00[2-4] over 1h'),
  },
  'twap buy $1000 into 10 over 1d limit +1%': {
    prints: begun('twap', 'buys 0.015 BTCUSDT in 10 slices of 0.001 to 0.002 over 24h, none above 65,650'),
  },
  'twap buy $1000 into 10 over 1h stop -2%': {
    prints: begun('twap', 'buys 0.015 BTCUSDT in 10 slices of 0.001 to 0.002 over 1h, stop 63,700'),
  },
  'twap buy $1000 into 10 over 1h --dry': {
    prints: [
      /^info simulated: would start a twap: buys 0.015 BTCUSDT in 10 slices of 0.001 to 0.002 over 1h$/m,
      /^info slice {2}when +BTC\ninfo {5}1 {2}at once +0.001\ninfo {5}2 {2}after 6m +0.001$/m,
    ],
  },
  'dca buy $1000 BTCUSDT into 4 every -1%': {
    prints: [
      ...begun('dca', 'buys 0.012 BTC in 4 parts, the first now, the others each 1% lower'),
      /^info part +BTC +price\ninfo +1 +0.003 +65,000.1\ninfo +2 +0.003 +64,350.0\n/m,
      /^info total \$768.30 at 64,025.03 on average, margin \$76.83 at 10x$/m,
      /^info no stop: the worst case is a loss of \$768.\d\d$/m,
    ],
  },
  'dca buy $1000 into 4 every -1% stop -6% tp +3%': {
    prints: [
      ...begun('dca', 'buys 0.012 BTC in 4 parts, the first now, the others each 1% lower, stop 61,100, tp 66,950'),
      /^info worst case: a loss of \$3\d.\d\d at the stop of 61,100, fees included; a gap loses more$/m,
    ],
  },
  'dca buy $1000 into 5 every -500 at -1%': {
    prints: begun('dca', 'buys 0.015 BTC in 5 parts, the first at 64,350, the others each 500 lower'),
  },
  'dca buy $1000 into 4 every -1% --dry': {
    prints: [/^info simulated: would start a dca: buys 0.012 BTC in 4 parts/m, /worst case is a loss of/m],
  },
  'grid $1000 BTCUSDT into 5 from -4% to +4%': {
    prints: [
      ...begun('grid', 'trades 5 steps of 0.003 BTC from 62,400 to 67,600, 2 of them bought at once'),
      /^info part +BTC +buys at +sells at +makes\ninfo +1 +0.003 +62,400.0 +63,440.0 +\$3.04\n/m,
      /^info each step makes \$3.04 after fees of 0.02% per order$/m,
      /^info at 62,400 it would hold 0.015 BTC at a loss of \$\d+.\d\d$/m,
      /^info no stop: the worst case is a loss of \$9\d\d.\d\d$/m,
    ],
  },
  'grid $1000 into 8 from -2% to +2% then close': {
    prints: begun(
      'grid',
      'trades 8 steps of 0.001 BTC from 63,700 to 66,300, 3 of them bought at once, 1 within the spread, then close',
    ),
  },
  'grid $1000 into 5 from -4% to +4% --dry': {
    prints: [/^info simulated: would start a grid: trades 5 steps of 0.003 BTC/m, /worst case is a loss of/m],
  },
}
