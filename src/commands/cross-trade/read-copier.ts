// The options of a row and of a copier, as they are typed.

import type { Argument } from '../../language/chain.ts'
import { LanguageError } from '../../language/language-error.ts'
import { parseSymbols } from '../../language/names.ts'
import { shown } from '../../language/printable.ts'
import { nearest } from '../../language/typo-match.ts'
import { COPIER_MODES } from '../../protocol/rows.ts'
import type { CrossTradeCopier } from '../../stores/cross-trade.ts'
import { unknownAccount } from '../account/account-name.ts'
import { CommandError } from '../kit/errors.ts'
import type { CommandPorts } from '../kit/ports.ts'
import { refuseMoreThan, takeOption } from '../kit/read-arguments.ts'

const MAX_SLIPPAGE = 50

export const COPIER_OPTIONS = ['--weight', '--mode', '--slippage'] as const

/** What is left, without the options of a copier. */
export function takeCopier(args: readonly Argument[]): {
  readonly rest: readonly Argument[]
  readonly options: Pick<CrossTradeCopier, 'weight' | 'mode' | 'slippage'>
} {
  const { rest: withMode, value: weight } = takeOption(args, '--weight', 'the weight')
  const { rest: withSlippage, value: typedMode } = takeOption(withMode, '--mode', 'the mode')
  const { rest, value: slippage } = takeOption(withSlippage, '--slippage', 'the slippage')
  const mode = typedMode === undefined ? 'Market' : readMode(typedMode)
  if (slippage !== undefined && mode !== 'LimitSlippage') {
    throw new CommandError('unexpected-argument', '`--slippage` belongs to the mode LimitSlippage', {
      hint: 'add `--mode LimitSlippage`, or leave it out',
    })
  }
  return {
    rest,
    options: {
      weight: readWeight(weight, '--weight'),
      mode,
      ...(slippage === undefined ? {} : { slippage: readSlippage(slippage) }),
    },
  }
}

/** @throws {CommandError} `bad-argument` */
export function readWeight(text: string | undefined, option: string): number {
  if (text === undefined) return 1
  const weight = /^[+-]?\d{1,6}(\.\d{1,8})?$/.test(text) ? Number(text) : 0
  if (weight !== 0) return weight
  throw new CommandError('bad-argument', `${shown(text)} is not a weight`, {
    hint: `type a number other than 0: \`${option} 0.5\` trades half, \`${option} -1\` the other way`,
  })
}

/** @returns one symbol in our own spelling @throws {LanguageError} */
export function takeSymbol(
  args: readonly Argument[],
  option: string,
): { readonly rest: readonly Argument[]; readonly symbol: string | undefined } {
  const { rest, value } = takeOption(args, option, 'the symbol')
  return { rest, symbol: readSymbol(value, `\`${option}\``) }
}

/** In our own spelling. @throws {LanguageError} */
export function readSymbol(text: string | undefined, what = 'this'): string | undefined {
  if (text === undefined) return undefined
  const [symbol, ...more] = parseSymbols(text, 1)
  if (more.length > 0) throw new LanguageError('bad-argument', `${what} takes one symbol`, 1)
  return symbol
}

/** @throws {LanguageError} what is left is an option that there is not */
export function refuseRest(rest: readonly Argument[], count: number): void {
  const option = rest.find((argument) => argument.kind === 'word' && argument.text.startsWith('--'))
  if (option === undefined) return refuseMoreThan(count, rest)
  const text = option.kind === 'word' ? option.text : ''
  throw new LanguageError('unexpected-argument', `unknown option ${shown(text)}`, option.column)
}

/** @throws {CommandError} `unknown-account` */
export function requireKnown({ accounts }: Pick<CommandPorts, 'accounts'>, name: string): string {
  if (accounts.find(name) !== undefined) return name
  throw unknownAccount(
    name,
    nearest(
      name,
      accounts.list().map((row) => row.name),
    ),
  )
}

/** @throws {CommandError} `bad-argument` */
export function readMode(text: string): CrossTradeCopier['mode'] {
  const mode = COPIER_MODES.find((each) => each.toLowerCase() === text.toLowerCase())
  if (mode !== undefined) return mode
  throw new CommandError('bad-argument', `${shown(text)} is not a mode`, { hint: `choose ${COPIER_MODES.join(', ')}` })
}

/** In percent, without the sign. @throws {CommandError} `bad-argument` */
export function readSlippage(text: string): string {
  const [, figure] = /^(\d{1,2}(?:\.\d{1,6})?)%?$/.exec(text) ?? []
  if (figure !== undefined && Number(figure) > 0 && Number(figure) <= MAX_SLIPPAGE) return figure
  throw new CommandError('bad-argument', `${shown(text)} is not a slippage`, {
    hint: `type a percentage up to ${MAX_SLIPPAGE}%: \`--slippage 0.2%\``,
  })
}
