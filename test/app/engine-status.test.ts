import { describe, expect, test } from 'vitest'
import { engineBanner, engineStatus, StatusLines } from '../../src/app/run-engine.ts'
import type { CopierState } from '../../src/cross-trade/engine-port.ts'
import type { AccountRow } from '../../src/stores/accounts.ts'
import type { CrossTradeConfig } from '../../src/stores/cross-trade.ts'

const row: CrossTradeConfig = {
  id: '3f9c2a71-5d0e-4b7a-9c1f-2e8d6a4b0c93',
  enabled: true,
  masterAccount: 'main',
  masterWeight: 1,
  updatedAt: 1,
  copiers: [{ account: 'swing', weight: 0.5, mode: 'Market' }],
}
const accounts: Readonly<Record<string, AccountRow>> = {
  main: { name: 'main', exchange: 'bybit', createdAt: 1, updatedAt: 1 },
  swing: { name: 'swing', exchange: 'paper', createdAt: 1, updatedAt: 1 },
}
const banner = (rows: readonly CrossTradeConfig[], isLocked = false) =>
  engineBanner({
    version: '1.2.3',
    pid: 7,
    rows,
    find: (name) => accounts[name],
    isLocked: ({ exchange }) => isLocked && exchange !== 'paper',
  }).map(({ kind, text }) => `${kind} ${text}`)

describe('the banner', () => {
  test('says what runs, which rows, and whose money it is', () => {
    expect(banner([row, { ...row, id: 'x', enabled: false }])).toEqual([
      'info hookline 1.2.3 cross-trade, pid 7: 1 row on, 1 off',
      'info row 3f9c2a71 (main → swing)',
      'info main trades REAL money on Bybit; swing is a paper account',
    ])
  })

  test('says which rows are not copied, and why', () => {
    const circle = { ...row, copiers: [{ account: 'gone', weight: 1, mode: 'Market' as const }] }
    expect(banner([circle])).toContain('warn row 3f9c2a71 (main → gone) is not copied: no account gone found')
  })

  test('says what waits for a yes at the terminal, with the line that is one', () => {
    const waiting = new Map([[row.id, ['swing × 5 Market']]])
    const facts = { version: '1.2.3', pid: 7, rows: [row], waiting, find: (name: string) => accounts[name] }
    expect(engineBanner({ ...facts, isLocked: () => false }).map(({ text }) => text)).toContain(
      'row 3f9c2a71 (main → swing) waits for a yes at the terminal (swing × 5 Market): `cross-trade enable 3f9c2a71`',
    )
  })

  test('says how to unlock what is locked', () => {
    expect(banner([row], true).at(-1)).toMatch(
      /^warn the vault with the keys of account main is locked.*HOOKLINE_VAULT_PASSPHRASE_FILE.*`vault unlock`/,
    )
  })

  test('says that nothing is on', () => {
    expect(banner([])).toEqual([
      'info hookline 1.2.3 cross-trade, pid 7: 0 rows on, 0 off',
      expect.stringMatching(/^warn no row is on, so nothing is copied yet/),
    ])
  })
})

describe('the status line', () => {
  const copier = (state: CopierState['state']): CopierState => ({
    configId: row.id,
    account: 'swing',
    symbol: 'BTCUSDT',
    state,
    desired: '1',
    owned: '1',
  })

  test('counts copiers by their state', () => {
    expect(engineStatus({ configs: [row], copiers: [copier('in-step'), copier('blocked'), copier('in-step')] })).toBe(
      '1 row, 3 copiers: 2 in step, 1 blocked',
    )
    expect(engineStatus({ configs: [row], copiers: [] })).toBe('1 row, and no copier has anything to do')
  })

  test('comes when it says something new, and now and then', () => {
    const lines = new StatusLines(600_000)
    expect(lines.next('a', 0)).toBe('a')
    expect(lines.next('a', 30_000)).toBeUndefined()
    expect(lines.next('b', 60_000)).toBe('b')
    expect(lines.next('b', 659_999)).toBeUndefined()
    expect(lines.next('b', 660_000)).toBe('b')
  })
})
