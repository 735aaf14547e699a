// `copies:query` and `copy:check`: what copiers ordered last, and whether a pair could be copied as a person has typed it.
import { randomUUID } from 'node:crypto'
import { defined } from '../../base/defined.ts'
import { readMode, readSlippage, readSymbol, readWeight } from '../../commands/cross-trade/read-copier.ts'
import { describeRefusal, isRefusal } from '../../commands/kit/errors.ts'
import type { CommandPorts } from '../../commands/kit/ports.ts'
import { checkRows, problemOf } from '../../cross-trade/rows-check.ts'
import { printable } from '../../language/printable.ts'
import { type Answerers, copyRow } from '../../protocol/desk-frames.ts'
import type { Frame } from '../../protocol/frames.ts'
import { crossTradeDraft, pick } from '../../protocol/rows.ts'
import type { CrossTradeConfig, CrossTradeCopier } from '../../stores/cross-trade.ts'
import type { CopyRecord } from '../../trading/history/copies.ts'
import { DEFAULT_PAGE } from './run-questions.ts'

interface CopyQuestionPorts {
  readonly accounts: Pick<CommandPorts['accounts'], 'find'>
  readonly crossTrade: Pick<CommandPorts['crossTrade'], 'list' | 'approved'>
  readonly copies: (limit: number) => Promise<readonly CopyRecord[]>
}

type Typed = Omit<Frame<'copy:check'>, 't' | 'id'>
type Problem = Frame<'copy:checked'>['problems'][number]

export function copyQuestions(ports: CopyQuestionPorts): Pick<Answerers, 'copies:query' | 'copy:check'> {
  return {
    async 'copies:query'({ id, limit = DEFAULT_PAGE }) {
      const copies = await ports.copies(limit)
      return { t: 'copies:page', id, copies: copies.map((copy) => pick(copyRow, copy)) }
    },
    async 'copy:check'({ t: _, id, ...typed }) {
      return { t: 'copy:checked', id, ...check(typed, ports) }
    },
  }
}

function check(typed: Typed, ports: CopyQuestionPorts): Pick<Frame<'copy:checked'>, 'problems' | 'config'> {
  const problems: Problem[] = []
  const rows = ports.crossTrade.list()
  const stored = rows.find(({ id }) => id === typed.configId)
  if (typed.configId !== undefined && stored === undefined)
    return { problems: [{ field: 'configId', why: 'the row is gone: somebody has removed it' }] }
  const row = readRow(typed, stored, reader(problems))
  if (problems.length === 0) problems.push(...problemsOf(row, ports.crossTrade.approved(), ports))
  return problems.length > 0 ? { problems } : { problems, config: draftOf(row) }
}

type Read = <T>(field: keyof Typed, text: string | undefined, read: (text: string | undefined) => T, none: T) => T

/** What a person types wrong is a problem of its field. */
function reader(problems: Problem[]): Read {
  return (field, text, read, none) => {
    try {
      return read(text || undefined)
    } catch (error) {
      if (!isRefusal(error)) throw error
      problems.push({ field, why: describeRefusal(error) })
      return none
    }
  }
}

function readRow(typed: Typed, stored: CrossTradeConfig | undefined, read: Read): CrossTradeConfig {
  const symbol = read('symbol', typed.symbol, readSymbol, undefined)
  const slippage = typed.mode === 'LimitSlippage' && typed.slippage ? typed.slippage : undefined
  const figure = slippage && read('slippage', slippage, (text = '') => readSlippage(text), undefined)
  const copier: CrossTradeCopier = {
    account: typed.account ?? '',
    ...defined({ symbol }),
    weight: read('weight', typed.weight, (text) => readWeight(text, '--weight'), 1),
    mode: read('mode', typed.mode, (text = 'Market') => readMode(text), 'Market'),
    ...(figure ? { slippage: figure } : {}),
  }
  const masterWeight = read('masterWeight', typed.masterWeight, (text) => readWeight(text, '--master-weight'), 1)
  if (stored !== undefined) return { ...stored, masterWeight, copiers: withCopier(stored.copiers, copier) }
  const masterSymbol = read('masterSymbol', typed.masterSymbol, readSymbol, undefined)
  return {
    id: randomUUID(),
    enabled: false,
    masterAccount: typed.masterAccount ?? '',
    masterWeight,
    ...defined({ masterSymbol }),
    copiers: [copier],
    updatedAt: 0,
  }
}

/** In the place of the one of that account and symbol. */
function withCopier(copiers: readonly CrossTradeCopier[], copier: CrossTradeCopier): readonly CrossTradeCopier[] {
  const isSame = ({ account, symbol }: CrossTradeCopier) => account === copier.account && symbol === copier.symbol
  return copiers.some(isSame) ? copiers.map((each) => (isSame(each) ? copier : each)) : [...copiers, copier]
}

/** As if it were on: what would keep it from being copied beside the rows that are. */
function problemsOf(row: CrossTradeConfig, rows: readonly CrossTradeConfig[], ports: CopyQuestionPorts): Problem[] {
  const isAccount = (name: string) => ports.accounts.find(name) !== undefined
  const wanted = { ...row, enabled: true }
  const own = problemOf(wanted, isAccount)
  if (own !== undefined) return [{ ...own, why: printable(own.why, 160) }]
  const beside = checkRows([...rows.filter(({ id }) => id !== row.id), wanted], isAccount)
  return beside
    .filter(({ configId }) => configId === row.id)
    .map(({ why }) => ({ field: 'account', why: printable(why, 160) }))
}

function draftOf(row: CrossTradeConfig): NonNullable<Frame<'copy:checked'>['config']> {
  return pick(crossTradeDraft, row)
}
