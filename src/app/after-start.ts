// What a listening start does besides listening: tell the web app once, and the operator after a while if no page has come.
import { checkIn } from '../checkin/check-in.ts'
import { LISTENER_LIMITS } from '../listener/listener-limits.ts'
import type { App } from './app.ts'
import type { Notice } from './notice.ts'

/** Loading what the check-in and its line in the log need would keep the first caller waiting. */
const CHECK_IN_DELAY_MS = 250

/** @param listenerId absent when `listener.json` is bad: then no page could be let in either. @returns stops what still waits */
export function afterStart(
  app: Pick<App, 'ports' | 'log' | 'hasHadClient'>,
  listenerId: string | undefined,
  notify: (notice: Notice) => void,
): () => void {
  const { config, version } = app.ports
  // A page that waits for its answer has connected: to reload it would take its question away.
  const isAsking = () => (app.ports.clients?.pending().length ?? 0) > 0
  const tell = (listenerId: string): void => {
    void checkIn({ webUrl: config.read().webUrl, platform: process.platform, listenerId, version }).then((result) => {
      // Most people run no web app: that is for the log only.
      if (result.outcome === 'failed') app.log.write('info', result.message, { code: result.code })
    })
  }
  const checkInSoon = listenerId === undefined ? undefined : setTimeout(tell, CHECK_IN_DELAY_MS, listenerId).unref()
  const hint = setTimeout(() => {
    if (app.hasHadClient() || isAsking() || app.ports.listenerStatus().state !== 'listening') return
    notify({ kind: 'info', text: clientHint(config.read().webUrl) })
  }, LISTENER_LIMITS.clientHintMs)
  hint.unref()
  return () => {
    clearTimeout(checkInSoon)
    clearTimeout(hint)
  }
}

export function clientHint(webUrl: string): string {
  return `no web page has connected yet; if one should, refresh its tab (${webUrl})`
}
