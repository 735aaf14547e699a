// A desk with something on every page: trades, a stop, a hook that has fired, tasks, copiers, five hours of equity.
import type { ConsolePage } from './console-page.ts'
import { seedFiles } from './seeded-files.ts'
import type { Stage } from './stage.ts'

/** The page is in; the equity, which is read at the start, was seeded before. */
export async function fillDesk(stage: Stage, console: ConsolePage): Promise<void> {
  seedFiles(stage)
  await console.makeHook('dip', 'buy $100 ETHUSDT; echo "<b>fired</b>"; buy $9999999 ETHUSDT')
  await stage.fire('dip')
  await console.prints(/^\[hook:dip\] error: /)
  await console.run('buy $100 BTCUSDT; stop at -2%')
  await console.run('positons')
  await console.prints(/did you mean/)
  await console.page.keyboard.press('Escape')
}
