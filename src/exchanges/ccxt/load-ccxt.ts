// One venue's class of ccxt, by its name: in the program from its own file beside it, in tests from the package. Nothing of ccxt is loaded
// before the first call.
import { ExchangeError } from '../../exchange/exchange-error.ts'
import type { CcxtClass } from './ccxt-client.ts'

/** Where the build has put the chunks, from the program; sources run unbundled only in tests. */
declare const __HOOKLINE_CHUNKS__: string | undefined

const SOURCES = '../../../node_modules/ccxt/js/src/'

/** @throws {ExchangeError} `not-supported` where ccxt has no such class */
export async function loadCcxt(venueClass: string): Promise<CcxtClass> {
  if (!/^[a-z0-9]+$/.test(venueClass)) throw notSupported(venueClass)
  return typeof __HOOKLINE_CHUNKS__ === 'string'
    ? loadChunk(`${__HOOKLINE_CHUNKS__}/${venueClass}.cjs`, venueClass)
    : loadSource(venueClass)
}

function loadChunk(path: string, venueClass: string): CcxtClass {
  let file: string
  try {
    file = require.resolve(path)
  } catch {
    throw notSupported(venueClass)
  }
  return (require(file) as { readonly default: CcxtClass }).default
}

/** The class with streams, where there is one. */
async function loadSource(venueClass: string): Promise<CcxtClass> {
  for (const folder of ['pro/', '']) {
    const url = new URL(`${SOURCES}${folder}${venueClass}.js`, import.meta.url).href
    try {
      return ((await import(url)) as { readonly default: CcxtClass }).default
    } catch (error) {
      if ((error as { readonly code?: unknown }).code !== 'ERR_MODULE_NOT_FOUND') throw error
    }
  }
  throw notSupported(venueClass)
}

function notSupported(venueClass: string): ExchangeError {
  return new ExchangeError('not-supported', `ccxt has no venue ${venueClass}`, { hint: '`exchanges` lists the venues' })
}
