// Which lines about orders the operator is told away from the terminal: fills, stops, and orders whose fate is not known (behaviour 50).
import type { OrderData } from '../commands/kit/data.ts'
import { isTriggerType } from '../exchange/order.ts'
import type { Notice } from '../notices/notice.ts'

type About = Pick<Notice, 'account' | 'hook'>

/** @param text as the terminal has it @returns undefined: the terminal is enough */
export function orderNotice(text: string, data: OrderData, about: About): Notice | undefined {
  const weight = weigh(data)
  return weight === undefined ? undefined : { ...weight, text, ...about }
}

function weigh({ event, order, trades = [], reason }: OrderData): Pick<Notice, 'kind' | 'severity'> | undefined {
  const isStop = order !== undefined && isTriggerType(order.type)
  switch (event) {
    case 'filled':
    case 'filled-later':
    case 'filled-meanwhile':
      return isStop ? { kind: 'stop', severity: 'warn' } : { kind: 'fill', severity: 'info' }
    case 'elsewhere':
      // A liquidation has a reason.
      if (trades.length > 0 && !isStop) return { kind: 'fill', severity: reason === undefined ? 'info' : 'urgent' }
      if (isStop) return { kind: 'stop', severity: trades.length > 0 || reason === undefined ? 'warn' : 'urgent' }
      return undefined
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
      return isStop && order.status !== 'closed' ? { kind: 'stop', severity: 'urgent' } : undefined
    case 'rests':
    case 'protected':
    case 'withdrawn':
    case 'still-rests':
    case 'stop-waits':
      return undefined
  }
}
