// What has to be said about the figures of an account before they are read: whose they are, that they are old, or why there are none.
import type { ReactNode } from 'react'
import type { Portfolio } from '../../../protocol/frames.ts'
import { Empty } from '../../components/empty.tsx'
import { Nothing } from '../../components/pane.tsx'
import { type ConsoleState, isLive } from '../../console-state.ts'
import { showMoney } from '../../figures.ts'
import { useConsole, useDesk, useDeskParts } from '../../use-console.ts'
import { ACCOUNTS_HIDDEN } from '../settings/accounts-pane.tsx'

/** The tables, or why there are none. */
export function AccountNotes({
  portfolio,
  children,
}: {
  readonly portfolio: Portfolio | undefined
  readonly children: ReactNode
}) {
  const state = useDeskParts('portfolio', 'focus', 'chosen', 'flags')
  const isConnected = useDesk(isLive)
  const isRefused = useDesk(({ refusals }) => refusals.length > 0)
  const isHidden = state.flags?.accountSync === false
  const { problem, stale } = state.focus ?? {}
  if (portfolio === undefined) {
    const reason = isConnected ? whyNoFigures(state) : undefined
    if (reason !== undefined) return <Empty>{reason}</Empty>
    if (isConnected && isRefused && !isHidden && !problem) return <OnDemand />
    return <Nothing what="Positions and orders" rows={4} />
  }
  return (
    <>
      {isConnected && problem && <p className="warning" role="note">{`As last seen: ${problem}`}</p>}
      {isConnected && stale && !problem && (
        <p className="warning" role="note">
          Stale: nothing has come from the exchange for too long. Fills may not be shown yet.
        </p>
      )}
      {portfolio.unsettled?.map((line) => (
        <p key={line} className="warning" role="note">
          {line.replaceAll('`', '')}
        </p>
      ))}
      {children}
    </>
  )
}

type Facts = Pick<ConsoleState, 'portfolio' | 'focus' | 'chosen' | 'flags'>

function whyNoFigures({ flags, focus, chosen }: Facts): string | undefined {
  if (flags?.accountSync === false) return ACCOUNTS_HIDDEN
  // Of another account than the one in focus, hookline says by itself what is wrong.
  if (chosen.account !== undefined && chosen.account !== focus?.account) return undefined
  return focus?.problem && `hookline shows no figures of ${focus.account}: ${focus.problem}`
}

function OnDemand() {
  const console = useConsole()
  return (
    <div className="on-demand">
      <p>This hookline does not stream its portfolio. Print it in the terminal:</p>
      {['balance', 'positions', 'orders'].map((command) => (
        <button key={command} type="button" className="button small" onClick={() => void console.runFromPanel(command)}>
          {`Show ${command}`}
        </button>
      ))}
    </div>
  )
}

const FIGURES = [
  ['wallet', 'Wallet'],
  ['total', 'Equity'],
  ['used', 'Margin'],
  ['free', 'Free'],
] as const

export function BalanceStrip({ portfolio }: { readonly portfolio: Portfolio | undefined }) {
  const balance = portfolio?.balance
  return (
    <div className="holdings-balance">
      <dl className="balance">
        {FIGURES.map(([key, title]) => (
          <div key={key}>
            <dt>{title}</dt>
            <dd className="figure">{balance ? showMoney(balance[key]) : '–'}</dd>
          </div>
        ))}
      </dl>
      {portfolio && <p className="muted">{`${portfolio.account}, in ${portfolio.balance.currency}`}</p>}
    </div>
  )
}
