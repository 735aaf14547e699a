// Which account and which symbol commands of this tab run on: said in the header, chosen there. The operator's own focus stays as it is.
import { useLocation } from 'wouter'
import { Icon } from '../components/icon.tsx'
import { Menu, type MenuItem, usePopover } from '../components/popover.tsx'
import type { ConsoleState } from '../console-state.ts'
import { focusOf, scopeOf } from '../console-state.ts'
import { useConsole, useDeskParts } from '../use-console.ts'
import { SymbolMenu } from './symbol-menu.tsx'

export function AccountSwitch() {
  const console = useConsole()
  const popover = usePopover()
  const [, navigate] = useLocation()
  const state = useDeskParts('accounts', 'focus', 'portfolio', 'chosen')
  const scope = scopeOf(state)
  if (scope === undefined) return null
  const row = state.accounts?.find(({ name }) => name === scope.account)
  const kind = row === undefined ? '' : describeAccount(row)
  const items: MenuItem[] = (state.accounts ?? []).map((account) => ({
    id: account.name,
    title: account.name,
    note: describeAccount(account),
    isChosen: account.name === scope.account,
    onChoose: () => console.choose({ account: account.name }),
  }))
  const focus = focusOf(state)?.account
  if (state.chosen.account !== undefined)
    items.push({
      id: ' follow',
      title: `Follow the terminal (${focus ?? 'unknown'})`,
      onChoose: () => console.choose({ account: undefined }),
    })
  items.push({ id: ' settings', title: 'Accounts and settings', onChoose: () => navigate('/settings/accounts') })
  return (
    <>
      <button
        type="button"
        className="scope"
        data-switch="account"
        title="Account of this tab (G A)"
        {...popover.button}
      >
        <span className="scope-letter" aria-hidden="true">
          {scope.account.charAt(0).toUpperCase()}
        </span>
        <span className="scope-text">
          <span className="visually-hidden">Account </span>
          <b className="cut">{scope.account}</b>
          <span className="cut">{kind}</span>
        </span>
        <span className="chevron">
          <Icon name="chevron" size={16} />
        </span>
      </button>
      <Menu popover={popover} label="Account of this tab" items={items}>
        <p className="menu-title">Commands of this tab run on</p>
      </Menu>
    </>
  )
}

function describeAccount({ exchange, kind, demo }: NonNullable<ConsoleState['accounts']>[number]): string {
  if (exchange === 'paper') return 'simulated'
  return [exchange, kind, demo && 'demo'].filter(Boolean).join(' ')
}

export function SymbolSwitch() {
  const popover = usePopover()
  const state = useDeskParts('focus', 'portfolio', 'chosen')
  const scope = scopeOf(state)
  if (scope === undefined) return null
  return (
    <>
      <button type="button" className="scope" data-switch="symbol" title="Symbol of this tab (S)" {...popover.button}>
        <span className="scope-letter" aria-hidden="true">
          {scope.symbol.charAt(0)}
        </span>
        <span className="scope-text">
          <span className="visually-hidden">Symbol </span>
          <b className="cut">{scope.symbol}</b>
        </span>
        <span className="chevron">
          <Icon name="chevron" size={16} />
        </span>
      </button>
      <SymbolMenu popover={popover} shown={scope.symbol} />
    </>
  )
}
