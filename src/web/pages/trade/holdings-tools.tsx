// Beside the tabs: of which symbol, which columns, and what ends all of it at once.
import { HeldButton } from '../../components/held-button.tsx'
import { isLive, whyNoCommands } from '../../console-state.ts'
import { LinePreview } from '../../preview/line-preview.tsx'
import { useConsole, useDesk } from '../../use-console.ts'
import { cancelAllWarnings } from './cancel-warning.ts'
import { useHeld } from './holdings-context.ts'
import { LineButton } from './line-button.tsx'
import { CLOSE_ALL_LINE, cancelAllLine } from './position-lines.ts'
import { useTabPortfolio } from './use-market.ts'

export interface SymbolFilterProps {
  readonly symbol: string
  readonly isOn: boolean
  readonly onFilter: (isOn: boolean) => void
}

export function SymbolFilter({ symbol, isOn, onFilter }: SymbolFilterProps) {
  return (
    <fieldset className="segments" aria-label="Symbols">
      <button type="button" aria-pressed={!isOn} onClick={() => onFilter(false)}>
        All
      </button>
      <button type="button" aria-pressed={isOn} title={symbol} onClick={() => onFilter(true)}>
        This symbol
      </button>
    </fieldset>
  )
}

/** Every position of the account, whatever the table shows. */
export function CloseAll({ count }: { readonly count: number }) {
  const console = useConsole()
  const { scope } = useHeld()
  const canRun = useDesk((state) => isLive(state) && whyNoCommands(state) === undefined)
  const noCommands = useDesk(whyNoCommands)
  return (
    <HeldButton
      className="button small"
      label={`Close all positions of ${scope.account}`}
      title={noCommands ?? `Hold to run: ${CLOSE_ALL_LINE}`}
      disabled={!canRun || count === 0}
      // On the account that is shown, wherever the focus is by now.
      onHeld={() => void console.runFromPanel(CLOSE_ALL_LINE, scope)}
      question={{
        title: `Close all positions of ${scope.account}?`,
        body: <LinePreview line={CLOSE_ALL_LINE} scope={scope} />,
        yes: 'Close all',
        no: 'Leave them open',
        isDestructive: true,
      }}
    >
      Close all
    </HeldButton>
  )
}

/** Of the symbol of this tab, and of the account. */
export function CancelAll() {
  const { scope } = useHeld()
  // All of the account, whatever the table shows: that is what is canceled.
  const { positions = [], orders = [] } = useTabPortfolio() ?? {}
  const hasOrders = (symbol: string | undefined) =>
    orders.some((order) => symbol === undefined || order.symbol === symbol)
  const symbols = scope.symbol === '' ? [undefined] : [scope.symbol, undefined]
  return symbols.map((symbol) => (
    <LineButton
      key={symbol ?? 'all'}
      title={symbol === undefined ? 'Cancel all' : `Cancel ${symbol}`}
      name={symbol === undefined ? `Cancel all orders of ${scope.account}` : `Cancel ${symbol} orders`}
      line={cancelAllLine(symbol)}
      scope={scope}
      disabled={!hasOrders(symbol)}
      warnings={cancelAllWarnings(symbol, { positions, orders })}
    />
  ))
}
