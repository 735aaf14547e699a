import type { Preview } from '../../src/protocol/preview.ts'

/** Of a line that would run, and orders nothing. */
export const EMPTY_PREVIEW: Preview = {
  account: 'paper',
  symbol: 'BTCUSDT',
  ok: true,
  orders: [],
  cancels: [],
  changes: [],
  settings: [],
  tasks: [],
  positions: [],
  errors: [],
  notes: [],
}
