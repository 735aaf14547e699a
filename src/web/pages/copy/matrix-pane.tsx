// The matrix: a line for each master and symbol, a column for each account, a card where they meet. One tab stop; the arrows go from line to
// line and into its cards.
import { useRef } from 'react'
import { useSearchParams } from 'wouter'
import { defined } from '../../../base/defined.ts'
import type { CopierStateRow } from '../../../protocol/frames.ts'
import { useRoving } from '../../components/arrow-keys.ts'
import { Empty, Nothing, Pane } from '../../components/pane.tsx'
import { showFigure } from '../../figures.ts'
import type { CrossTrade } from '../../state/console-state.ts'
import { useDesk } from '../../state/use-console.ts'
import {
  columnsOf,
  type Divergence,
  type Draft,
  divergenceOf,
  firstLine,
  type Master,
  mastersOf,
  modeTitle,
  type Pair,
  standingOf,
  weightText,
} from './pairs.ts'

interface MatrixPaneProps {
  readonly engine: CrossTrade | undefined
  readonly pairs: readonly Pair[]
  readonly view: PairView
}

const NO_ACCOUNTS: readonly { readonly name: string }[] = []

export function MatrixPane({ engine, pairs, view }: MatrixPaneProps) {
  const accounts = useDesk((state) => state.accounts) ?? NO_ACCOUNTS
  const columns = columnsOf(
    pairs,
    accounts.map(({ name }) => name),
  )
  const add = (
    <button type="button" className="button small" disabled={engine === undefined} onClick={() => view.add({})}>
      Add a pair
    </button>
  )
  return (
    <Pane id="matrix" of="state:cross-trade" title="Who copies whom" actions={add}>
      {engine === undefined && <Nothing what="Pairs" rows={3} />}
      {engine !== undefined && pairs.length === 0 && (
        <Empty title="No copies yet" {...defined({ line: firstLine(accounts) })}>
          {firstLine(accounts) === undefined
            ? 'A pair makes one account copy the trades of another, by a weight. It takes a second account: type `account add` in the hookline terminal.'
            : 'A pair makes one account copy the trades of another, by a weight. A new pair is off until it is turned on in the hookline terminal.'}
        </Empty>
      )}
      {engine !== undefined && pairs.length > 0 && (
        <Matrix masters={mastersOf(pairs)} columns={columns} isRunning={engine.running} view={view} />
      )}
    </Pane>
  )
}

interface MatrixProps {
  readonly masters: readonly Master[]
  readonly columns: readonly string[]
  readonly isRunning: boolean
  readonly view: PairView
}

