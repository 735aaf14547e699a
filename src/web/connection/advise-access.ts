// What a look at /health has told of why there is no connection, and what to do about it.
import { type Advice, type AdviceAction, type ConnectionFacts, isLocalPage, SERVE_LINE, START_LINES } from './advice.ts'
import { PERMISSION_SETTING } from './browser.ts'

const CONSOLE_ADDRESS = 'http://127.0.0.1:53220'

const ENABLE_LINE = [{ where: '~/.hookline/config.json', text: '{ "listener": { "enabled": true } }' }] as const

/** @returns undefined: /health has told nothing that explains the failure */
export function adviseAccess(facts: ConnectionFacts, actions: readonly AdviceAction[]): Advice | undefined {
  const { access, origin, browser } = facts
  const common = { tone: 'bad', actions, isPressing: true } as const
  // No browser asks for this permission for a local page, so it cannot be the cause.
  switch (access === 'permission-denied' && isLocalPage(origin) ? 'not-running' : access) {
    case undefined:
    case 'reachable':
      return undefined
    case 'not-running':
      return {
        ...common,
        badge: 'Not running',
        title: 'hookline is not running on this machine.',
        steps: [
          'Start it in a terminal and leave that open. This page connects by itself.',
          ...(isLocalPage(origin) ? [] : ['If you closed your browser’s question without an answer, try again.']),
        ],
        lines: facts.isServed === false ? [...START_LINES, SERVE_LINE] : START_LINES,
      }
    case 'disabled':
      return {
        ...common,
        badge: 'Switched off',
        title: 'hookline runs, but its listener is switched off.',
        steps: ['Set listener.enabled to true in its config. No restart is needed.'],
        lines: ENABLE_LINE,
      }
    case 'refused-origin':
      return refusedOrigin(origin, common)
    case 'permission-denied':
      return {
        ...common,
        badge: 'Blocked by browser',
        title: 'Your browser does not let this site reach hookline.',
        steps: [
          PERMISSION_SETTING[browser],
          'Then try again. Where an administrator decides, open the console locally:',
        ],
        lines: LOCAL_CONSOLE,
      }
    case 'unsupported':
      return {
        ...common,
        badge: 'Not in this browser',
        title:
          browser === 'safari'
            ? 'Safari does not let https pages reach programs on this machine.'
            : 'This browser does not let pages of this kind reach programs on this machine.',
        steps: [`Open the console from this machine instead, at ${CONSOLE_ADDRESS}, or use Chrome, Edge or Firefox.`],
        lines: LOCAL_CONSOLE,
      }
  }
}

const LOCAL_CONSOLE = [{ where: 'In a terminal', text: 'hookline web --open' }] as const

function refusedOrigin(origin: string, common: Pick<Advice, 'tone' | 'actions' | 'isPressing'>): Advice {
  const origins = [...new Set([CONSOLE_ADDRESS, origin])].map((each) => JSON.stringify(each)).join(', ')
  return {
    ...common,
    badge: 'Origin refused',
    title: `hookline does not accept pages from ${origin}.`,
    steps: [
      'Do you trust this site to run commands on your machine? Then add it to hookline’s config; no restart is needed. You will still be asked in the terminal.',
      'If it is there already, another program may hold port 53219: type status in hookline to see.',
    ],
    lines: [{ where: '~/.hookline/config.json', text: `{ "listener": { "allowedOrigins": [${origins}] } }` }],
  }
}
