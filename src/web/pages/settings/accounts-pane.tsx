// Accounts: which there are, which the terminal has in focus, which have keys. Keys never reach this page.
import { typedLine } from '../../../language/print.ts'
import type { AccountRow } from '../../../protocol/frames.ts'
import { LineToType } from '../../components/copy-button.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Empty, Nothing, Pane } from '../../components/pane.tsx'
import { ACCOUNTS_HIDDEN, focusOf, scopeOf } from '../../state/console-state.ts'
import { useConsole, useDeskParts } from '../../state/use-console.ts'

interface Shown extends AccountRow {
  readonly isFocus: boolean
  readonly isOfTab: boolean
}

const COLUMNS: readonly Column<Shown>[] = [
  {
    id: 'name',
    title: 'Name',
    isRowHead: true,
    cell: ({ name }) => name,
    compare: (a, b) => a.name.localeCompare(b.name),
  },
  {
    id: 'exchange',
    title: 'Exchange',
    cell: ({ exchange, kind, demo }) => [exchange, kind, demo && 'demo'].filter(Boolean).join(' '),
    compare: (a, b) => a.exchange.localeCompare(b.exchange),
  },
  {
    id: 'keys',
    title: 'Keys',
    className: ({ hasCredentials }) => (hasCredentials ? undefined : 'muted'),
    cell: ({ hasCredentials }) => (hasCredentials ? 'stored' : 'none'),
  },
  {
    id: 'focus',
    title: 'Focus',
    isUnseen: true,
    // Keeps its place: which account is in focus is known a moment later than the accounts.
    cell: ({ isFocus }) => (
      <span className="tag" data-hidden={!isFocus}>
        in focus
      </span>
    ),
  },
  {
    id: 'use',
    title: 'Use',
    isUnseen: true,
    cell: (row) => <UseHere row={row} />,
  },
]

function UseHere({ row: { name, isOfTab } }: { readonly row: Shown }) {
  const console = useConsole()
  return (
    <button
      type="button"
      className="button small"
      aria-label={isOfTab ? `In use: ${name}, in this tab` : `Use ${name} in this tab`}
      title="Commands of this tab run on it; the terminal's focus stays"
      onClick={() => console.choose({ account: name })}
    >
      {isOfTab ? 'In use' : 'Use'}
    </button>
  )
}

export function AccountsPane() {
  const state = useDeskParts('accounts', 'flags', 'focus', 'portfolio', 'chosen')
  const { accounts, flags } = state
  const focus = focusOf(state)
  const ofTab = scopeOf(state)?.account
  return (
    <Pane
      id="accounts"
      of="state:accounts"
      title="Accounts"
      aside={accounts && <span className="count">{accounts.length}</span>}
    >
      {accounts === undefined && flags?.accountSync === false && <Empty>{ACCOUNTS_HIDDEN}</Empty>}
      {accounts === undefined && flags?.accountSync !== false && <Nothing what="Accounts" rows={2} />}
      {accounts?.length === 0 && <Empty>No accounts. `account add` in the hookline terminal makes one.</Empty>}
      {accounts !== undefined && accounts.length > 0 && (
        <DataTable
          label="Accounts"
          columns={COLUMNS}
          rows={accounts.map((row) => ({ ...row, isFocus: row.name === focus?.account, isOfTab: row.name === ofTab }))}
          keyOf={({ name }) => name}
        />
      )}
      {accounts !== undefined && (
        <section className="block" aria-label="Default account and keys">
          <h3>Default account and keys</h3>
          <p className="muted">
            Use applies to this tab only. The terminal keeps its own account, also after a restart.
          </p>
          <LineToType line={typedLine`account use ${ofTab ?? 'paper'}`} label="To use it in the terminal too:" />
          <p className="muted">Keys are typed in the hookline terminal only. No page sees them.</p>
          <LineToType line="account add live binance linear" label="To add an account; it asks for the keys:" />
          {accounts
            .filter(({ hasCredentials }) => hasCredentials)
            .map(({ name }) => (
              <LineToType
                key={name}
                line={typedLine`account keys ${name} --to vault`}
                label={`Keep the keys of ${name} encrypted:`}
              />
            ))}
        </section>
      )}
    </Pane>
  )
}
