// What hookline is asked to tell besides its focus: the market of the symbol that this tab shows, and the portfolio of its account where the
// terminal has another one in focus.
import type { Watches } from '../client/watches.ts'
import { type ConsoleState, isLive } from './console-state.ts'
import { type ScopeNews, scopeOf } from './scope-state.ts'

const NOTHING = () => {}

export class ScopeWatches {
  readonly #watches: Watches
  readonly #tell: (news: ScopeNews) => void
  #watched = { market: '', portfolio: '' }
  #end = { market: NOTHING, portfolio: NOTHING }

  constructor(watches: Watches, tell: (news: ScopeNews) => void) {
    this.#watches = watches
    this.#tell = tell
  }

  /** After every change of the state; does something only where what is shown has changed. */
  follow(state: ConsoleState): void {
    // They go on through a lost connection: the client asks for them again.
    if (!isLive(state)) return
    const scope = scopeOf(state)
    const isShown = state.flags?.accountSync !== false
    const isOther = scope !== undefined && state.focus !== undefined && scope.account !== state.focus.account
    this.#keep('market', scope, (watched) =>
      this.#watches.market(
        watched,
        (market) => this.#tell({ market }),
        () => this.#tell({ market: undefined }),
      ),
    )
    this.#keep('portfolio', isOther && isShown ? scope : undefined, (watched) =>
      this.#watches.portfolio(
        watched,
        (tabPortfolio) => this.#tell({ tabPortfolio }),
        () => this.#tell({ tabPortfolio: undefined }),
      ),
    )
  }

  #keep(kind: 'market' | 'portfolio', scope: Scope | undefined, watch: (scope: Scope) => () => void): void {
    const key = scope === undefined ? '' : JSON.stringify([scope.account, scope.symbol])
    if (key === this.#watched[kind]) return
    this.#watched = { ...this.#watched, [kind]: key }
    this.#end[kind]()
    this.#end = { ...this.#end, [kind]: NOTHING }
    this.#tell(kind === 'market' ? { market: undefined } : { tabPortfolio: undefined })
    if (scope !== undefined) this.#end = { ...this.#end, [kind]: watch(scope) }
  }
}

interface Scope {
  readonly account: string
  readonly symbol: string
}
