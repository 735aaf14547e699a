// Chart, book, ticket and tables side by side, their edges moved by mouse or arrows; a double click gives a pane its usual size back.
import { type ReactNode, type RefObject, useEffect, useRef } from 'react'
import {
  Group,
  type Layout,
  type LayoutChangedMeta,
  Panel,
  type PanelImperativeHandle,
  Separator,
  usePanelRef,
} from 'react-resizable-panels'
import { layOut, type PaneSizes, useLayout } from '../../state/layout.ts'
import { useMedia } from '../../state/use-console.ts'
import { useBookBeside } from './use-market.ts'

export interface TradePanesProps {
  readonly chart: ReactNode
  readonly book: ReactNode
  readonly ticket: ReactNode
  readonly holdings: ReactNode
}

type PaneName = keyof PaneSizes
const PANES: readonly PaneName[] = ['book', 'ticket', 'tables']
/** A window that grows leaves it as wide as it was. */
const BESIDE = { maxSize: '45%', groupResizeBehavior: 'preserve-pixel-size' } as const
type UsualSizes = Readonly<Record<PaneName, number>>

export default function TradePanes({ chart, book, ticket, holdings }: TradePanesProps) {
  const hasBook = useBookBeside()
  const usual = useUsualSizes()
  const { panes, keep, reset } = usePanes(usual)
  const { sizes } = useLayout.getState()
  const sized = (name: PaneName) => ({
    id: name,
    className: 'stack high trade-pane',
    panelRef: panes[name],
    defaultSize: sizeOf(name, sizes[name] ?? usual[name]),
  })
  return (
    <Group className="trade-panes" onLayoutChanged={keep('ticket')}>
      <Panel id="work" minSize={hasBook ? 480 : 320}>
        <Group orientation="vertical" onLayoutChanged={keep('tables')}>
          <Panel id="market" minSize={200}>
            <Group onLayoutChanged={keep('book')}>
              <Panel id="chart" className="stack high trade-pane" minSize={280}>
                {chart}
              </Panel>
              {hasBook && (
                <>
                  <Edge label="Width of the book" reset={() => reset('book')} />
                  <Panel {...sized('book')} {...BESIDE} minSize={150}>
                    {book}
                  </Panel>
                </>
              )}
            </Group>
          </Panel>
          <Edge label="Height of the tables" reset={() => reset('tables')} />
          <Panel {...sized('tables')} minSize={180}>
            {holdings}
          </Panel>
        </Group>
      </Panel>
      <Edge label="Width of the ticket" reset={() => reset('ticket')} />
      <Panel {...sized('ticket')} {...BESIDE} minSize={270}>
        {ticket}
      </Panel>
    </Group>
  )
}

/** By the window's width. */
function useUsualSizes(): UsualSizes {
  const isLarge = useMedia('(min-width: 1500px)')
  const isVast = useMedia('(min-width: 1920px)')
  if (isVast) return { book: 280, ticket: 390, tables: 0.36 }
  return isLarge ? { book: 226, ticket: 348, tables: 0.38 } : { book: 206, ticket: 312, tables: 0.41 }
}

type Panes = Readonly<Record<PaneName, RefObject<PanelImperativeHandle | null>>>

/** Keeps dragged sizes, and applies sizes that are set elsewhere, such as presets. */
function usePanes(usual: UsualSizes) {
  const [book, ticket, tables] = [usePanelRef(), usePanelRef(), usePanelRef()]
  const panes: Panes = { book, ticket, tables }
  const sizes = useLayout((state) => state.sizes)
  const wanted = {
    book: sizes.book ?? usual.book,
    ticket: sizes.ticket ?? usual.ticket,
    tables: sizes.tables ?? usual.tables,
  }
  const applied = useRef<Partial<UsualSizes>>({})
  useEffect(() => {
    for (const name of PANES) {
      const panel = panes[name].current
      // A panel that has just appeared has its size already, and its group does not know it before the next render.
      if (panel !== null && applied.current[name] !== undefined && applied.current[name] !== wanted[name])
        panel.resize(sizeOf(name, wanted[name]))
      applied.current = { ...applied.current, [name]: panel === null ? undefined : wanted[name] }
    }
  })
  const reset = (name: PaneName) => {
    layOut({ ...useLayout.getState().sizes, [name]: undefined })
    panes[name].current?.resize(sizeOf(name, usual[name]))
  }
  const keep =
    (name: PaneName) =>
    (_: Layout, { isUserInteraction }: LayoutChangedMeta): void => {
      // A frame later it is drawn, and can be measured.
      if (isUserInteraction) requestAnimationFrame(() => measure(name))
    }
  const measure = (name: PaneName) => {
    const size = panes[name].current?.getSize()
    if (size === undefined) return
    const kept = name === 'tables' ? Math.round(size.asPercentage * 10) / 1_000 : Math.round(size.inPixels)
    layOut({ ...useLayout.getState().sizes, [name]: kept })
  }
  return { panes, keep, reset }
}

/** Of the tables a share of the height is kept, of the others their width in px. */
const sizeOf = (name: PaneName, size: number) => (name === 'tables' ? `${size * 100}%` : size)

function Edge({ label, reset }: { readonly label: string; readonly reset: () => void }) {
  return (
    <Separator className="soft rigid relative pane-edge" aria-label={label} disableDoubleClick onDoubleClick={reset} />
  )
}
