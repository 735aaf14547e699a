// Accounts: which there are, which the terminal has in focus, which have keys. Keys never reach this page.
import type { AccountRow } from '../../../protocol/frames.ts'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Empty } from '../../components/empty.tsx'
import { Nothing, Pane } from '../../components/pane.tsx'
import { focusOf } from '../../console-state.ts'
import { useDeskParts } from '../../use-console.ts'

export const ACCOUNTS_HIDDEN =
  'hookline shows no accounts to pages: listener.accountSync is off. Turn it on in config.json.'

interface Shown extends AccountRow {
  readonly isFocus: boolean
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
]

export function AccountsPane() {
  const state = useDeskParts('accounts', 'flags', 'focus', 'portfolio')
  const { accounts, flags } = state
  const focus = focusOf(state)
  return (
    <Pane id="accounts" title="Accounts" aside={accounts && <span className="count">{accounts.length}</span>}>
      {accounts === undefined && flags?.accountSync === false && <Empty>{ACCOUNTS_HIDDEN}</Empty>}
      {accounts === undefined && flags?.accountSync !== false && <Nothing what="Accounts" rows={2} />}
      {accounts?.length === 0 && <Empty>No accounts. `account add` in the hookline terminal makes one.</Empty>}
      {accounts !== undefined && accounts.length > 0 && (
        <DataTable
          label="Accounts"
          columns={COLUMNS}
          rows={accounts.map((row) => ({ ...row, isFocus: row.name === focus?.account }))}
          keyOf={({ name }) => name}
        />
      )}
    </Pane>
  )
}
