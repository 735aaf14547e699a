// Stages of the examples of orders beyond the plainest, and of what happened.
import { type ExampleStage, restingOrders } from './example-stage.ts'

export const ORDER_STAGES: Readonly<Record<string, ExampleStage>> = {
  'buy $250 stop -2% tp +4%': {
    prints: [
      /^success bought 0.003 BTCUSDT/,
      /success order p2: stop sell 0.003 BTCUSDT at 63,700 tp 67,600 is open, reduce-only$/m,
    ],
  },
  'buy $250 at +0.1% ioc': { prints: [/^success bought 0.003 BTCUSDT at 65,000.1/] },
  'stop at -2% limit -0.2%': {
    before: ['buy 0.01'],
    prints: [/^success order p2: stop-limit sell 0.01 BTCUSDT at 63,700 limit 63,572.6 is open, reduce-only$/],
  },
  'take at +4%': {
    before: ['buy 0.01'],
    prints: [/^success order p2: take-profit sell 0.01 BTCUSDT at 67,600 is open, reduce-only$/],
  },
  'take 50% BTCUSDT at $entry +5%': {
    before: ['buy 0.01'],
    prints: [/^success order p2: take-profit sell 0.005 BTCUSDT at 68,250.1 is open, reduce-only$/],
  },
  'amend p17 at -0.5%': {
    prepare: restingOrders(17),
    prints: [/^success order p17 is now: buy 0.001 BTCUSDT at 64,675$/],
  },
  'amend BTCUSDT 0.02': {
    prepare: restingOrders(1),
    prints: [/^success order p1 is now: buy 0.02 BTCUSDT at 61,750$/],
  },
  'amend p17 at 64000 replace': {
    prepare: restingOrders(17),
    prints: [/^success order p17 is now: buy 0.001 BTCUSDT at 64,000$/],
  },
  leverage: { prints: [/^print BTCUSDT 10x, cross margin, at most 100x$/] },
  'leverage BTCUSDT 5': { after: ['leverage'], prints: [/^success BTCUSDT at 5x\nprint BTCUSDT 5x,/] },
  margin: { prints: [/^print BTCUSDT 10x, cross margin, at most 100x$/] },
  'margin BTCUSDT isolated': {
    fails: 'the paper market has cross margin only',
    prints: [/^error not-supported: the margin mode of paper cannot be set/],
  },
}
