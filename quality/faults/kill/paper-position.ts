import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Decimal } from 'decimal.js'
import type { StoredPosition } from '../../../src/exchanges/paper/state.ts'

/** As the venue's file has it. */
export function storedPosition(directory: string, account: string, symbol: string): StoredPosition | undefined {
  const path = join(directory, `paper-${account}.json`)
  if (!existsSync(path)) return undefined
  const { positions } = JSON.parse(readFileSync(path, 'utf8')) as { readonly positions: readonly StoredPosition[] }
  return positions.find((held) => held.symbol === symbol)
}

/** In base, negative when short; zero when flat. */
export function paperPosition(directory: string, account: string, symbol: string): Decimal {
  return new Decimal(storedPosition(directory, account, symbol)?.amount ?? 0)
}
