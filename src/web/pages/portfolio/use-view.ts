// What the page shows: whose money and since when. Both are in the address; without an account there, it is the tab's own.
import { useSearchParams } from 'wouter'
import { scopeOf } from '../../console-state.ts'
import { useDesk } from '../../use-console.ts'
import { type Way, wayOf } from './made-by.ts'
import { type Span, spanOf } from './spans.ts'

export interface View {
  /** undefined: hookline has not said which is in focus. */
  readonly account: string | undefined
  readonly span: Span
  readonly by: Way
  readonly show: (change: Readonly<Partial<Record<'account' | 'span' | 'by', string>>>) => void
}

export function useView(): View {
  const [parameters, setParameters] = useSearchParams()
  const own = useDesk((state) => scopeOf(state)?.account)
  return {
    account: parameters.get('account') ?? own,
    span: spanOf(parameters.get('span')),
    by: wayOf(parameters.get('by')),
    show: (change) => setParameters((before) => ({ ...Object.fromEntries(before), ...change }), { replace: true }),
  }
}
