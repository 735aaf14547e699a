// The stages of the examples about limits, halts and simulation.
import type { ExampleStage } from './example-stage.ts'
import { SILENT } from './order-stages.ts'

export const GUARD_STAGES: Readonly<Record<string, ExampleStage>> = {
  'resume paper': {
    before: ['halt paper'],
    prints: [/^success account paper can trade again \(halted from a terminal at \d{4}-.*\)$/],
  },
  halt: {
    after: ['buy $100'],
    prints: [/^warn every account is halted/, /^error halted: account paper was halted from a terminal at/m],
  },
  'halt paper': { after: ['buy $100'], prints: [/^warn account paper is halted/, /^error halted: /m] },
  'halt --flatten': {
    options: { terminal: { ...SILENT, confirm: async () => true } },
    before: ['buy $250 stop -2%', 'buy 0.01 at -1%'],
    after: ['positions', 'orders'],
    prints: [/canceled 1 order/, /^success sold 0.003 BTCUSDT/m, /^warn every account is halted/m, /no open positions/],
  },
  'halt --reducing': {
    after: ['buy $100'],
    prints: [/^warn every account takes only orders that reduce/, /^error halted: /m],
  },
  guards: { prints: [/paper +active +off +off +off +off +5% +off/] },
  'guards set paper order $500': {
    after: ['buy $600'],
    prints: [/^success account paper: order \$500.00/, /^error guarded: /m],
  },
  'guards set paper loss $200': { prints: [/^success account paper: loss \$200.00 \(/] },
  'guards set paper loss $200 closed': { prints: [/^success account paper: loss \$200.00 without open positions/] },
  'guards set paper band 3%': { after: ['buy 0.01 at +4%'], prints: [/band 3%/, /^error (guarded|bad-price): /m] },
  'guards set paper band 10% --yes': { prints: [/^success account paper: band 10%/] },
  'buy $250 --dry': {
    after: ['positions'],
    prints: [/^info simulated: would place buy 0.003 BTCUSDT at the market$/m, /no open positions/],
  },
  'sim on': {
    after: ['buy $100'],
    prints: [/^warn account paper is simulated/, /^info simulated: would place buy 0.001 BTCUSDT at the market$/m],
  },
  'sim off all': { before: ['sim on all'], prints: [/^success simulation off: every account sends orders$/] },
  'hook create test "buy $100 BTCUSDT" --dry': {
    prints: [/^success created hook test$/m, /orders +computed and not sent/],
  },
}
