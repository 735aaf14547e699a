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
  'orders --all --since 7d': {
    before: ['buy 0.01 stop -2%', 'close'],
    prints: [
      /p1 +BTCUSDT +buy +market +0.01 +0.01 +65,000.1 +repl +closed$/m,
      /p2 +BTCUSDT +sell +stop +0.01 +63,700 +0 +repl +canceled/m,
    ],
  },
  fills: {
    before: ['buy 0.01', 'close'],
    prints: [/BTCUSDT +buy +0.01 +65,000.1 +\$0.36 +p1 +repl$/m, /BTCUSDT +sell +0.01 .* -\$0.00\d+ +p2 +repl$/m],
  },
  'fills BTCUSDT --since 2d': {
    before: ['buy 0.01', 'buy 1 ETHUSDT'],
    prints: [/BTCUSDT +buy/, /^(?![\s\S]*ETHUSDT)/],
  },
  'fills --since 2026-01-01 --csv': {
    before: ['buy 0.01'],
    prints: [/^print time,symbol,side,amount,price,fee,/, /Z,BTCUSDT,buy,0.01,65000.1,0.3575\d+,USDT,0,USDT,p1,repl,/],
  },
  trades: {
    before: ['buy 0.01', 'close', 'sell 1 ETHUSDT'],
    prints: [/BTCUSDT +long +0.01 +65,000.1 +64,999.9 /, /open +ETHUSDT +short +1 /],
  },
  'trades --since 7d': { before: ['buy 0.01', 'close'], prints: [/BTCUSDT +long +0.01 /] },
  pnl: { before: ['buy 0.01', 'close'], prints: [/^print 2026-01-01 +USDT +-\$0.002 .*\s2$/m, /^print total +USDT/m] },
  'pnl --by hook --since 30d': {
    before: ['buy 0.01', 'close'],
    prints: [/^print from +currency/, /^print repl +USDT +-\$0.002/m],
  },
  'pnl --by account': {
    before: ['account add practice paper', 'buy 0.01', 'close'],
    prints: [/^print paper +USDT +-\$0.002/m, /^(?![\s\S]*practice)/],
  },
}
