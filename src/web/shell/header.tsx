// The header: what commands of this tab run on, what it is worth, what is switched off, the way out, and whether there is a connection.
import { useEffect, useRef, useState } from 'react'
import { Link } from 'wouter'
import type { Portfolio } from '../../protocol/frames.ts'
import { PartBoundary } from '../components/boundary.tsx'
import { Gain, Money, Price } from '../components/figure.tsx'
import { HeldButton } from '../components/held-button.tsx'
import { Icon, Mark } from '../components/icon.tsx'
import { Card, usePopover } from '../components/popover.tsx'
import { ConnectionBadge } from '../connection/connection-badge.tsx'
import { changeOf, compareFigures, openOf, percentOf, placeBetween, showPrice, showTime, toneOf } from '../figures.ts'
import { markSeen, noticeText, useNotices } from '../notifications/notices.ts'
import {
  type ConsoleState,
  heldUp,
  isFresh,
  isLive,
  isOldHere,
  PANIC_ENDS,
  scopeOf,
  shownPortfolio,
  shownPrice,
  troubleOf,
  whyNoCommands,
} from '../state/console-state.ts'
import { useDeskStore } from '../state/desk-store.ts'
import { useConsole, useDesk, useDeskParts } from '../state/use-console.ts'
import { AccountSwitch, SymbolSwitch } from './account-symbol-picker.tsx'
import { Flatten } from './flatten.tsx'

export function Header() {
  return (
    <header className="surface gap-2 row head" data-region="Header" tabIndex={-1}>
      <h1 className="rigid centred grid mark">
        <Mark />
        <span className="visually-hidden">hookline</span>
      </h1>
      <PartBoundary name="Account">
        <AccountSwitch />
      </PartBoundary>
      <PartBoundary name="Symbol">
        <SymbolSwitch />
      </PartBoundary>
      <PartBoundary name="Price">
        <PricePart />
      </PartBoundary>
      <PartBoundary name="State">
        <Guards />
      </PartBoundary>
      <span className="fill head-space" />
      <FindButton />
      <PartBoundary name="Worth">
        <Worth />
      </PartBoundary>
      <PartBoundary name="Switches">
        <Lamps />
      </PartBoundary>
      <Flatten />
      <PartBoundary name="Notices">
        <Bell />
      </PartBoundary>
      <PartBoundary name="Connection">
        <ConnectionBadge />
      </PartBoundary>
    </header>
  )
}

/** Keeps its place while nothing is known; the last give way where there is no room. */
function Worth() {
  const portfolio = shownPortfolio(useDeskParts('focus', 'portfolio', 'chosen', 'tabPortfolio'))
  const today = useToday(portfolio)
  const isOld = useDesk(isOldHere)
  const open = portfolio && openOf(portfolio.balance)
  return (
    <dl className="nowrap row head-figures">
      <div>
        <dt title="Of open positions, which equity counts">Open PnL</dt>
        <dd>{open === undefined ? '–' : <Gain text={open} isStale={isOld} />}</dd>
      </div>
      <div>
        <dt title="Realized since midnight here, after fees and funding">Net today</dt>
        <dd>{today === undefined ? '–' : <Gain text={today} isStale={isOld} />}</dd>
      </div>
      <div>
        <dt>Equity</dt>
        <dd title={portfolio?.balance.currency}>
          {portfolio ? <Money text={portfolio.balance.total} isStale={isOld} /> : '–'}
        </dd>
      </div>
    </dl>
  )
}

const GUARD_TITLES: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({
    panic: `hooks and pages run nothing. ${PANIC_ENDS}`,
    halted: 'only cancels, `close` and reduce-only orders are sent; `resume` in the hookline terminal ends it',
    reducing: 'only orders that reduce a position are sent; `resume` in the hookline terminal ends it',
  }),
)

