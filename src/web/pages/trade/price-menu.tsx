// What a price is for: a right click, a long press, or the menu key on the chart and on the book. Orders go into the ticket; alerts and hooks are
// lines, each shown with what it would do before it is sent.
import {
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { typedLine } from '../../../language/print.ts'
import { indexAfter } from '../../components/arrow-keys.ts'
import { compareFigures, showPrice } from '../../figures.ts'
import { whyNoCommands } from '../../state/console-state.ts'
import { NARROW, useDesk, useMedia } from '../../state/use-console.ts'
import { type LineAction, useLineQuestion } from './line-button.tsx'
import { stepFigure } from './price-steps.ts'
import { editTicket, openTicket, type Ticket, useTicket } from './ticket/ticket.ts'
import type { MarketView } from './use-market.ts'

// The lines at a price. Pure.

/** @param last absent: the price is taken as above it */
function isAbove(price: string, last: string | undefined): boolean {
  return last === undefined || compareFigures(price, last) >= 0
}

export function alertLine(symbol: string, price: string, last: string | undefined): string | undefined {
  return isAbove(price, last) ? typedLine`alert ${symbol} > ${price}` : typedLine`alert ${symbol} < ${price}`
}

/** For a person to put right. @param command that it runs */
export function hookLine(
  symbol: string,
  price: string,
  { last, command, account }: { readonly last: string | undefined; readonly command: string; readonly account: string },
): string | undefined {
  const name = `${symbol}-${price}`.replace(/[^A-Za-z0-9]+/g, '-').toLowerCase()
  const sign = isAbove(price, last) ? '>' : '<'
  return typedLine`hook create ${name} ${command} --account ${account} --when ${`${symbol} last ${sign} ${price}`}`
}

/** An order at the price, as the ticket has it: a limit where it would rest, a stop where it would fill at once. */
export function ticketAt(side: Ticket['side'], price: string, last: string | undefined): Partial<Ticket> {
  const rests = (side === 'buy') === !isAbove(price, last)
  return rests ? { side, kind: 'limit', price } : { side, kind: 'stop', aim: 'enter', trigger: price }
}

// The menu.

interface Point {
  readonly price: string
  /** In the window, px. */
  readonly left: number
  readonly top: number
  readonly actions: readonly LineAction[]
}

interface PriceMenuOptions {
  /** Where the presses are. */
  readonly element: RefObject<HTMLElement | null>
  /** @param y px from the top of the element @param target what was pressed */
  readonly priceAt: (y: number, target: Element) => string | undefined
  readonly view: Pick<MarketView, 'account' | 'symbol' | 'market' | 'ticker'>
  /** What there is to do with the lines at a point, px from the left and the top of the element. */
  readonly actionsAt?: (left: number, top: number) => readonly LineAction[] | undefined
  /** Absent: no lines are drawn here. */
  readonly onLine?: (price: string) => void
}

/** @returns the menu, to be put beside the element */
export function usePriceMenu({ element, priceAt, actionsAt, view, onLine }: PriceMenuOptions): ReactNode {
  const [point, setPoint] = useState<Point>()
  const last = view.ticker?.last
  const newest = useRef(last)
  useEffect(() => {
    newest.current = last
  })
  const close = useCallback(() => {
    setPoint(undefined)
    element.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus()
    element.current?.focus()
  }, [element])
  const open = useCallback(
    (left: number, top: number, target: Element) => {
      const { left: x = 0, top: y = 0 } = element.current?.getBoundingClientRect() ?? {}
      const price = priceAt(top - y, target) ?? newest.current
      const actions = actionsAt?.(left - x, top - y) ?? []
      if (price !== undefined) setPoint({ price, left, top, actions: actions.slice(0, MAX_ACTIONS) })
    },
    [element, priceAt, actionsAt],
  )
  useMenuPresses(element, open)
  return point && <PriceMenu point={point} view={view} onLine={onLine} onClose={close} />
}

const MAX_ACTIONS = 6
const LONG_PRESS_MS = 500
const SLACK_PX = 8

/** A browser's own menu comes at a right click and at the menu key; fingers are timed, for not every browser has it for them. */
function useMenuPresses(
  element: RefObject<HTMLElement | null>,
  open: (left: number, top: number, target: Element) => void,
): void {
  useEffect(() => {
    const area = element.current
    if (area === null) return undefined
    let timer: ReturnType<typeof setTimeout> | undefined
    let from = { x: 0, y: 0 }
    let isOpened = false
    const end = () => clearTimeout(timer)
    const begin = (event: PointerEvent) => {
      end()
      isOpened = false
      const { target, clientX: x, clientY: y } = event
      if (event.pointerType !== 'touch' || !(target instanceof Element)) return
      from = { x, y }
      timer = setTimeout(() => {
        isOpened = true
        open(x, y, target)
      }, LONG_PRESS_MS)
    }
    const move = ({ clientX, clientY }: PointerEvent) => {
      if (Math.hypot(clientX - from.x, clientY - from.y) > SLACK_PX) end()
    }
    const menu = (event: MouseEvent) => {
      if (!(event.target instanceof Element)) return
      event.preventDefault()
      if (isOpened) return
      end()
      const isTouch = event instanceof PointerEvent && event.pointerType === 'touch'
      if (event.button === 2 || isTouch) return open(event.clientX, event.clientY, event.target)
      // By the keyboard: beside what has the focus.
      const { left, top, width, height } = event.target.getBoundingClientRect()
      open(left + width / 2, event.target === area ? Number.NaN : top + height / 2, event.target)
    }
    /** The click after a long press is dropped. */
    const click = (event: MouseEvent) => {
      if (!isOpened) return
      isOpened = false
      event.preventDefault()
      event.stopPropagation()
    }
    const stop = new AbortController()
    const { signal } = stop
    area.addEventListener('pointerdown', begin, { signal, capture: true })
    area.addEventListener('pointermove', move, { signal })
    for (const name of ['pointerup', 'pointercancel'] as const) area.addEventListener(name, end, { signal })
    area.addEventListener('contextmenu', menu, { signal })
    area.addEventListener('click', click, { signal, capture: true })
    return () => {
      stop.abort()
      end()
    }
  }, [element, open])
}

interface PriceMenuProps extends Pick<PriceMenuOptions, 'view'> {
  readonly point: Point
  readonly onLine: ((price: string) => void) | undefined
  readonly onClose: () => void
}

const EDGE_PX = 8
const MANY = 10

function PriceMenu({ point, view, onLine, onClose }: PriceMenuProps) {
  const { account, symbol, market, ticker } = view
  const menu = useRef<HTMLDivElement>(null)
  const [price, setPrice] = useState(point.price)
  const ask = useLineQuestion()
  const isNarrow = useMedia(NARROW)
  const noCommands = useDesk(whyNoCommands)
  const last = ticker?.last
  const tick = market?.tick ?? '0.1'
  useLayoutEffect(() => {
    const element = menu.current
    if (element === null) return undefined
    element.showPopover()
    place(element, point)
    element.querySelector<HTMLElement>('.menu-item')?.focus()
    // A press elsewhere closes it. A popover of type auto would close at the end of the press that opened it.
    const leave = ({ target }: PointerEvent) => target instanceof Node && !element.contains(target) && onClose()
    addEventListener('pointerdown', leave, { capture: true })
    return () => removeEventListener('pointerdown', leave, { capture: true })
  }, [point, onClose])
  const order = (side: Ticket['side']) => {
    const change = ticketAt(side, price, last)
    if (isNarrow) openTicket(side)
    editTicket(change)
  }
  const scope = { account, symbol }
  const at = showPrice(price, tick)
  const isValid = /^\d+(?:\.\d+)?$/.test(price) && /[1-9]/.test(price)
  const ordered = (side: Ticket['side']) => (ticketAt(side, price, last).kind === 'limit' ? 'limit' : 'stop')
  const items = [
    { title: `Buy ${ordered('buy')} here`, note: 'ticket', act: () => order('buy') },
    { title: `Sell ${ordered('sell')} here`, note: 'ticket', act: () => order('sell') },
    {
      title: 'Alert here',
      note: alertLine(symbol, price, last),
      isRun: true,
      act: () => void ask({ name: `Alert at ${at}`, line: alertLine(symbol, price, last), scope }),
    },
    {
      title: 'Hook here',
      note: 'paused until resumed',
      isRun: true,
      act: async () => {
        // With the grammar, which the chart does without.
        const written = (await import('./ticket/ticket-line.ts')).lineOf(useTicket.getState(), symbol)
        const command = 'line' in written ? written.line : `buy $100 ${symbol}`
        void ask({
          name: `Hook at ${at}`,
          line: hookLine(symbol, price, { last, command, account }),
          scope,
          isDraft: true,
        })
      },
    },
    ...(onLine === undefined ? [] : [{ title: 'Line here', note: 'kept in this browser', act: () => onLine(price) }]),
    ...point.actions.map((action) => ({
      title: action.name,
      note: action.line,
      isRun: true,
      act: () => void ask({ ...action, scope }),
    })),
  ]
  const press = (event: KeyboardEvent<HTMLElement>) => {
    const all = [...event.currentTarget.querySelectorAll<HTMLElement>('.menu-item')]
    const isInField = event.target instanceof HTMLInputElement
    const step = isInField ? { ArrowUp: 1, ArrowDown: -1 }[event.key] : undefined
    const to = indexAfter('menu', event, all.indexOf(document.activeElement as HTMLElement), all.length)
    if (event.key === 'Escape' || event.key === 'Tab') onClose()
    else if (step !== undefined) setPrice(stepFigure(price, tick, event.shiftKey ? step * MANY : step))
    else if (!isInField && to !== undefined) all[to]?.focus()
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <div
      ref={menu}
      className="menu"
      popover="manual"
      role="dialog"
      aria-label={`At ${at}`}
      onKeyDown={press}
      onContextMenu={(event) => event.preventDefault()}
    >
      <label className="row text-2 menu-title">
        <span className="nowrap muted">{`${symbol} at`}</span>
        <input
          className="numeric"
          inputMode="decimal"
          autoComplete="off"
          value={price}
          onChange={({ target }) => setPrice(target.value.trim())}
        />
      </label>
      {items.map(({ title, note, isRun, act }, index) => (
        <button
          key={title}
          type="button"
          className="round full at-start row menu-item"
          tabIndex={index === 0 ? 0 : -1}
          disabled={!isValid || (isRun === true && noCommands !== undefined)}
          title={isRun === true ? noCommands : undefined}
          onClick={() => {
            onClose()
            void act()
          }}
        >
          <span className="fill nowrap">{title}</span>
          <span className="text-1 muted mono cut">{note}</span>
        </button>
      ))}
    </div>
  )
}

/** Beside the point, inside the window. */
function place(element: HTMLElement, { left, top }: Point): void {
  const { offsetWidth: width, offsetHeight: height } = element
  element.style.left = `${Math.max(EDGE_PX, Math.min(left, innerWidth - width - EDGE_PX))}px`
  const wanted = Number.isNaN(top) ? innerHeight / 3 : top
  element.style.top = `${Math.max(EDGE_PX, Math.min(wanted, innerHeight - height - EDGE_PX))}px`
}
