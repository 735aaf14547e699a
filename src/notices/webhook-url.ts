// Where notices may be posted to. A person types the address at the terminal; it is https, or http to this machine alone, and it is followed
// nowhere else.
import { isLoopback } from '../protocol/address.ts'

const MAX_LENGTH = 1_000

/** @returns the address, or why it is refused */
export function readWebhookUrl(text: string): { readonly url: URL } | { readonly why: string } {
  if (text.length > MAX_LENGTH || !URL.canParse(text)) return { why: 'it is not a URL' }
  const url = new URL(text)
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url))) {
    return { why: 'it must begin with https://; http:// is for this machine alone' }
  }
  if (url.username !== '' || url.password !== '') return { why: 'it has a name or a password in it' }
  return { url }
}

/** What is shown of an address: its path may be a secret of its receiver. */
export function shownUrl(text: string): string {
  if (!URL.canParse(text)) return 'an invalid address'
  const { origin, pathname, search } = new URL(text)
  return pathname === '/' && search === '' ? origin : `${origin}/…`
}