function Matrix({ masters, columns, isRunning, view }: MatrixProps) {
  const scroller = useRef<HTMLElement>(null)
  const roving = useRoving(scroller, 'tbody tr[data-key]')
  return (
    <section className="scrolls relative table-scroll" aria-label="Who copies whom, table" ref={scroller} {...roving}>
      <table className="data-table matrix" aria-label="Who copies whom">
        <thead>
          <tr>
            <th scope="col">Master</th>
            {columns.map((account) => (
              <th key={account} scope="col">
                {account}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {masters.map((master) => (
            <tr key={master.key} data-key={master.key} tabIndex={-1}>
              <th scope="row">
                <span className="strong matrix-name">{master.account}</span>
                <div className="muted">{master.symbol ?? 'every symbol'}</div>
              </th>
              {columns.map((account) => (
                <td key={account}>
                  <Cell master={master} account={account} isRunning={isRunning} view={view} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

interface CellProps extends Pick<MatrixProps, 'isRunning' | 'view'> {
  readonly master: Master
  readonly account: string
}

function Cell({ master, account, isRunning, view }: CellProps) {
  const pairs = master.pairs.filter(({ copier }) => copier.account === account)
  if (account === master.account && pairs.length === 0)
    return <span className="faint centred grid cell-itself">itself</span>
  if (pairs.length > 0)
    return pairs.map((pair) => (
      <PairCard
        key={pair.key}
        pair={pair}
        isRunning={isRunning}
        isOpen={view.open === pair.key}
        onOpen={() => view.show(pair.key)}
      />
    ))
  const symbol = defined({ masterSymbol: master.symbol })
  return (
    <button
      type="button"
      className="boxed round gap-2 full high stack cell-add"
      aria-label={`Let ${account} copy ${master.account}${master.symbol === undefined ? '' : ` ${master.symbol}`}`}
      onClick={() => view.add({ masterAccount: master.account, account, ...symbol })}
    >
      + copy
    </button>
  )
}

// One pair in the matrix: its weight, the position it should hold and holds, their difference, and its state, each in words.

interface PairCardProps {
  readonly pair: Pair
  readonly isRunning: boolean
  readonly isOpen: boolean
  readonly onOpen: () => void
}

function PairCard({ pair, isRunning, isOpen, onOpen }: PairCardProps) {
  const { row, copier, states } = pair
  const { tone, word, why } = standingOf(pair, isRunning)
  const [first, ...others] = isRunning && row.enabled ? states : []
  return (
    <button
      type="button"
      className="boxed round relative gap-2 full at-start stack pair-card"
      aria-current={isOpen}
      data-pair={pair.key}
      onClick={onOpen}
    >
      <span className="cluster pair-line">
        <span className="clips strong pair-copier">{copier.account}</span>
        <b className="figure">{weightText(row, copier)}</b>
        <span className="muted">{modeTitle(copier.mode)}</span>
        <span className={`tag ${tone}`}>{word}</span>
      </span>
      {copier.symbol !== undefined && <span className="muted">{`onto ${copier.symbol}`}</span>}
      {first !== undefined && <Held state={first} isNamed={others.length > 0} />}
      {others.length > 0 && <span className="muted">{othersWords(others)}</span>}
      {why !== undefined && <span className="text-2 muted">{why}</span>}
    </button>
  )
}

/** @param isNamed several symbols are copied: this is one of them */
function Held({ state, isNamed }: { readonly state: CopierStateRow; readonly isNamed: boolean }) {
  const { symbol, desired, owned } = state
  const divergence = divergenceOf(desired, owned)
  return (
    <>
      <span className="spread cluster pair-line">
        {isNamed && <span>{symbol}</span>}
        <span>
          <span className="muted">should hold</span> <span className="figure">{showFigure(desired)}</span>
        </span>
        <span>
          <span className="muted">holds</span> <span className="figure">{showFigure(owned)}</span>
        </span>
      </span>
      {divergence && <Gauge divergence={divergence} />}
      {divergence && <span className={`toned ${divergence.tone}`}>{divergence.words}</span>}
    </>
  )
}

/** Full: on target. The words below it say the same. */
export function Gauge({ divergence: { part, tone } }: { readonly divergence: Divergence }) {
  return (
    <span className="soft clips gauge" aria-hidden="true">
      <span className={`high gauge-part ${tone}`} style={{ width: `${(part * 100).toFixed(1)}%` }} />
    </span>
  )
}

function othersWords(others: readonly CopierStateRow[]): string {
  const off = others.filter(({ desired, owned }) => divergenceOf(desired, owned)?.tone !== 'good').length
  const count = others.length === 1 ? '1 symbol more' : `${others.length} symbols more`
  return off === 0 ? `${count}, on target` : `${count}, ${off} off target`
}

// Which pair is open: it is in the address, so that a link shows what its sender saw.

const NEW = 'new'

export interface PairView {
  /** The key of the open pair; undefined: none is, or a new one. */
  readonly open: string | undefined
  /** The known fields of a new pair; undefined: none is being made. */
  readonly adding: Partial<Draft> | undefined
  readonly show: (key: string) => void
  readonly add: (from: Partial<Draft>) => void
  readonly close: () => void
}

export function usePairView(): PairView {
  const [parameters, setParameters] = useSearchParams()
  const pair = parameters.get('pair') ?? undefined
  const known = (['masterAccount', 'masterSymbol', 'account'] as const).flatMap((name) => {
    const value = parameters.get(name)
    return value === null ? [] : [[name, value]]
  })
  return {
    open: pair === NEW ? undefined : pair,
    adding: pair === NEW ? Object.fromEntries(known) : undefined,
    show: (key) => setParameters({ pair: key }),
    add: (from) => setParameters({ pair: NEW, ...from }),
    close: () => setParameters({}),
  }
}
