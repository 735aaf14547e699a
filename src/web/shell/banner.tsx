// Lays out the banner's line and its one button.
import { Icon } from '../components/icon.tsx'
import { Words } from '../components/words.tsx'
import { showTime } from '../figures.ts'
import { type ConsoleState, heldUp, isLive, PANIC_ENDS, troubleOf } from '../state/console-state.ts'
import { useConsole, useDeskParts } from '../state/use-console.ts'

const BUTTON: Readonly<Record<NonNullable<BannerText['action']>, string>> = {
  check: 'Check again',
  retry: 'Try now',
  connect: 'Connect',
  show: 'Show me how',
}

export function Banner() {
  const console = useConsole()
  const facts = useDeskParts(
    'connection',
    'access',
    'flags',
    'focus',
    'lostAt',
    'silentSince',
    'unread',
    'portfolio',
    'chosen',
    'market',
  )
  const banner = bannerText(facts, (ms) => showTime(ms, Date.now()))
  if (banner === undefined) return null
  const { tone, title, text, action } = banner
  const act = () => {
    if (action === 'show') document.getElementById('connection-advice')?.showPopover()
    else void console.connect()
  }
  return (
    <section className={`row banner ${tone}`} aria-label="What is wrong">
      <Icon name={tone === 'stale-tone' ? 'clock' : tone === 'danger' ? 'stop' : 'warning'} size={18} />
      <p className="fill">
        <b>{title}</b>
        <Words text={text} />
      </p>
      {action !== undefined && (
        <button type="button" className="button small" onClick={act}>
          {BUTTON[action]}
        </button>
      )}
    </section>
  )
}

// --- the words: the worst of what is wrong, since when, and what to do. State → words.

interface BannerText {
  readonly tone: 'danger' | 'warn' | 'stale-tone'
  readonly title: string
  readonly text: string
  readonly action?: 'check' | 'retry' | 'connect' | 'show'
}

export type BannerFacts = Pick<
  ConsoleState,
  'connection' | 'access' | 'flags' | 'focus' | 'lostAt' | 'silentSince' | 'unread' | 'portfolio' | 'chosen' | 'market'
>

/** @returns undefined where nothing is wrong @param clock a time as it is shown */
export function bannerText(facts: BannerFacts, clock: (ms: number) => string): BannerText | undefined {
  const { connection } = facts
  if (connection.name === 'other-listener' || connection.name === 'unproven-listener') {
    return {
      tone: 'danger',
      title: 'This is not the hookline this browser knows.',
      text: 'Nothing was sent to it. This page looks again every 2 s.',
      action: 'check',
    }
  }
  return isLive(facts) ? whileConnected(facts, clock) : notConnected(facts, clock)
}

function notConnected(
  { connection, access, lostAt }: BannerFacts,
  clock: (ms: number) => string,
): BannerText | undefined {
  const seen = lostAt === undefined ? '' : ` The figures are from ${clock(lostAt)}.`
  const title = 'Not connected.'
  const goesOn = 'Hooks keep running while hookline runs.'
  switch (connection.name) {
    case 'waiting-to-reconnect':
      return { tone: 'warn', title, text: `Trying again by itself.${seen} ${goesOn}`, action: 'retry' }
    case 'awaiting-approval':
      return {
        tone: 'warn',
        title,
        text: 'hookline asks in its terminal whether this page may connect: type y there.',
        action: 'show',
      }
    case 'idle':
      // At the page's start nothing has been tried yet.
      if (lostAt === undefined && access === undefined) return undefined
      return { tone: 'warn', title, text: `${seen} ${goesOn}`.trim(), action: 'connect' }
    case 'denied':
    case 'stopped':
      return { tone: 'warn', title, text: `${seen} ${goesOn}`.trim(), action: 'connect' }
    default:
      return lostAt === undefined ? undefined : { tone: 'warn', title, text: `Connecting.${seen}` }
  }
}

