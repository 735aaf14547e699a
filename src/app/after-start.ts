// What a listening start does besides listening: tell the web app once, and the operator after a while if no page has come.
import { checkIn, type MissingSignIn } from '../checkin/check-in.ts'
import { isRefusal } from '../commands/kit/errors.ts'
import { LISTENER_LIMITS } from '../listener/listener-limits.ts'
import { isOwnServer } from '../trust/peer-user.ts'
import type { App } from './app.ts'
import type { Notice } from './app-events.ts'

/** Loading what the check-in and its line in the log need would keep the first caller waiting. */
const CHECK_IN_DELAY_MS = 250

/** @param listenerId absent when `listener.json` is bad: then no page could be let in either. @returns stops what still waits */
export function afterStart(
  app: Pick<App, 'ports' | 'log' | 'hasHadClient' | 'signIn' | 'consoleDecided'>,
  listenerId: string | undefined,
  notify: (notice: Notice) => void,
): () => void {
  const { config, version } = app.ports
  // A page that waits for its answer has connected: to reload it would take its question away.
  const isAsking = () => (app.ports.clients?.pending().length ?? 0) > 0
  const sendCheckIn = async (listenerId: string): Promise<void> => {
    // The web app may be the console that this process serves.
    await app.consoleDecided()
    if (stopped.signal.aborted) return
    const own = { webUrl: config.read().webUrl, platform: process.platform, listenerId, version }
    const token = app.signIn.read() === undefined ? {} : { token: () => app.signIn.token(stopped.signal) }
    void checkIn({ ...own, ...token, isOwnPeer: isOwnServer }).then((result) => {
      // Most people run no web app: that is for the log only.
      if (result.outcome === 'failed') app.log.write('info', result.message, { code: result.code })
      if (result.outcome === 'sent' && result.missingSignIn) reportMissingSignIn(result.missingSignIn, app.log, notify)
    })
  }
  const stopped = new AbortController()
  const checkInSoon =
    listenerId === undefined ? undefined : setTimeout(sendCheckIn, CHECK_IN_DELAY_MS, listenerId).unref()
  const hint = setTimeout(() => {
    if (app.hasHadClient() || isAsking() || app.ports.listenerStatus().state !== 'listening') return
    // A trader at the terminal waits for no page.
    if (app.ports.runs(1).length > 0) return
    notify({ kind: 'info', text: clientHint(config.read().webUrl) })
  }, LISTENER_LIMITS.clientHintMs)
  hint.unref()
  return () => {
    clearTimeout(checkInSoon)
    clearTimeout(hint)
    stopped.abort()
  }
}

/** Only a person can end that; all else passes, or is for who runs the web app. */
function reportMissingSignIn(
  { message, cause }: MissingSignIn,
  log: Pick<App['log'], 'write' | 'bug'>,
  notify: (notice: Notice) => void,
): void {
  const code = isRefusal(cause) ? cause.code : undefined
  if (cause !== undefined && code === undefined) log.bug(cause)
  log.write('info', `the check-in was sent without the sign-in: ${message}`, { ...(code && { code }) })
  if (code === 'sign-in-ended') notify({ kind: 'warn', text: `${message}; \`login\` signs in again` })
}

function clientHint(webUrl: string): string {
  return `no web page has connected yet; if one should, refresh its tab (${webUrl})`
}
