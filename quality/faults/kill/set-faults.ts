import { openExchange } from '../../../src/app/open-account.ts'
import type { Exchange } from '../../../src/exchange/exchange.ts'
import { type PaperFaults, type PaperVenue, paperControls } from '../../../src/exchanges/paper/paper-controls.ts'

/** For every process on the paper account, from now on. */
export async function setFaults(directory: string, account: string, faults: PaperFaults): Promise<void> {
  const row = { name: account, exchange: 'paper', createdAt: 1, updatedAt: 1 }
  const fail = (problem: unknown) => {
    throw problem
  }
  const exchange: Exchange & Partial<PaperVenue> = await openExchange(row, {}, directory, fail)
  await paperControls(exchange)?.setFaults(faults)
  await exchange.close()
}