/** The reasons for refused orders and stale figures, a word each. */
function Guards() {
  const isStale = useDesk((state) => troubleOf(state)?.isStale === true)
  const problem = useDesk((state) => troubleOf(state)?.problem)
  const guard = useDesk((state) => (state.flags?.panic === undefined ? heldUp(state).guard : 'panic'))
  const isSimulated = useDesk((state) => heldUp(state).simulated === true)
  const isConnected = useDesk(isLive)
  if (!isConnected) return null
  return (
    <span className="guards" role="status" aria-label="State of the account">
      {guard !== undefined && (
        <span className="tag bad" title={GUARD_TITLES.get(guard) ?? 'orders of this account are held up'}>
          {guard}
        </span>
      )}
      {isSimulated && (
        <span
          className="tag warn"
          title="orders of this account are worked out and not sent; `sim off` in the terminal ends it"
        >
          simulated
        </span>
      )}
      {isStale && (
        <span className="tag" title="the exchange has sent nothing for too long: the figures may be out of date">
          stale
        </span>
      )}
      {problem !== undefined && (
        <span className="tag bad" title={problem}>
          does not answer
        </span>
      )}
    </span>
  )
}

function FindButton() {
  return (
    <button
      type="button"
      className="boxed round row muted find"
      aria-label="Find or run"
      title="Find or run (Ctrl K)"
      onClick={() => useDeskStore.setState({ isPaletteOpen: true })}
    >
      <Icon name="search" size={18} />
      <span className="fill at-start">Find or run</span>
    </button>
  )
}

// --- the price: what the symbol of this tab was last traded at, which way it went, and where that is in the last 24 hours.

/** Of the symbol that this tab shows; nothing where hookline does not say it. */
function PricePart() {
  const price = shownPrice(useDeskParts('focus', 'portfolio', 'chosen', 'tabPortfolio', 'market'))
  const tick = useDesk(({ market }) => market?.market?.tick)
  const isOld = useDesk(isOldHere)
  const turn = useTurn(price?.last)
  const isStale = isOld || price?.isStale === true
  return (
    <div className="rigid nowrap price-block">
      {price && (
        <p className="price">
          <span className="visually-hidden">Last price </span>
          {/* A new element for each turn: its colour begins anew. */}
          <span key={turn.count} className="price-turn" data-turn={isStale ? undefined : turn.way}>
            <Price text={price.last} like={tick ?? price.last} isStale={isStale} />
          </span>
        </p>
      )}
      {price && <Day last={price.last} tick={tick ?? price.last} isStale={isStale} />}
    </div>
  )
}

interface Turn {
  readonly last: string | undefined
  readonly way: 'up' | 'down' | undefined
  readonly count: number
}

/** Which way the price went when it last changed. */
function useTurn(last: string | undefined): Turn {
  const turn = useRef<Turn>({ last, way: undefined, count: 0 })
  const { last: before, count } = turn.current
  if (last !== before) {
    const order = last === undefined || before === undefined ? 0 : compareFigures(last, before)
    turn.current = { last, way: order === 0 ? undefined : order > 0 ? 'up' : 'down', count: count + 1 }
  }
  return turn.current
}

/** Candles tell the beginning to 15 minutes. */
const WHOLE_DAY_MS = 23.5 * 3_600_000

function Day({ last, tick, isStale }: { readonly last: string; readonly tick: string; readonly isStale: boolean }) {
  const market = useDesk((state) => state.market)
  const day = market?.ticker?.last === last ? market.day : undefined
  const change = changeOf(day?.open, last)
  if (day === undefined || change === undefined) return null
  const now = Date.now()
  // A replay, or a new market, has less.
  const span = now - day.since > WHOLE_DAY_MS ? 'In the last 24 hours' : `Since ${showTime(day.since, now)}`
  const tone = toneOf(change)
  const [low, high] = [showPrice(day.low, tick), showPrice(day.high, tick)]
  const sign = tone === 'gain' ? '+' : tone === 'loss' ? '−' : ''
  return (
    <dl className="text-1 row day" data-stale={isStale} title={`${span}: ${low} to ${high}`}>
      <div className={`day-change ${tone}`}>
        <dt className="visually-hidden">{span}</dt>
        <dd className="figure">{`${sign}${change.replace('-', '')} %`}</dd>
      </div>
      {day.fundingRate !== undefined && (
        <div
          className="gap-3 row muted wide-only"
          title={day.fundingAt === undefined ? undefined : `Next funding at ${showTime(day.fundingAt, now)}`}
        >
          <dt>Funding</dt>
          <dd className="figure">{`${percentOf(day.fundingRate)} %`}</dd>
        </div>
      )}
      <div className="gap-3 muted day-range">
        <dt className="visually-hidden">Lowest, highest</dt>
        <dd className="figure">{low}</dd>
        <dd className="soft relative day-bar" aria-hidden="true">
          <span style={{ left: `${placeBetween(day.low, day.high, last) * 100}%` }} />
        </dd>
        <dd className="figure">{high}</dd>
      </div>
    </dl>
  )
}

