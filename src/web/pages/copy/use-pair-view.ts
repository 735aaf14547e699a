// Which pair is open: it is in the address, so that a link shows what its sender saw.
import { useSearchParams } from 'wouter'
import type { Draft } from './pair-draft.ts'

const NEW = 'new'

export interface PairView {
  /** The key of the open pair; undefined: none is, or a new one. */
  readonly open: string | undefined
  /** What is known of a new pair; undefined: none is being made. */
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
