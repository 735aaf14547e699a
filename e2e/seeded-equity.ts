// Five hours of equity in which hookline did not run for one, as it would have been written down.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Stage } from './stage.ts'

const MINUTE_MS = 60_000

export function seedEquity(stage: Stage): void {
  const now = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS
  const minutes = Array.from({ length: 300 }, (_, index) => index).filter((index) => index < 120 || index > 180)
  const lines = minutes.map((minute) => {
    const total = (10_000 + Math.sin(minute / 30) * 80 + minute / 2).toFixed(2)
    return JSON.stringify({
      at: now - (300 - minute) * MINUTE_MS,
      account: 'paper',
      currency: 'USDT',
      total,
      wallet: '10000',
    })
  })
  writeFileSync(join(stage.directory, 'equity.jsonl'), `${lines.join('\n')}\n`, { mode: 0o600 })
}
