// Where requests and streams of a venue may go: to the addresses that its class of ccxt was made with, and to hosts beside them over TLS. Some
// venues name the host of a stream in an answer, and an answer may be anybody's who sits between.

/** What of a ccxt instance names its addresses; they are in no type of ours. */
interface Addressed {
  readonly urls?: { readonly api?: unknown }
  readonly hostname?: unknown
}

class ForeignAddress extends Error {
  override readonly name = 'ForeignAddress'
}

/** By the object that lists the addresses: the origins found to be the venue's. A change of environment makes another object. */
const admitted = new WeakMap<object, Set<string>>()

/** @throws {ForeignAddress} and nothing was sent */
export function requireVenueAddress(client: object, url: string): void {
  const { urls, hostname } = client as Addressed
  const wanted = addressOf(url)
  const key = `${hostname} ${wanted?.protocol}//${wanted?.host}`
  const listed = typeof urls?.api === 'object' && urls.api !== null ? urls.api : undefined
  const found = listed === undefined ? undefined : admitted.get(listed)
  if (found?.has(key) === true) return
  if (wanted === undefined || !knownAddresses(client as Addressed).some((known) => isBeside(wanted, known))) {
    throw new ForeignAddress(`${wanted?.host ?? 'what was asked for'} does not belong to the venue`)
  }
  if (listed !== undefined) admitted.set(listed, (found ?? new Set()).add(key))
}

function isBeside(wanted: URL, known: URL): boolean {
  if (wanted.protocol === known.protocol && wanted.host === known.host) return true
  if (!['https:', 'wss:'].includes(wanted.protocol)) return false
  const domain = domainOf(known.hostname)
  return wanted.hostname === domain || wanted.hostname.endsWith(`.${domain}`)
}

/** `api.kucoin.com` → `kucoin.com`. A name of two parts, an address of numbers and what may be a country's `co.uk` stay as they are. */
function domainOf(hostname: string): string {
  const [, ...rest] = hostname.split('.')
  const [second = '', top = ''] = rest.slice(-2)
  const isPublic = rest.length < 2 || (rest.length === 2 && top.length === 2 && second.length <= 3)
  return isPublic || /^[\d.]+$|:/.test(hostname) ? hostname : rest.join('.')
}

function knownAddresses({ urls, hostname }: Addressed): readonly URL[] {
  return textsIn(urls?.api).flatMap((text) => addressOf(text.replaceAll('{hostname}', String(hostname))) ?? [])
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}

/** Names that end with a dot and upper case are one host, and a port that goes without saying is none. */
function addressOf(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined
}
