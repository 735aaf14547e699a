// The ticket: clicks write a line, the line says what it would bring, and the button runs it.

import { type KeyboardEvent, type SyntheticEvent, useEffect, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import { typedLine } from '../../../../language/print.ts'
import type { Preview, PreviewLimit } from '../../../../protocol/preview.ts'
import { CopyButton, LineToType } from '../../../components/copy-button.tsx'
import { MaybeStale } from '../../../components/figure.tsx'
import { Icon } from '../../../components/icon.tsx'
import { Card, usePopover } from '../../../components/popover.tsx'
import { Words } from '../../../components/words.tsx'
import { compareFigures, showFigure, showMoney } from '../../../figures.ts'
import { actOf, sideOf } from '../../../preview/consequences.ts'
import { Consequences, type Previewed, usePreview } from '../../../preview/preview.tsx'
import { isOldHere } from '../../../state/console-state.ts'
import { propose } from '../../../state/desk-store.ts'
import { NARROW, useConsole, useDesk, useMedia } from '../../../state/use-console.ts'
import { useMarket, useTabPortfolio, useTabScope, whyNoTrade } from '../use-market.ts'
import { noteSize } from './quick-sizes.ts'
import {
  closeTicket,
  editTicket,
  isFilled,
  isTooEarly,
  type SentLine,
  sentLine,
  type TicketField,
  type TicketKind,
  useTicket,
} from './ticket.ts'
import { TicketFields } from './ticket-fields.tsx'
import { caretUnder, editLine, type Fault, lineOf } from './ticket-line.ts'
import './ticket.css'

export default function Ticket() {
  const console = useConsole()
  const { view, isStale } = useMarket()
  const scope = useTabScope()
  const state = useTicket()
  usePinnedScope(isFilled(state))
  const [isRunning, setRunning] = useState(false)
  const written = lineOf(state, scope?.symbol ?? '')
  const line = 'line' in written ? written.line : undefined
  const { sent } = state
  const wish = line && JSON.stringify([scope?.account, scope?.symbol, line])
  // Once it was another, the same line is a new wish.
  useEffect(() => {
    if (sent !== undefined && wish !== undefined && sent !== wish) useTicket.setState({ sent: undefined })
  }, [sent, wish])
  const previewed = useShownPreview(line, scope, sent !== undefined && sent === wish)
  const whyNot = useDesk((each) => whyNoTrade(each, scope?.account, isStale))
  const { preview } = previewed
  const canRun = line !== undefined && whyNot === undefined && preview?.ok === true && !isRunning
  const [last, setLast] = useLastSent()
  const repeats = last !== undefined && last.wish === wish && canRun
  const run = async () => {
    if (!canRun || scope === undefined || wish === undefined || wish === '') return
    if (isTooEarly(last, wish, Date.now())) return setLast(sentLine(wish, Date.now()))
    setRunning(true)
    if (state.isFollowed) noteSize(state)
    const isDone = await console.runFromPanel(line, scope).finally(() => {
      setRunning(false)
      setLast(sentLine(wish, Date.now()))
    })
    if (isDone) useTicket.setState({ sent: wish })
    useTicket.setState({ replaced: undefined })
    // The outcome is shown below a sheet: one that stays open looks as if nothing had been sent.
    closeTicket()
  }
  const submit = (event: SyntheticEvent) => {
    event.preventDefault()
    void run()
  }
  const isNarrow = useMedia(NARROW)
  const [isEnterRunning, setEnterRunning] = useState(false)
  /** A choice keeps the focus of the click; the Enter that follows is meant for the order, as its button says. */
  const isByPointer = useRef(false)
  const press = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') {
      isByPointer.current = false
      setEnterRunning(showsEnter(event.target, false))
    }
    const runsOrder = runsOnEnter(event.target, isByPointer.current)
    if (event.key !== 'Enter' || (!runsOrder && !event.repeat)) return
    event.preventDefault()
    // A key that is held is one wish, not many.
    if (event.repeat) return
    if (event.shiftKey) previewed.askNow()
    else void run()
  }
  const fault = 'line' in written ? undefined : written
  const facts = { market: view?.market, last: view?.ticker?.last, fault }
  return (
    <form
      id="order-form"
      tabIndex={-1}
      className="gap-3 stack ticket"
      onSubmit={submit}
      onKeyDown={press}
      onPointerDown={() => (isByPointer.current = true)}
      onFocus={({ target }) => setEnterRunning(showsEnter(target, isByPointer.current))}
      onBlur={() => setEnterRunning(false)}
      aria-label="Order"
    >
      <Funds preview={preview} />
      <TicketFields {...facts} />
      <WrittenLine
        line={line ?? ''}
        fault={isFilled(state) ? fault : undefined}
        errors={preview?.errors}
        symbol={scope?.symbol ?? ''}
      />
      <Consequences {...previewed} isHeld={whyNot !== undefined} />
      <div className="surface ticket-run">
        {whyNot !== undefined && (
          <p className="ticket-why">
            <Words text={whyNot} />
          </p>
        )}
        <button
          type="submit"
          className={`full button run ${lookOf(state, preview)}`}
          disabled={!canRun}
          data-running={isRunning}
        >
          <span className="run-act">
            {preview === undefined ? titleOf(state) : actOf(preview)}
            {scope && (
              <span className="run-account">
                {' '}
                on {scope.account}
                {repeats && (last.isOpen ? ', sent: press again to repeat' : ', sent')}
                {isEnterRunning && canRun && !repeats && !isNarrow && (
                  <>
                    {' '}
                    <kbd>Enter</kbd>
                  </>
                )}
              </span>
            )}
          </span>
        </button>
      </div>
      {preview?.limits && <LimitsBar limits={preview.limits} />}
    </form>
  )
}

