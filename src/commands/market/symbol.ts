// `symbol`: the symbol that commands use when they name none. Looking is for everyone; changing it is for the operator.

import { NO_SYMBOL } from '../../language/focus-taken.ts'
import { LanguageError } from '../../language/language-error.ts'
import { parseSymbols } from '../../language/names.ts'
import { showPrice } from '../../trading/figures.ts'
import { findMarket, viewSymbol } from '../../trading/market-view.ts'
import { type CommandContext, requireMayRun, type SingleCommand } from '../kit/command.ts'
import { printFocus } from '../kit/lines.ts'
import { readText, refuseMoreThan } from '../kit/read-arguments.ts'

export const symbol: SingleCommand<'focus'> = {
  name: 'symbol',
  group: 'market',
  usage: '[SYMBOL]',
  summary: 'show the symbol in focus, or bring another into focus',
  where: 'anywhere',
  rows: true,
  underPanic: true,
  examples: [
    { line: 'symbol', meaning: 'the symbol in focus, and its price' },
    { line: 'symbol ETHUSDT', meaning: 'commands without a symbol now mean ETHUSDT' },
  ],
  complete: ({ words, symbols }) => (words.length === 0 ? symbols : []),
  // A run keeps the symbol with which it began: the steps behind it do not take this one.
  symbolUse([first]) {
    return first === undefined ? NO_SYMBOL : { kind: 'named', symbols: parseSymbols(readText(first), first.column) }
  },
  async run(context, args) {
    refuseMoreThan(1, args)
    const [first] = args
    if (first === undefined) return print(context, context.symbol)
    requireMayRun('symbol <SYMBOL>', 'trusted', context.source)
    const [typed = '', ...more] = parseSymbols(readText(first), first.column)
    if (more.length > 0) throw new LanguageError('bad-argument', 'one symbol is in focus at a time', first.column)
    const { venue } = await context.account()
    const { symbol: name } = await findMarket(venue, typed)
    const kept = await context.ports.focus.set({ symbol: name })
    await print(context, name)
    printFocus(context, kept)
  },
}

async function print(context: CommandContext, name: string): Promise<void> {
  const { venue } = await context.account()
  const { market, ticker } = await viewSymbol(venue, name)
  context.out.print(`${market.symbol} ${showPrice(ticker.last, market)}`, { type: 'ticker', ...ticker })
}