// --- what the shown account has made since midnight, as hookline counts it: asked anew when positions or orders change, and twice a minute.

const EVERY_MS = 30_000

/** @returns money in the account's currency; undefined: hookline sends none */
function useToday(portfolio: Portfolio | undefined): string | undefined {
  const console = useConsole()
  const isConnected = useDesk(isLive)
  const [made, setMade] = useState<{ readonly account: string; readonly net: string }>()
  const account = portfolio?.account
  const currency = portfolio?.balance.currency
  // Every fill changes one of them.
  const wallet = portfolio?.balance.wallet
  // biome-ignore lint/correctness/useExhaustiveDependencies: the wallet says when to ask again
  useEffect(() => {
    if (!isConnected || account === undefined) return undefined
    let isOver = false
    const look = async () => {
      const from = new Date().setHours(0, 0, 0, 0)
      const answer = await console.ask.pnl({ by: 'day', account, from }).catch(() => undefined)
      if (isOver) return
      const net = answer?.total.sums.find((sums) => sums.currency === currency)?.net
      setMade(answer && { account, net: net ?? '0' })
    }
    void look()
    const timer = setInterval(() => void look(), EVERY_MS)
    return () => {
      isOver = true
      clearInterval(timer)
    }
  }, [console, isConnected, account, currency, wallet])
  return made?.account === account ? made?.net : undefined
}

// --- notices: how many are new, and the list

const ICONS = { info: 'check', warn: 'warning', error: 'cross' } as const

function Bell() {
  const popover = usePopover()
  const notices = useNotices((state) => state.notices)
  const account = useDesk((state) => scopeOf(state)?.account)
  const unseen = notices.filter(({ isSeen }) => !isSeen).length
  return (
    <>
      <button
        type="button"
        className="relative button icon bell"
        aria-label={unseen === 0 ? 'Notices' : `Notices, ${unseen} new`}
        title="Notices"
        onClick={() => markSeen()}
        {...popover.button}
      >
        <Icon name="bell" />
        {unseen > 0 && <span className="round text-1 bell-count">{unseen}</span>}
      </button>
      <Card popover={popover} label="Notices">
        <h2>Notices</h2>
        {notices.length === 0 && <p>No notices.</p>}
        <ul className="notices">
          {notices.map(({ id, at, tone, href, times, ...notice }) => (
            <li key={id} className="top row">
              <Icon name={ICONS[tone]} size={16} />
              <p className="breaks">
                {noticeText(notice, account)}
                {times > 1 && ` ×${times}`} <span className="figure">{showTime(at, Date.now())}</span>{' '}
                {href !== undefined && (
                  <Link href={href} onClick={popover.close}>
                    Open
                  </Link>
                )}
              </p>
            </li>
          ))}
        </ul>
      </Card>
    </>
  )
}

// --- The three switches that stop money, as lamps: what each does, and the way to turn it off. Turning on takes the terminal.

type Flag = 'listener' | 'remoteExec' | 'accountSync'

interface Lamp {
  readonly flag: Flag
  readonly name: string
  /** The subject of its sentences. */
  readonly subject: string
  readonly isPlural: boolean
  readonly does: string
  readonly off: string
}

