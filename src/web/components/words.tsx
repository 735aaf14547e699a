// A sentence of hookline as it is shown: what can be typed is between backquotes, and becomes code.
import { createElement, Fragment, type ReactElement } from 'react'

export function Words({ text }: { readonly text: string }): ReactElement {
  const parts = text.split('`')
  // Without its other half a backquote is one.
  if (parts.length % 2 === 0) return <>{text}</>
  return createElement(
    Fragment,
    null,
    ...parts.map((part, at) => (at % 2 === 1 ? createElement('code', null, part) : part)),
  )
}