/** `isOpen`: it may be sent again. */
function useLastSent() {
  const [last, setLast] = useState<SentLine & { readonly isOpen?: true }>()
  useEffect(() => {
    if (last === undefined || last.isOpen) return undefined
    const timer = setTimeout(() => setLast({ ...last, isOpen: true }), last.closedUntil - Date.now())
    return () => clearTimeout(timer)
  }, [last])
  return [last, setLast] as const
}

/** Whether Enter runs the order from here, and not the button that has the focus. */
function runsOnEnter(target: EventTarget, isByPointer: boolean): boolean {
  return !(target instanceof HTMLButtonElement) || (isByPointer && target.closest('fieldset') !== null)
}

/** The button of the order is pressed by its own Enter. */
function showsEnter(target: EventTarget, isByPointer: boolean): boolean {
  return runsOnEnter(target, isByPointer) || (target instanceof HTMLButtonElement && target.type === 'submit')
}

/** A ticket that is filled in belongs to the account and symbol that it was filled in for. */
function usePinnedScope(isPinned: boolean): void {
  const console = useConsole()
  const scope = useTabScope()
  const chosen = useDesk((state) => state.chosen)
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is chosen may have been given up, and the focus may come late
  useEffect(() => {
    if (isPinned) console.pinScope()
  }, [console, isPinned, chosen, scope?.account, scope?.symbol])
}

/** The chart shows it too, until it is sent. */
function useShownPreview(line: string | undefined, scope: ReturnType<typeof useTabScope>, isSent: boolean): Previewed {
  const previewed = usePreview(line, scope?.account, scope?.symbol)
  const { preview, problem } = previewed
  useEffect(() => {
    useTicket.setState({ preview })
    return () => useTicket.setState({ preview: undefined })
  }, [preview])
  // The orders themselves are drawn in its place.
  const isNone = line === undefined || problem !== undefined || isSent
  useEffect(() => {
    if (isNone) useTicket.setState({ drawn: undefined })
    else if (preview !== undefined) useTicket.setState({ drawn: preview })
  }, [isNone, preview])
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is drawn is of one account and symbol
  useEffect(() => () => useTicket.setState({ drawn: undefined }), [scope?.account, scope?.symbol])
  return previewed
}

type Shown = Parameters<typeof lineOf>[0]

/** A protective stop goes against its position, long or short. A line that the fields do not show has the side of its orders, or none. */
export function lookOf({ kind, aim, side, isFollowed }: Shown, preview: Preview | undefined): string {
  if (!isFollowed) return (preview && sideOf(preview)) ?? 'plain'
  return kind === 'stop' && aim === 'protect' ? 'protect' : side
}

