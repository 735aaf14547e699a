// Who has signed in to a console for many; undefined where the console is one person's own.
import type { WebSettings } from '../../protocol/web-api.ts'
import { useServed } from '../offline-copy/use-copy.ts'

export function useSignedInAs(): WebSettings['account'] {
  return useServed(({ settings }) => settings?.account)
}
