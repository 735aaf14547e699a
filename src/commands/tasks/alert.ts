// `alert`: a price to be reported, once, wherever the operator is: at the terminal, on the desk, by the channels of `notices`.
import { Decimal } from 'decimal.js'
import { defined } from '../../base/defined.ts'
import { priceOnGrid } from '../../exchange/price-grid.ts'
import type { Argument } from '../../language/chain.ts'
import { type AlertIntent, parseAlert } from '../../language/condition.ts'
import { symbolsOf } from '../../language/focus-taken.ts'
import { hintForSpokenAlert } from '../../language/foreign-syntax-hints.ts'
import { LanguageError } from '../../language/language-error.ts'
import { printArgument } from '../../language/print.ts'
import { shown } from '../../language/printable.ts'
import { type AlertParams, hasCome, sideOf } from '../../tasks/alert.ts'
import { showPrice } from '../../trading/figures.ts'
import { viewSymbol } from '../../trading/market-view.ts'
import { resolvePrice } from '../../trading/pricing.ts'
import type { SingleCommand } from '../kit/command.ts'
import { CommandError } from '../kit/errors.ts'
import { farFrom } from '../trading/meant-order.ts'
import { shortId, startTask } from './begin-task.ts'
import { beginWhen, isWholeCondition, readCondition, type WantedCondition } from './when.ts'

export const alert: SingleCommand<'tasks'> = {
  name: 'alert',
  group: 'market',
  usage: '[SYMBOL] [> | <] <price> ["words"]\n[each] [SYMBOL] <condition> ["words"]',
  summary: 'report once when the last price reaches a level, or a condition becomes true; places no order',
  where: 'anywhere',
  underPanic: true,
  examples: [
    {
      line: 'alert BTCUSDT > 70000 "look at the chart"',
      meaning: 'as soon as last is above 70,000, also after a restart',
    },
    { line: 'alert -2%', meaning: 'two percent below the current price' },
    { line: 'alert each rsi(14, 1h) > 70 "overbought"', meaning: 'any condition of `help when`, every time' },
  ],
  complete: ({ symbols }) => [...symbols, '>', '<'],
  check: readAlert,
  symbolUse(args) {
    const { whole, price } = readAlert(args)
    return symbolsOf(whole ?? { symbols: price.symbol === undefined ? [] : [price.symbol] })
  },
  async run(context, args) {
    const { whole, price: intent } = readAlert(args)
    if (whole !== undefined) return beginWhen(context, args, whole)
    const { out, accountName } = context
    const { venue } = await context.account()
    const view = await viewSymbol(venue, intent.symbol ?? context.symbol, 'known')
    const { market } = view
    const { symbol } = market
    const { last } = view.ticker
    const price = priceOnGrid(resolvePrice(intent.value, view), market, 'nearest')
    const comparator = intent.comparator ?? (new Decimal(price).gt(last) ? '>=' : '<=')
    const params: AlertParams = { comparator, price, ...defined({ words: intent.words }) }
    if (hasCome(params, last)) {
      throw new CommandError(
        'bad-price',
        `${symbol} is already ${sideOf(params, last)} ${showPrice(price, market)}, at ${showPrice(last, market)}`,
        {
          hint: 'choose a price that it has not reached',
        },
      )
    }
    const id = await startTask(context, { kind: 'alert', symbol, params }, args)
    const short = shortId(id)
    out.success(
      `alert ${short}: reports ${symbol} ${comparator} ${showPrice(price, market)}, now ${showPrice(last, market)} (\`tasks\` lists it, \`tasks cancel ${short}\`)`,
      { type: 'alert', id, account: accountName, symbol, comparator, price, ...defined({ words: intent.words }) },
    )
    const far = intent.value.base.kind === 'absolute' ? farFrom(view, price) : undefined
    if (far !== undefined) out.warn(`${showPrice(price, market)} is ${far}`)
  },
}

type ReadAlert =
  | { readonly whole: WantedCondition; readonly price?: never }
  | { readonly whole?: never; readonly price: AlertIntent }

/** @throws {LanguageError} */
function readAlert(args: readonly Argument[]): ReadAlert {
  const words = args.map(printArgument)
  const hint = hintForSpokenAlert(words)
  if (hint !== undefined) {
    const { column } = args[0] ?? { column: 1 }
    throw new LanguageError('bad-argument', `unexpected ${shown(words[0] ?? '')}`, column, hint)
  }
  return isWholeCondition(args) ? { whole: readReport(args) } : { price: parseAlert(args) }
}

/** Words in quotes at the end are what it reports. */
function readReport(args: readonly Argument[]): WantedCondition {
  const last = args.at(-1)
  if (last?.kind !== 'string') return readCondition(args)
  return { ...readCondition(args.slice(0, -1)), words: last.text }
}
