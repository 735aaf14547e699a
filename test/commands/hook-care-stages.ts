// The stages of the examples of `hook edit`, `hook pause` and `hook resume`.
import type { ExampleStage } from './example-stage.ts'

export function hookCareStages(hooks: NonNullable<ExampleStage['prepare']>): Readonly<Record<string, ExampleStage>> {
  return {
    'hook create tv "buy $200 BTCUSDT" --cooldown 5m --per-day 10 --max $250 --only-if flat': {
      prints: [
        /^success created hook tv$/m,
        /limits +cooldown 5m; 10 a day \(10 left\); max \$250.00 a fire; only if flat/,
      ],
    },
    'hook create dip "buy $100 BTCUSDT stop -2%" --when "close(1h) crosses above ema(50) and rsi(14) < 60"': {
      prints: [/^success created hook dip$/m, /when +BTCUSDT close\(1h\) crosses above ema\(50\) and rsi\(14\) < 60/],
    },
    'hook create payday "buy $100 BTCUSDT" --when "every mon 09:00 Europe/Berlin --late 5m"': {
      prints: [/when +every mon 09:00 Europe\/Berlin --late 5m, next at 2026-01-05 08:00:00/],
    },
    'hook edit dip --when "last > 70000"': { prepare: hooks, prints: [/; fires by itself: BTCUSDT last > 70,000$/m] },
    'hook edit dip --cooldown 30s --per-day 10': {
      prepare: hooks,
      prints: [/^success hook dip: echo ok; cooldown 30s, 10 a day \(10 left\)$/m],
    },
    'hook edit dip --window 0930-1600 --days mon-fri --zone America/New_York': {
      prepare: hooks,
      prints: [/; 0930-1600 mon,tue,wed,thu,fri America\/New_York$/m],
    },
    'hook edit dip --only-if flat --max $500': { prepare: hooks, prints: [/; max \$500.00 a fire, only if flat$/m] },
    'hook edit dip --no-cooldown': { prepare: hooks, prints: [/; no limits$/m] },
    'hook edit dip "buy $100 BTCUSDT"': { prepare: hooks, prints: [/^success hook dip: buy \$100 BTCUSDT/m] },
    'hook pause dip': { prepare: hooks, prints: [/^success hook dip is paused until you type `hook resume dip`$/m] },
    'hook pause dip for 1h news': {
      prepare: hooks,
      prints: [/^success hook dip is paused until 2026-01-01 .* UTC/m],
      after: ['hooks'],
    },
    'hook resume dip': { prepare: hooks, before: [], prints: [/^success hook dip runs again$/m] },
  }
}
