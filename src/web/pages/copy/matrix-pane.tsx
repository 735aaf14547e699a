// The matrix: a line for each master and symbol, a column for each account, a card where they meet. One tab stop; the arrows go from line to
// line and into its cards.
import { useRef } from 'react'
import { defined } from '../../../base/defined.ts'
import { Empty } from '../../components/empty.tsx'
import { Nothing, Pane } from '../../components/pane.tsx'
import { useRoving } from '../../components/roving.ts'
import type { CrossTrade } from '../../console-state.ts'
import { useDesk } from '../../use-console.ts'
import { PairCard } from './pair-card.tsx'
import { columnsOf, type Master, mastersOf, type Pair } from './pairs.ts'
import type { PairView } from './use-pair-view.ts'

export interface MatrixPaneProps {
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
        <Empty title="Nobody copies" line="cross-trade add --master paper --symbol BTCUSDT --copier swing --weight 0.5">
          A pair makes one account trade what another does, by a weight. A new pair is off until it is turned on in the
          hookline terminal.
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
    <section className="table-scroll" aria-label="Who copies whom, table" ref={scroller} {...roving}>
      <table className="matrix" aria-label="Who copies whom">
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
                <span className="matrix-name">{master.account}</span>
                <span className="muted">{master.symbol ?? 'every symbol'}</span>
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
  if (account === master.account && pairs.length === 0) return <span className="faint cell-itself">itself</span>
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
      className="cell-add"
      aria-label={`Let ${account} copy ${master.account}${master.symbol === undefined ? '' : ` ${master.symbol}`}`}
      onClick={() => view.add({ masterAccount: master.account, account, ...symbol })}
    >
      + copy
    </button>
  )
}