function whileConnected(facts: BannerFacts, clock: (ms: number) => string): BannerText | undefined {
  const { flags, silentSince } = facts
  if (silentSince !== undefined) {
    return {
      tone: 'danger',
      title: 'hookline does not answer.',
      text: `hookline is connected but has sent nothing since ${clock(silentSince)}: the figures are from then. A line that does not start within 30 s is not run.`,
    }
  }
  if (flags?.panic !== undefined) {
    const { since, by } = flags.panic
    const when = since === undefined ? '' : ` at ${clock(since)}`
    return {
      tone: 'danger',
      title: 'Panic is on.',
      text: `Hooks and pages run nothing, and no order that adds is sent. Turned on by ${by}${when}. ${PANIC_ENDS}`,
    }
  }
  const { guard } = heldUp(facts)
  if (guard === 'halted') {
    return {
      tone: 'danger',
      title: 'Halted.',
      text: 'Only cancels, `close` and reduce-only orders are sent. Type `resume` in the hookline terminal to trade again.',
    }
  }
  if (flags !== undefined && flags.invalidFiles > 0) {
    const files = flags.invalidFiles === 1 ? '1 invalid file' : `${flags.invalidFiles} invalid files`
    return {
      tone: 'warn',
      title: `hookline cannot use ${files}.`,
      text: faultsOf(flags.files),
    }
  }
  return unreadPart(facts, clock) ?? switchedOff(flags) ?? ofPrices(guard, troubleOf(facts), clock)
}

const PARTS: ReadonlyMap<string, string> = new Map([
  ['state:portfolio', 'Positions and orders'],
  ['state:market', 'Prices'],
  ['state:accounts', 'Accounts'],
  ['state:hooks', 'Hooks'],
  ['state:tasks', 'Tasks'],
  ['state:cross-trade', 'Copying'],
  ['state:fills', 'Fills'],
  ['state:runs', 'Runs'],
  ['state:equity', 'Equity'],
  ['state:notices', 'Notices'],
  ['state:proposals', 'Proposals'],
])
const MOST_NAMED = 3

/** The worst of them: what is shown of it is not all, or not of now. */
function unreadPart({ unread }: BannerFacts, clock: (ms: number) => string): BannerText | undefined {
  const parts = Object.entries(unread)
  const weight = ([t]: readonly [string, unknown]) => [...PARTS.keys(), t].indexOf(t)
  const [first] = parts.toSorted((a, b) => weight(a) - weight(b))
  if (first === undefined) return undefined
  const [t, { setAside, isWhole, at }] = first
  const part = PARTS.get(t) ?? t
  const named = setAside.slice(0, MOST_NAMED).join('; ')
  const more = setAside.length > MOST_NAMED ? `; and ${setAside.length - MOST_NAMED} more` : ''
  const text = isWhole
    ? `Its rows are older than ${clock(at)}.`
    : `Rows that this page cannot read are left out: ${named}${more}.`
  return {
    tone: 'warn',
    title: `${part}: this page cannot read some rows.`,
    text: `${text} Look at it in the hookline terminal.`,
  }
}

function faultsOf(files: NonNullable<ConsoleState['flags']>['files']): string {
  const [first, ...others] = files ?? []
  if (first === undefined)
    return 'The last valid content stays in force. Type status in the hookline terminal for the file and the line.'
  const more = others.length === 0 ? '' : ` And ${others.length} more: type status in the hookline terminal.`
  return `${first.file}: ${first.message}${more}`
}

function switchedOff(flags: ConsoleState['flags']): BannerText | undefined {
  if (flags?.remoteExec === false) {
    return {
      tone: 'warn',
      title: 'Remote runs are off.',
      text: 'Hooks run nothing, and no page can trade, cancel, close or flatten; the hookline terminal can. `switch on remoteExec` there turns them on.',
    }
  }
  if (flags?.accountSync === false) {
    return {
      tone: 'warn',
      title: 'Accounts are off.',
      text: 'No page sees balances, positions or orders; commands and hooks still run. `switch on accountSync` in the hookline terminal turns them on.',
    }
  }
  return undefined
}

function ofPrices(
  guard: string | undefined,
  trouble: ReturnType<typeof troubleOf>,
  clock: (ms: number) => string,
): BannerText | undefined {
  if (trouble?.problem !== undefined) {
    return { tone: 'stale-tone', title: `${trouble.account} does not answer.`, text: trouble.problem }
  }
  if (trouble?.isStale) {
    const since = trouble.since === undefined ? '' : ` since ${clock(trouble.since)}`
    return {
      tone: 'stale-tone',
      title: 'Prices are stale.',
      text: `The exchange of ${trouble.account} has sent no prices${since}. Waits, tasks and copying pause until prices return.`,
    }
  }
  if (guard === 'reducing') {
    return { tone: 'warn', title: 'Reducing.', text: 'Only orders that shrink a position go through.' }
  }
  return undefined
}