function titleOf(state: Shown): string {
  if (!state.isFollowed) return 'Run the line'
  if (state.kind === 'stop') return 'Place the stop'
  return state.side === 'buy' ? 'Buy' : 'Sell'
}

// Free balance, and the leverage of the symbol.

export function Funds({ preview }: { readonly preview: Preview | undefined }) {
  const portfolio = useTabPortfolio()
  const symbol = useTabScope()?.symbol
  const isOld = useDesk(isOldHere)
  const held = portfolio?.positions.find((position) => position.symbol === symbol)
  const leverage = preview?.orders.find(({ margin }) => margin !== undefined)?.margin?.leverage ?? held?.leverage
  // Its place is kept, so that the fields below do not move.
  if (portfolio === undefined || symbol === undefined) return <p className="baseline row spread text-2 numeric funds" />
  const { free, currency } = portfolio.balance
  return (
    <div className="baseline row spread text-2 numeric funds">
      <span>
        <span className="muted">{isOld ? 'Free, as last seen ' : 'Free '}</span>
        <MaybeStale isStale={isOld}>{showMoney(free)}</MaybeStale> {currency}
      </span>
      <MarginControl symbol={symbol} leverage={leverage} />
    </div>
  )
}

interface MarginControlProps {
  readonly symbol: string
  readonly leverage: string | undefined
}

/** A page may lower the leverage; the rest takes hookline's own terminal, and is copied for it. */
export function MarginControl({ symbol, leverage }: MarginControlProps) {
  const popover = usePopover()
  const line = typedLine`leverage ${symbol} `
  const [cross, isolated] = [typedLine`margin ${symbol} cross`, typedLine`margin ${symbol} isolated`]
  const lower = () => {
    popover.close()
    if (line !== undefined) propose(line)
  }
  return (
    <>
      <button type="button" className="text-1 as-other" title="Leverage and margin mode" {...popover.button}>
        {leverage === undefined ? 'Margin' : `Margin, ${showFigure(leverage)}×`}
      </button>
      <Card popover={popover} label={`Leverage and margin mode of ${symbol}`}>
        <div className="gap-3 grid at-start">
          <h2>Leverage</h2>
          <p>This page can lower the leverage of {symbol}. Only the hookline terminal can raise it.</p>
          <p>
            <button type="button" className="button small" disabled={line === undefined} onClick={lower}>
              Type the leverage
            </button>
          </p>
          <h2>Margin mode</h2>
          <p>Only the hookline terminal sets it. Not every exchange has both modes.</p>
          <LineToType line={cross} label="Cross: the whole balance backs the position." />
          <LineToType line={isolated} label="Isolated: its own margin alone backs it." />
        </div>
      </Card>
    </>
  )
}

// How much of the account's limits the line would use up. The figures are the guard's own; only the width of the bar is worked out here.

const NAMES: ReadonlyMap<string, readonly [name: string, meaning: string]> = new Map([
  ['order', ['Order', 'the value of one order']],
  ['position', ['Position', 'the value of the position, with all that may add to it']],
  ['day', ['Day', 'the value of all orders since 00:00 UTC']],
  ['loss', ['Loss', 'what was lost since 00:00 UTC']],
  ['rate', ['Rate', 'orders in a minute']],
])

export function LimitsBar({ limits }: { readonly limits: readonly PreviewLimit[] }) {
  return (
    <section className="text-1 numeric grid limits" aria-label="Limits">
      {limits.map((limit) => (
        <Limit key={`${limit.account} ${limit.limit}`} limit={limit} />
      ))}
    </section>
  )
}