const LAMPS: readonly Lamp[] = [
  {
    flag: 'listener',
    name: 'Listener',
    subject: 'The listener',
    isPlural: false,
    does: 'Pages and hooks reach hookline through it.',
    off: 'Off: every page is disconnected and every fire is refused. Orders and positions at the exchange stay.',
  },
  {
    flag: 'remoteExec',
    name: 'Remote runs',
    subject: 'Remote runs',
    isPlural: true,
    does: 'Hooks and approved pages may run commands.',
    off: 'Off: hooks run nothing, and no page can trade, cancel, close or flatten. Flatten first if you need to. Orders and positions at the exchange stay.',
  },
  {
    flag: 'accountSync',
    name: 'Accounts',
    subject: 'Accounts',
    isPlural: true,
    does: 'Pages see accounts, balances and positions.',
    off: 'Off: no page shows them. Commands and hooks still run.',
  },
]

function Lamps() {
  return (
    <fieldset className="boxed rigid gap-1 nowrap row lamps">
      <legend className="visually-hidden">Switches of hookline</legend>
      {LAMPS.map((lamp) => (
        <LampSwitch key={lamp.flag} lamp={lamp} />
      ))}
    </fieldset>
  )
}

type LampState = 'on' | 'off' | 'panic' | 'not known'

/** Panic runs nothing of hooks and pages, whatever the switch says. */
export function lampOf(
  state: Pick<ConsoleState, 'connection' | 'silentSince' | 'unread' | 'flags'>,
  flag: Flag,
): LampState {
  const isOn = flag === 'listener' ? true : state.flags?.[flag]
  if (!isFresh(state) || isOn === undefined) return 'not known'
  if (flag === 'remoteExec' && state.flags?.panic !== undefined) return 'panic'
  return isOn ? 'on' : 'off'
}

function LampSwitch({ lamp }: { readonly lamp: Lamp }) {
  const popover = usePopover()
  const is = useDesk((state) => lampOf(state, lamp.flag))
  return (
    <>
      <button
        type="button"
        role="switch"
        className="text-2 row lamp"
        aria-checked={is === 'on'}
        data-unknown={is === 'not known'}
        aria-label={`${lamp.name}: ${is}`}
        title={`${lamp.name}: ${is}`}
        {...popover.button}
      >
        <span className="lamp-name">
          {lamp.flag === 'remoteExec' ? (
            <>
              <span className="lamp-more">Remote </span>runs
            </>
          ) : (
            lamp.name
          )}
          {is !== 'on' && ` ${is === 'not known' ? '?' : is}`}
        </span>
      </button>
      <Card popover={popover} label={lamp.name}>
        {popover.isOpen && <LampCard lamp={lamp} is={is} close={popover.close} />}
      </Card>
    </>
  )
}

interface LampCardProps {
  readonly lamp: Lamp
  readonly is: LampState
  readonly close: () => void
}

function LampCard({ lamp, is, close }: LampCardProps) {
  const console = useConsole()
  const noCommands = useDesk(whyNoCommands)
  const isConnected = useDesk(isLive)
  const { subject, isPlural, does, off, name } = lamp
  const verb = isPlural ? 'are' : 'is'
  const turnOff = () => {
    close()
    void console.turnOff(lamp.flag)
  }
  return (
    <>
      <h2>
        {is === 'not known'
          ? `Not known: ${isConnected ? 'hookline does not answer' : 'this page is not connected'}`
          : `${subject} ${verb} ${is === 'panic' ? 'held by panic' : is}`}
      </h2>
      <p>{is === 'panic' ? `Hooks and pages run nothing. ${PANIC_ENDS}` : `${does} ${off}`}</p>
      {/* A hookline that is silent may still read. */}
      {(is === 'on' || (is === 'not known' && isConnected)) && (
        <HeldButton
          className="button danger wide"
          disabled={noCommands !== undefined}
          title={noCommands}
          onHeld={turnOff}
          question={{
            title: `Turn ${name} off?`,
            body: <p>{off}</p>,
            yes: 'Turn it off',
            no: 'Leave it on',
            isDestructive: true,
          }}
        >
          Hold to turn off
        </HeldButton>
      )}
      {is !== 'panic' && (
        <p>
          Only the hookline terminal turns it on again: <code>{onLine(lamp.flag)}</code>
        </p>
      )}
    </>
  )
}

function onLine(flag: Flag): string {
  return `switch on ${flag === 'listener' ? 'enabled' : flag}`
}
