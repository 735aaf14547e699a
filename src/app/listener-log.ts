// What the listener refuses, for the log: strangers learn the status, the log learns why.
import { printable } from '../language/printable.ts'
import type { ListenerOptions } from '../listener/listener.ts'
import type { Log } from './log.ts'

type Refusals = 'onWrongToken' | 'onForeignPage' | 'onUnknownUser' | 'onRefusedUpgrade'

/** @param hideSecrets a sender may put its token where a page's origin belongs */
export function logRefusals(log: Log, hideSecrets: (text: string) => string): Pick<ListenerOptions, Refusals> {
  const said = (reason: string, length: number) => printable(hideSecrets(reason), length)
  return {
    onWrongToken: ({ id, name }) =>
      log.writeSeldom('warn', 'refused a fire: invalid token', { hook: printable(name, 64), id }),
    onForeignPage: (reason) =>
      log.writeSeldom('warn', 'refused a fire: it comes from a page', { reason: said(reason, 300) }),
    onUnknownUser: (reason) => log.write('info', 'cannot tell which user opens a WebSocket', { reason }),
    onRefusedUpgrade: (reason) => log.writeSeldom('warn', 'refused a WebSocket', { reason: said(reason, 500) }),
  }
}
