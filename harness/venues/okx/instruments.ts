// What the stand-in lists. Sizes are contracts: one of BTC-USDT-SWAP is 0.01 BTC, and a hundredth of one is the lot.
import type { Decimal } from 'decimal.js'

export interface Instrument {
  readonly id: string
  readonly family: string
  readonly base: string
  /** What one contract is, in base. */
  readonly contractValue: string
  readonly tick: string
  readonly lot: string
  readonly maxLeverage: number
  readonly startPrice: string
}

const BTC: Instrument = {
  id: 'BTC-USDT-SWAP',
  family: 'BTC-USDT',
  base: 'BTC',
  contractValue: '0.01',
  tick: '0.1',
  lot: '0.01',
  maxLeverage: 100,
  startPrice: '60000',
}
const ETH: Instrument = {
  id: 'ETH-USDT-SWAP',
  family: 'ETH-USDT',
  base: 'ETH',
  contractValue: '0.1',
  tick: '0.01',
  lot: '0.01',
  maxLeverage: 100,
  startPrice: '3000',
}

export const INSTRUMENTS: readonly Instrument[] = [BTC, ETH]
export const TAKER_FEE = '0.0005'
export const MAKER_FEE = '0.0002'
const MAINTENANCE = '0.004'

export function instrumentOf(id: string | undefined): Instrument | undefined {
  return INSTRUMENTS.find((instrument) => instrument.id === id)
}

/** In quote. */
export function worthOf(contracts: Decimal, price: Decimal, { contractValue }: Instrument): Decimal {
  return contracts.times(contractValue).times(price)
}

export function maintenanceOf(value: Decimal): Decimal {
  return value.abs().times(MAINTENANCE)
}

/** A row of `public/instruments`. */
export function instrumentRow(instrument: Instrument): Readonly<Record<string, string>> {
  const { id, family, base, contractValue, tick, lot, maxLeverage } = instrument
  return {
    instType: 'SWAP',
    instId: id,
    uly: family,
    instFamily: family,
    category: '1',
    baseCcy: '',
    quoteCcy: '',
    settleCcy: 'USDT',
    ctVal: contractValue,
    ctMult: '1',
    ctValCcy: base,
    optType: '',
    stk: '',
    listTime: '1611907686000',
    expTime: '',
    lever: String(maxLeverage),
    tickSz: tick,
    lotSz: lot,
    minSz: lot,
    ctType: 'linear',
    alias: '',
    state: 'live',
    ruleType: 'normal',
    maxLmtSz: '100000000',
    maxMktSz: '12000',
    maxLmtAmt: '20000000',
    maxMktAmt: '',
    maxTwapSz: '100000000',
    maxIcebergSz: '100000000',
    maxTriggerSz: '100000000',
    maxStopSz: '12000',
  }
}
