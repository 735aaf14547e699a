// Advice about the connection, and the facts it is derived from.
import { defined } from '../../base/defined.ts'
import type { ConnectionState } from '../../client/connection-state.ts'
import type { LoopbackAccess } from '../../client/loopback-permission.ts'
import { isLoopback } from '../../protocol/address.ts'
import { keyTail } from '../../protocol/proof.ts'

// --- Which browser this is, for instructions only: where its settings are and what its question says.

type Browser = 'chrome' | 'edge' | 'brave' | 'firefox' | 'safari' | 'other'

/** @param isBrave `navigator.brave` exists: its user agent says Chrome */
export function browserOf(userAgent: string, isBrave = false): Browser {
  if (isBrave) return 'brave'
  if (/Firefox\//.test(userAgent)) return 'firefox'
  if (/Edg\//.test(userAgent)) return 'edge'
  if (/Chrome\/|Chromium\//.test(userAgent)) return 'chrome'
  return /AppleWebKit\//.test(userAgent) && /Safari\//.test(userAgent) ? 'safari' : 'other'
}

/** The browser's own words for the question, so that the person knows it when it comes. */
const QUESTION: Readonly<Record<Browser, string>> = {
  chrome: 'Chrome asks whether this site may “Access other apps and services on this device”',
  edge: 'Edge asks whether this site may “Access other apps and services on this device”',
  brave: 'Brave asks whether this site may reach resources on localhost',
  firefox: 'Firefox asks whether this site may access apps and services on this device',
  safari: 'Safari does not ask and does not allow it',
  other: 'Your browser may ask whether this site may reach this device',
}

/** How to take back a no. */
const PERMISSION_SETTING: Readonly<Record<Browser, string>> = {
  chrome:
    'Click the icon left of the address, open Site settings and set “Apps on device” (in older versions “Local network access”) to Allow.',
  edge: 'Click the icon left of the address, open Permissions for this site and set “Apps on device” (in older versions “Local network access”) to Allow.',
  brave: 'Click the icon left of the address, open Site settings and set “Localhost access” to Allow.',
  firefox: 'Click the permissions icon left of the address and remove “Blocked” beside “Device apps and services”.',
  safari: 'Safari has no such setting.',
  other: 'Open the site settings of this page and allow access to this device or the local network.',
}

// --- what the operator reads when this page asks to be let in: `console in Chrome on Linux`.

const BROWSERS: Readonly<Record<Browser, string>> = {
  chrome: 'Chrome',
  edge: 'Edge',
  brave: 'Brave',
  firefox: 'Firefox',
  safari: 'Safari',
  other: 'a browser',
}

const SYSTEMS = [
  [/Windows NT/, 'Windows'],
  [/Macintosh/, 'macOS'],
  [/CrOS/, 'ChromeOS'],
  [/Linux/, 'Linux'],
] as const

export function browserLabel(userAgent: string): string {
  const system = SYSTEMS.find(([pattern]) => pattern.test(userAgent))?.[1]
  return `console in ${BROWSERS[browserOf(userAgent)]}${system === undefined ? '' : ` on ${system}`}`
}

export interface ConnectionFacts {
  readonly connection: ConnectionState
  readonly access: LoopbackAccess | undefined
  readonly isProbing: boolean
  readonly isSlow: boolean
  /** Since when a connected hookline is silent; ms since the epoch. */
  readonly silentSince?: number | undefined
  readonly clientId: string
  /** The public key by which this page proves itself; undefined where it cannot. */
  readonly key: string | undefined
  /** The label in the question to the operator. */
  readonly label: string
  /** `location.origin`. */
  readonly origin: string
  readonly browser: Browser
  /** False: `hookline web` does not run, and this page is the copy that the browser keeps. */
  readonly isServed?: boolean | undefined
  /** The page was connected since it was loaded. */
  readonly wasIn: boolean
}

type Tone = 'good' | 'busy' | 'ask' | 'bad' | 'off'
export type AdviceAction = 'connect' | 'retry' | 'check' | 'disconnect' | 'accept-listener' | 'stay-away'

export interface Advice {
  readonly tone: Tone
  /** A few words, for the badge. */
  readonly badge: string
  /** A sentence, also announced to screen readers. */
  readonly title: string
  /** The next steps; paragraphs. */
  readonly steps: readonly string[]
  /** To be copied: `where` says into what. */
  readonly lines?: readonly { readonly where: string; readonly text: string }[]
  /** To be compared by eye. */
  readonly values?: readonly { readonly name: string; readonly text: string }[]
  readonly actions: readonly AdviceAction[]
  /** When the next attempt is due, ms since the epoch. */
  readonly retryAt?: number
  /** Needs a person: worth showing unasked. */
  readonly isPressing: boolean
}

/** Pages from this machine are asked nothing by any browser. */
export function isLocalPage(origin: string): boolean {
  return URL.canParse(origin) && isLoopback(new URL(origin))
}

/** How to start hookline. */
const START_LINES = [
  { where: 'In a terminal', text: 'hookline' },
  { where: 'Or in a clone of its repository', text: 'npm start' },
] as const

/** How to start what serves this page. */
const SERVE_LINE = { where: 'In another terminal, for the newest console', text: 'hookline web' } as const

// --- why there is no connection, as a look at /health shows

const CONSOLE_ADDRESS = 'http://127.0.0.1:53220'

const ENABLE_LINE = [{ where: '~/.hookline/config.json', text: '{ "listener": { "enabled": true } }' }] as const

/** @returns undefined: /health does not explain the failure */
function adviseAccess(facts: ConnectionFacts, actions: readonly AdviceAction[]): Advice | undefined {
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
        lines: facts.isServed === false && isLocalPage(origin) ? [...START_LINES, SERVE_LINE] : START_LINES,
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

// --- every state the connection can be in: facts → advice

export function adviseConnection(facts: ConnectionFacts): Advice {
  const { connection } = facts
  switch (connection.name) {
    case 'idle':
      return facts.isProbing ? connecting(facts) : (adviseAccess(facts, ['connect']) ?? idle(facts))
    case 'connecting':
      return facts.access !== undefined && connection.failures > 0
        ? (adviseAccess(facts, ['retry']) ?? connecting(facts))
        : connecting(facts)
    case 'awaiting-approval':
      return awaitingApproval(facts)
    case 'welcomed':
      return facts.silentSince === undefined ? welcomed(facts, connection) : SILENT
    case 'waiting-to-reconnect':
      return reconnecting(facts, connection)
    case 'other-listener':
      return otherListener(connection)
    case 'unproven-listener':
      return connection.got === undefined ? anotherProgram(connection) : otherKey(connection, connection.got)
    case 'denied':
      return denied(facts)
    case 'stopped':
      return STOPPED[connection.reason]
  }
}

/** hookline itself has answered, whatever it said. */
export function hasAnswered({ connection, access }: Pick<ConnectionFacts, 'connection' | 'access'>): boolean {
  return access === 'reachable' || ANSWERED.has(connection.name)
}

const ANSWERED: ReadonlySet<string> = new Set(['awaiting-approval', 'welcomed', 'denied', 'other-listener', 'stopped'])

function idle({ origin, browser }: ConnectionFacts): Advice {
  const isLocal = isLocalPage(origin)
  const question = `${QUESTION[browser]}. Choose Allow: hookline runs on this device and nothing leaves it.`
  return {
    tone: 'off',
    badge: 'Not connected',
    title: 'This page is not connected to hookline.',
    steps: [
      'Start hookline in a terminal on this machine if it is not running, then connect.',
      ...(isLocal ? [] : [question]),
    ],
    lines: START_LINES,
    actions: ['connect'],
    isPressing: true,
  }
}

function connecting({ origin, browser, isSlow }: ConnectionFacts): Advice {
  if (isSlow && !isLocalPage(origin)) {
    return {
      tone: 'ask',
      badge: 'Browser asks',
      title: 'Your browser may be asking you for permission.',
      steps: [`${QUESTION[browser]}. Choose Allow: hookline runs on this device and nothing leaves it.`],
      actions: ['disconnect'],
      isPressing: true,
    }
  }
  return {
    tone: 'busy',
    badge: 'Connecting…',
    title: 'Connecting to hookline on 127.0.0.1:53219.',
    steps: ['This takes a moment.'],
    actions: ['disconnect'],
    isPressing: false,
  }
}

function awaitingApproval({ clientId, label, origin, key }: ConnectionFacts): Advice {
  return {
    tone: 'ask',
    badge: 'Waiting for your y',
    title: 'hookline asks in its terminal whether this page may connect.',
    steps: [
      'Go to the terminal where hookline runs. It shows “a web page asks to run commands here” with the lines shown here. Are they the same? Type y and press Enter.',
      'Not the same, or you did not open this page: type n. The question is open for five minutes.',
    ],
    values: [
      { name: 'label', text: label },
      { name: 'origin', text: origin },
      { name: 'client', text: clientId.slice(0, 8) },
      { name: 'proof', text: key === undefined ? 'cannot prove itself' : 'proves itself with a key' },
    ],
    actions: ['disconnect'],
    isPressing: true,
  }
}

const SILENT: Advice = {
  tone: 'bad',
  badge: 'No answer',
  title: 'hookline is connected and does not answer.',
  steps: [
    'It hangs, or it is stopped (Ctrl Z): go to its terminal, type fg if it is stopped, or end it and start it again.',
    'What this page shows is old. A line that is sent now runs only if hookline begins it within 30 s. Orders and positions are at the exchange: look there if it is urgent.',
  ],
  actions: ['disconnect'],
  isPressing: true,
}

function welcomed(
  { key: own, clientId }: ConnectionFacts,
  { listenerId, email, key }: Extract<ConnectionState, { name: 'welcomed' }>,
): Advice {
  return {
    tone: 'good',
    badge: 'Connected',
    title: 'Connected to hookline on this machine.',
    steps: ['Commands you type here run there. To revoke this page, type this in the hookline terminal:'],
    lines: [{ where: 'In the hookline terminal', text: `clients revoke ${clientId.slice(0, 8)}` }],
    values: [
      { name: 'hookline', text: listenerId },
      { name: 'proof', text: key === undefined ? unprovenBecause(own) : `it proved itself, key ${keyTail(key)}` },
      ...(email === '' ? [] : [{ name: 'signed in', text: email }]),
    ],
    actions: ['disconnect'],
    isPressing: false,
  }
}

function unprovenBecause(own: string | undefined): string {
  return own === undefined ? 'none: this browser keeps no key for this page' : 'none: this hookline is too old for it'
}

type Waiting = Extract<ConnectionState, { name: 'waiting-to-reconnect' }>

const WHY: Readonly<Record<Waiting['why'], string>> = {
  unreachable: 'hookline does not answer.',
  lost: 'The connection to hookline broke.',
  goingAway: 'hookline was shut down.',
  tooSlow: 'This page read too slowly, so hookline closed the connection.',
  disabled: 'hookline’s config was changed: its listener is off, or pages from here are no longer allowed.',
  noHello: 'hookline waited too long for the first frame of this page.',
  busy: 'hookline is not taking new requests right now: others are waiting, or one was just denied.',
}

function reconnecting(facts: ConnectionFacts, { why, retryAt }: Waiting): Advice {
  const advice = why === 'unreachable' ? adviseAccess(facts, ['retry', 'disconnect']) : undefined
  if (advice !== undefined) return { ...advice, retryAt }
  const lines = why === 'goingAway' ? START_LINES : undefined
  return {
    tone: 'busy',
    badge: facts.wasIn ? 'Reconnecting' : 'Asks again',
    title: WHY[why],
    steps: [
      'This page tries again by itself.',
      // Only who was in can have sent something.
      facts.wasIn
        ? 'Nothing is sent twice: a command under way may have run, so look at orders and positions before you type it again.'
        : 'It has not been let in yet: when hookline asks in its terminal, type y.',
    ],
    ...defined({ lines }),
    actions: ['retry', 'disconnect'],
    retryAt,
    isPressing: false,
  }
}

const WAY_HOME = 'Every 2 s this page checks whether the hookline it knows is back, and reconnects to it.'

function otherListener({ expected, got }: Extract<ConnectionState, { name: 'other-listener' }>): Advice {
  return {
    tone: 'bad',
    badge: 'Another hookline',
    title: 'This is not the hookline that this browser knows. Nothing was sent to it.',
    steps: [
      'It may be a new installation or another config directory of yours, or something else that took the port. The first lines of listener.json in the config directory hold its id: compare.',
      WAY_HOME,
      'Accept it only if you know why it changed.',
    ],
    values: [
      { name: 'known', text: expected },
      { name: 'answered', text: got },
    ],
    actions: ['check', 'stay-away', 'accept-listener'],
    isPressing: true,
  }
}

type Unproven = Extract<ConnectionState, { name: 'unproven-listener' }>

/** As hookline's own `clients` shows it. */
const OWN_KEY_LINE = [{ where: 'In the hookline terminal', text: 'clients' }] as const

function anotherProgram({ expected }: Unproven): Advice {
  return {
    tone: 'bad',
    badge: 'Another program',
    title: 'Another program answers on hookline’s port. It got this page’s greeting and nothing else.',
    steps: [
      'It did not prove that it is the hookline that this browser knows. End that program, start hookline, then connect again.',
      'If you went back to an older hookline, which cannot prove itself: clear this site’s data in the browser.',
    ],
    ...(expected === undefined ? {} : { values: [{ name: 'known', text: keyTail(expected) }] }),
    lines: START_LINES,
    actions: ['stay-away', 'retry'],
    isPressing: true,
  }
}

function otherKey({ expected }: Unproven, got: string): Advice {
  return {
    tone: 'bad',
    badge: 'Another hookline',
    title: 'This is not the hookline that this browser knows: it has another key. Nothing was sent to it.',
    steps: [
      'It may be a new installation or another config directory of yours, or another program that took the port. Your hookline prints the end of its key: compare.',
      WAY_HOME,
      'Accept it only if you know why it changed.',
    ],
    lines: OWN_KEY_LINE,
    values: [
      ...(expected === undefined ? [] : [{ name: 'known', text: keyTail(expected) }]),
      { name: 'answered', text: keyTail(got) },
    ],
    actions: ['check', 'stay-away', 'accept-listener'],
    isPressing: true,
  }
}

function denied({ clientId, origin, key }: ConnectionFacts): Advice {
  return {
    tone: 'bad',
    badge: 'Denied',
    title: 'The answer in the terminal was no, or there was none within five minutes.',
    steps: [
      'To ask again, connect once more and answer y in the hookline terminal. After a no, hookline lets this site ask again after 30 seconds.',
      'hookline listen has no prompt and denies unknown pages; there, trust this page first:',
    ],
    lines: [{ where: 'In a terminal', text: trustLine({ clientId, origin, key }) }],
    actions: ['connect'],
    isPressing: true,
  }
}

function trustLine({ clientId, origin, key }: Pick<ConnectionFacts, 'clientId' | 'origin' | 'key'>): string {
  return `hookline clients trust ${clientId} --origin ${origin}${key === undefined ? '' : ` --key ${key}`}`
}

type StopReason = Extract<ConnectionState, { name: 'stopped' }>['reason']

const GARBLED = stopped('Stopped', 'hookline could not read what this page sent.', [
  'Reload this page and connect again. If it happens twice, update hookline: they are probably of different versions.',
])

const STOPPED: Readonly<Record<StopReason, Advice>> = {
  badFrame: GARBLED,
  badText: GARBLED,
  tooManyFragments: GARBLED,
  tooBig: stopped('Stopped', 'This page sent more than hookline takes in one message.', [
    'Shorten what you sent (a command may have 8,192 characters), then connect again.',
  ]),
  badHandshake: stopped('Wrong version', 'hookline did not understand this page’s greeting.', [
    'They are probably of different versions: update hookline, reload this page, and connect again.',
  ]),
  proofFailed: stopped('Not proved', 'hookline knows this page by a key that this browser does not have.', [
    'To pair it again, type clients in the hookline terminal, revoke this page there, then connect again.',
  ]),
  noTicket: stopped('Reload', 'This page has to be loaded again before hookline lets it in.', [
    'Reload it. hookline lets in only what its own server has just given out, so that no other program’s page passes for this one.',
    'If that does not help, open http://127.0.0.1:53220 by hand while hookline runs.',
  ]),
  revoked: stopped('Revoked', 'This page was revoked in the hookline terminal.', [
    'If that was a mistake, connect again and answer y in the terminal.',
  ]),
}

function stopped(badge: string, title: string, steps: readonly string[]): Advice {
  return { tone: 'bad', badge, title, steps, actions: ['connect'], isPressing: true }
}
