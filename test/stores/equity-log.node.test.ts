// What accounts were worth, on disk: read by account and time, and bounded.
import { appendFileSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { defined } from '../../src/base/defined.ts'
import { type EquityRecord, openEquityLog } from '../../src/stores/equity-log.ts'
import { maxDrawdownOf } from '../../src/trading/history/trade-stats.ts'

const HOUR = 3_600_000

function openIn(directory: string, maxBytes?: number) {
  const path = join(directory, 'equity.jsonl')
  const log = openEquityLog({ path, ...defined({ maxBytes }) })
  const add = (at: number, account = 'paper', total = '1') =>
    log.append({ account, at, currency: 'USDT', total, wallet: total })
  return { path, log, add }
}

describe('the equity log', () => {
  it('gives the points of one account in a time, oldest first, also of an earlier process', async () => {
    const directory = tempDirectory()
    const first = openIn(directory)
    for (const at of [1, 2, 3]) first.add(at)
    first.add(2, 'other', '9')
    first.log.close()
    const { log, add, path } = openIn(directory)
    add(4)
    expect((await log.read('paper')).map(({ at }) => at)).toEqual([1, 2, 3, 4])
    expect((await log.read('paper', 2, 4)).map(({ at }) => at)).toEqual([2, 3])
    expect(await log.read('other')).toEqual([{ account: 'other', at: 2, currency: 'USDT', total: '9', wallet: '9' }])
    expect(await log.read('nobody')).toEqual([])
    expect(statSync(path).mode & 0o777).toBe(0o600)
    log.close()
  })

  it('leaves out what a crash tore and what a person spoiled', async () => {
    const { log, add, path } = openIn(tempDirectory())
    add(1)
    await log.read('paper')
    const spoiled = { account: 'paper', at: 2, currency: 'USDT', total: 'NaN', wallet: '1' }
    appendFileSync(path, `${JSON.stringify(spoiled)}\nnull\n{"account":"paper","at":-1}\n{"account":"pap`)
    expect((await log.read('paper')).map(({ at }) => at)).toEqual([1])
    log.close()
  })

  it('keeps two files of its size; what is older than both is an hourly point', async () => {
    const { log, add, path } = openIn(tempDirectory(), 8_000)
    const minutes = 60 * 20
    for (let minute = 0; minute < minutes; minute += 1) {
      add(minute * 60_000)
      // One event-loop turn would be one write.
      if (minute % 10 === 9) await log.read('nobody')
    }
    const sizes = [path, `${path}.1`].map((file) => statSync(file).size)
    expect(Math.max(...sizes)).toBeLessThan(10_000)
    const points = (await log.read('paper')).map(({ at }) => at)
    const hours = new Set(points.map((at) => Math.floor(at / HOUR)))
    expect(hours.size).toBe(20)
    expect(points.length).toBeLessThan(minutes / 2)
    expect(points.filter((at) => at >= (minutes - 20) * 60_000)).toHaveLength(20)
    expect(readFileSync(path, 'utf8').endsWith('\n')).toBe(true)
    log.close()
  })

  it('has the drawdown of every record, however often it was thinned', async () => {
    const { log } = openIn(tempDirectory(), 8_000)
    const records: EquityRecord[] = []
    for (let minute = 0; minute < 60 * 40; minute += 1) {
      const total = String(10_000 + Math.round(500 * Math.sin(minute ** 1.3)) + (minute % 97 === 0 ? -minute : 0))
      const record = { account: 'paper', at: minute * 60_000, currency: 'USDT', total, wallet: total }
      records.push(record)
      log.append(record)
      if (minute % 10 === 9) await log.read('nobody')
    }
    const kept = await log.read('paper')
    expect(kept.length).toBeLessThan(records.length / 2)
    for (const hour of [0, 3, 17, 30]) {
      const since = ({ at }: EquityRecord) => at >= hour * HOUR
      expect(maxDrawdownOf(kept.filter(since))?.amount).toBe(maxDrawdownOf(records.filter(since))?.amount)
    }
    log.close()
  })
})
