// One venue's class of ccxt, by its name. Nothing of ccxt is loaded before the first call.
import type { CcxtClass } from './ccxt-client.ts'

/** @throws where ccxt has no such class */
export async function loadCcxt(venueClass: string): Promise<CcxtClass> {
  if (!/^[a-z0-9]+$/.test(venueClass)) throw new Error('this is not the name of a ccxt class')
  const url = new URL(`../../../node_modules/ccxt/js/src/${venueClass}.js`, import.meta.url)
  const loaded = (await import(url.href)) as { readonly default: CcxtClass }
  return loaded.default
}
