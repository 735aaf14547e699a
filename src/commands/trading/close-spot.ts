// `close` on a spot account: it has no positions, so the coins of the symbol that are free are sold.
import { Decimal } from 'decimal.js'
import type { Market } from '../../exchange/market.ts'
import { amountOnLot } from '../../exchange/price-grid.ts'
import type { CloseIntent } from '../../language/order.ts'
import { showAmount } from '../../trading/figures.ts'
import { findMarket, freeOnce, viewSymbol } from '../../trading/market-view.ts'
import type { TradingAccount } from '../../trading/order-desk.ts'
import { fillPrice } from '../../trading/pricing.ts'
import { resolveAmount } from '../../trading/sizing.ts'
import type { CommandContext } from '../kit/command.ts'
import { CommandError } from '../kit/errors.ts'
import { forEachItem } from '../kit/running.ts'
import { sendExit, WHOLE } from './send-exit.ts'

/** @throws {CommandError} `not-supported` for `longs`, `shorts` and `all`: a coin may be sold for several others */
export async function closeSpot(context: CommandContext, account: TradingAccount, intent: CloseIntent): Promise<void> {
  const { venue } = account
  if (intent.which !== undefined) {
    throw new CommandError('not-supported', 'a spot account has no positions, only coins', {
      hint: 'name what is to be sold, such as `close BTCUSDT,ETHUSDT`',
    })
  }
  const symbols = intent.symbols.length > 0 ? intent.symbols : [context.symbol]
  const markets = await Promise.all(symbols.map((symbol) => findMarket(venue, symbol)))
  const free = freeOnce(venue)
  await forEachItem(
    context,
    markets.map(({ symbol }) => symbol),
    async (symbol) => {
      const { market, ticker } = await viewSymbol(venue, symbol)
      const held = await free(market.base)
      if (amountOnLot(held, market).isZero()) return context.out.info(nothingToSell(market, held))
      const [side, price] = ['sell', fillPrice('sell', ticker, undefined)] as const
      const input = { market, side, price, position: undefined, percentOf: 'position', free } as const
      const { amount, cutFrom } = await resolveAmount(intent.size ?? WHOLE, input)
      // Never more than there is, whatever size was typed.
      const most = Decimal.min(amount, amountOnLot(held, market)).toFixed()
      const plan = { symbol, side, type: 'market', amount: most } as const
      const isCut = cutFrom !== undefined && most === amount
      await sendExit(context, account, { market, plan, ...(isCut ? { cutFrom } : {}) })
    },
  )
}

function nothingToSell({ base, lotSize }: Market, held: string): string {
  return new Decimal(held).isZero()
    ? `no ${base} is free`
    : `${showAmount(held)} ${base} is less than one lot of ${showAmount(lotSize)}`
}
