// Accounts: which there are, which is in focus, which have keys. Keys never reach this page.

import { type ColumnHead, DataTable } from '../data-table.tsx'
import { Empty, Nothing, Panel } from '../panel.tsx'
import { useConsoleState } from '../use-console.ts'

const COLUMNS: readonly ColumnHead[] = [
  { title: 'Name' },
  { title: 'Exchange' },
  { title: 'Keys' },
  { title: 'Focus', isUnseen: true },
]

export function AccountsPanel() {
  const { accounts, portfolio } = useConsoleState()
  return (
    <Panel id="accounts" title="Accounts" aside={accounts && <span className="count">{accounts.length}</span>}>
      {accounts === undefined && <Nothing what="Accounts" rows={2} />}
      {accounts?.length === 0 && <Empty>No accounts. `account add` in the hookline terminal makes one.</Empty>}
      {accounts !== undefined && accounts.length > 0 && (
        <DataTable label="Accounts" columns={COLUMNS}>
          {accounts.map(({ name, exchange, hasCredentials }) => (
            <tr key={name}>
              <th scope="row" className="long">
                {name}
              </th>
              <td>{exchange}</td>
              <td className={hasCredentials ? '' : 'muted'}>{hasCredentials ? 'stored' : 'none'}</td>
              <td className="row-actions">
                {/* Keeps its place: which account is in focus is known a moment later than the accounts. */}
                <span className="tag" data-hidden={name !== portfolio?.account}>
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
