// Accounts: which there are, which is in focus, which have keys. Keys never reach this page.

import { focusOf } from '../console-state.ts'
import { type ColumnHead, DataTable } from '../data-table.tsx'
import { Empty, Nothing, Panel } from '../panel.tsx'
import { useConsoleState } from '../use-console.ts'

const COLUMNS: readonly ColumnHead[] = [
  { title: 'Name' },
  { title: 'Exchange' },
  { title: 'Keys' },
  { title: 'Focus', isUnseen: true },
]

export const ACCOUNTS_HIDDEN =
  'hookline shows no accounts to pages: listener.accountSync is off. Turn it on in config.json.'

export function AccountsPanel() {
  const state = useConsoleState()
  const { accounts, flags } = state
  const focus = focusOf(state)
  return (
    <Panel id="accounts" title="Accounts" aside={accounts && <span className="count">{accounts.length}</span>}>
      {accounts === undefined && flags?.accountSync === false && <Empty>{ACCOUNTS_HIDDEN}</Empty>}
      {accounts === undefined && flags?.accountSync !== false && <Nothing what="Accounts" rows={2} />}
      {accounts?.length === 0 && <Empty>No accounts. `account add` in the hookline terminal makes one.</Empty>}
      {accounts !== undefined && accounts.length > 0 && (
        <DataTable label="Accounts" columns={COLUMNS}>
          {accounts.map(({ name, exchange, kind, demo, hasCredentials }) => (
            <tr key={name}>
              <th scope="row" className="long">
                {name}
              </th>
              <td>{[exchange, kind, demo && 'demo'].filter(Boolean).join(' ')}</td>
              <td className={hasCredentials ? '' : 'muted'}>{hasCredentials ? 'stored' : 'none'}</td>
              <td className="row-actions">
                {/* Keeps its place: which account is in focus is known a moment later than the accounts. */}
                <span className="tag" data-hidden={name !== focus?.account}>
                  in focus
                </span>
              </td>
            </tr>
          ))}
        </DataTable>
      )}
    </Panel>
  )
}
