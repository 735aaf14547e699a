// Which lines about orders the operator is told away from the terminal: fills, stops, and orders whose fate is not known (behaviour 50).
import type { OrderData } from '../commands/kit/data.ts'
import { isForced, isTriggerType } from '../exchange/order.ts'
import type { Notice } from '../notices/notice.ts'

type About = Pick<Notice, 'account' | 'hook'>

/** @param text as the terminal has it @returns undefined: the terminal is enough */
export function orderNotice(text: string, data: OrderData, about: About): Notice | undefined {
  const weight = weigh(data)
  return weight === undefined ? undefined : { ...weight, text, ...about }
}

/** What only the process that sent the order knows. */
export function isOwnNews(event: OrderData['event'], { kind }: Pick<Notice, 'kind'>): boolean {
  return kind === 'unknown-order' || event === 'stop-failed' || event === 'stop-passed'
}

type Weight = Pick<Notice, 'kind' | 'severity'>

function weigh(data: OrderData): Weight | undefined {
  const { event, order, trades = [], changes = [] } = data
  const isStop = order !== undefined && isTriggerType(order.type)
  const causes = [order?.cause, ...trades.map(({ cause }) => cause)]
  if (causes.some(isForced)) return { kind: isStop && trades.length === 0 ? 'stop' : 'fill', severity: 'urgent' }
  switch (event) {
    case 'filled':
    case 'filled-later':
    case 'filled-meanwhile':
      return isStop ? { kind: 'stop', severity: 'warn' } : { kind: 'fill', severity: 'info' }
    case 'elsewhere':
      return weighElsewhere(data, isStop)
    case 'changed-elsewhere':
      return changes.some(({ before }) => isTriggerType(before.type)) ? { kind: 'stop', severity: 'warn' } : undefined
    case 'stop-failed':
    case 'stop-passed':
      return { kind: 'stop', severity: 'urgent' }
    case 'left':
      return { kind: 'stop', severity: 'warn' }
    case 'unknown':
    case 'unsettled':
    case 'change-unknown':
      return { kind: 'unknown-order', severity: 'urgent' }
    case 'settled':
    case 'change-settled':
      return { kind: 'unknown-order', severity: 'warn' }
    case 'ended':
      return weighEnd(data, isStop)
    case 'placed-elsewhere':
    case 'sent':
    case 'rests':
    case 'protected':
    case 'withdrawn':
    case 'still-rests':
    case 'stop-waits':
    case 'offset':
      return undefined
  }
}

function weighElsewhere({ order, trades = [], reason }: OrderData, isStop: boolean): Weight | undefined {
  // A liquidation has a reason.
  if (trades.length > 0 && !isStop) return { kind: 'fill', severity: reason === undefined ? 'info' : 'urgent' }
  if (!isStop) return undefined
  const isGrave = trades.length === 0 && (reason !== undefined || order?.cause === 'trigger-failed')
  return { kind: 'stop', severity: isGrave ? 'urgent' : 'warn' }
}

function weighEnd({ order, outcome }: OrderData, isStop: boolean): Weight | undefined {
  // Of these two nothing is without its stop against the operator's will.
  if (outcome === 'flat' || outcome === 'taken-back') return undefined
  if (outcome === undefined && (!isStop || order?.status === 'closed')) return undefined
  return { kind: 'stop', severity: 'urgent' }
}
