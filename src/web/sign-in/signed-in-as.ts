// Who has signed in to a console for many; undefined where the console is one person's own.
import { createContext, useContext } from 'react'
import type { WebSettings } from '../../protocol/web-api.ts'

export const SignedInAs = createContext<WebSettings['account']>(undefined)

export function useSignedInAs(): WebSettings['account'] {
  return useContext(SignedInAs)
}