function Limit({ limit: { limit, max, before, after } }: { readonly limit: PreviewLimit }) {
  const show = (figure: string) => (limit === 'rate' ? showFigure(figure) : dollars(figure))
  const used = after ?? before ?? '0'
  const isOver = compareFigures(used, max) > 0
  const share = shareOf(used, max)
  const state = isOver ? 'over' : share > 0.8 ? 'near' : 'within'
  const [name, means] = NAMES.get(limit) ?? [limit, undefined]
  const text = `${show(used)} of ${show(max)}${isOver ? ', over the limit' : ''}`
  return (
    <div className="grid limit" data-state={state} title={means}>
      <span className="muted">{name}</span>
      <span className="nowrap limit-figures">{text}</span>
      <span className="clips soft raised relative limit-bar" aria-hidden="true">
        <span className="limit-used" style={{ width: `${share * 100}%` }} />
        <span className="limit-before" style={{ width: `${shareOf(before ?? '0', max) * 100}%` }} />
      </span>
    </div>
  )
}

/** Cents say nothing of hundreds. */
function dollars(figure: string): string {
  const text = showMoney(figure)
  return `$${compareFigures(figure, '100') >= 0 ? text.replace(/\.\d\d$/, '') : text.replace(/\.00$/, '')}`
}

/** For the width of a bar: 0 to 1. */
function shareOf(used: string, max: string): number {
  const share = Number(used) / Number(max)
  return Number.isFinite(share) ? Math.min(1, Math.max(0, share)) : 1
}

// The line that the ticket writes: read, copied, kept as a hook, changed by hand.

/** Of fields that are not called as they are titled. */
const TITLES: Readonly<Partial<Record<TicketField, string>>> = {
  trigger: 'stop price',
  lasts: 'duration',
}

export function describeFault({ field, message }: Fault, kind: TicketKind): string {
  const slices = kind === 'twap' ? 'number of slices' : 'number of orders'
  return `${field === 'slices' ? slices : (TITLES[field] ?? field)} is ${message === undefined ? 'missing' : 'invalid'}`
}

interface WrittenLineProps {
  /** Empty: there is none yet. */
  readonly line: string
  /** What keeps it from being written. */
  readonly fault: Fault | undefined
  readonly errors: Preview['errors'] | undefined
  readonly symbol: string
}

export function WrittenLine({ line, fault, errors, symbol }: WrittenLineProps) {
  const typed = useTicket((state) => state.typed)
  const isFollowed = useTicket((state) => state.isFollowed)
  const replaced = useTicket((state) => state.replaced)
  const kind = useTicket((state) => state.kind)
  const [, navigate] = useLocation()
  const pointed = errors?.find(({ column }) => column !== undefined)
  return (
    <div className="round sunken gap-2 grid written" data-by-hand={typed !== undefined}>
      <label className="gap-3 text-2 row muted" htmlFor="ticket-line">
        <Icon name="prompt" size={14} /> Command
      </label>
      <span className="gap-2 row">
        <button
          type="button"
          className="button small"
          disabled={line === ''}
          // By the history and not by the address: no link from elsewhere fills in a hook.
          onClick={() => navigate('/hooks', { state: { command: line } })}
        >
          Save as hook
        </button>
        <CopyButton text={typed ?? line} name="Copy the line" />
      </span>
      <textarea
        id="ticket-line"
        className="full"
        rows={2}
        spellCheck={false}
        autoComplete="off"
        value={typed ?? line}
        placeholder={fault === undefined ? 'buy $1000' : describeFault(fault, kind)}
        aria-describedby={isFollowed ? undefined : 'ticket-by-hand'}
        onChange={({ target }) => editLine(target.value.replaceAll(/[\r\n]+/g, ' '), symbol)}
      />
      {pointed?.column !== undefined && line !== '' && (
        <pre className="clips caret" aria-hidden="true">
          {caretUnder(line, pointed.column)}
        </pre>
      )}
      {!isFollowed && (
        <p className="text-2 toned warn by-hand" id="ticket-by-hand">
          Edited by hand: the fields above do not match it.{' '}
          <button type="button" className="text-1 as-other" onClick={() => editTicket({})}>
            Back to the fields
          </button>
        </p>
      )}
      {replaced !== undefined && (
        <p className="text-2 muted by-hand">
          The fields replaced your line.{' '}
          <button type="button" className="text-1 as-other" title={replaced} onClick={() => editLine(replaced, symbol)}>
            Restore it
          </button>
        </p>
      )}
    </div>
  )
}
