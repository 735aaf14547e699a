// Stages of the examples of tasks that protect a position.
import type { ExampleStage } from './example-stage.ts'

const held = { before: ['buy 0.01'] } as const
const ended = String.raw`\(.tasks show [0-9a-f]{8}., .tasks cancel [0-9a-f]{8}.\)$`
const trail = (rest: string) => new RegExp(`^success trail [0-9a-f]{8}: keeps a stop for ${rest} ${ended}`, 'm')

export const EXIT_STAGES: Readonly<Record<string, ExampleStage>> = {
  'trail 1%': {
    ...held,
    prints: [
      trail('0.01 BTCUSDT 1% below the best price, first at 64,350.0'),
      /p2 .*sell +stop +0.01 .*64,350.0 +reduce/,
    ],
    after: ['orders'],
  },
  'trail 500 BTCUSDT 50%': { ...held, prints: [trail('0.005 BTCUSDT 500 below the best price, first at 64,500.0')] },
  'trail 1% after +0.5%': {
    ...held,
    prints: [
      trail('0.01 BTCUSDT 1% below the best price, from 65,325.2 on, first at 64,671.9'),
      /^info until BTCUSDT reaches 65,325.2 this trail places no stop; the BTCUSDT long of 0.01 BTC has no stop: `stop BTCUSDT at -2%` places one$/m,
    ],
  },
  'trail 1% replace': {
    before: ['buy 0.01 stop -2%'],
    prints: [
      trail('0.01 BTCUSDT 1% below the best price, first at 64,350.0'),
      /^success canceled order p2: stop sell 0.01 BTCUSDT at 63,700.0, reduce-only$/m,
    ],
  },
  'trail 1% --dry': {
    ...held,
    prints: [/^info simulated: would start a trail: keeps a stop for 0.01 BTCUSDT .*, first at 64,350.0$/m],
  },
  'oco at +2% stop -1%': {
    ...held,
    prints: [
      /^success order p2: stop sell 0.01 BTCUSDT at 64,350.0 tp 66,300.0 is open, reduce-only$/m,
      /^info paper: stop and target share one order$/m,
    ],
  },
  'oco 50% BTCUSDT at $entry +2% stop $entry -1%': {
    ...held,
    prints: [/^success order p2: stop sell 0.005 BTCUSDT at 64,350.1 tp 66,300.1 is open, reduce-only$/m],
  },
  'oco at +3% stop -1% replace': {
    before: ['buy 0.01 stop -2%'],
    prints: [
      /^success order p3: stop sell 0.01 BTCUSDT at 64,350.0 tp 66,950.0 is open, reduce-only$/m,
      /^success canceled order p2: /m,
    ],
  },
  'oco at +5% stop -3% --dry': {
    ...held,
    prints: [/^info simulated: would place stop sell 0.01 BTCUSDT at 63,050.0, take-profit at 68,250.0, reduce-only$/m],
  },
}
