// The one table of venues: the embedded paper account and every venue of the pinned ccxt; what an account there needs, and how far the venue has
// been proven. How each is spoken to is in `ccxt/profiles.ts`.
import type { MarketKind } from '../exchange/market.ts'
import { CCXT_DEMOS, CCXT_UNSIGNED, CCXT_VENUES } from './ccxt-venues.ts'
import { VENUE_SCORES, type VenueScore } from './venue-scores.ts'

/**
 * `stand-in`: the whole program was driven against a venue of our own that speaks its language. `cases`: every request and answer was compared
 * with written ones. `unproven`: it works as ccxt does, and nobody here has looked.
 */
export type Proof = 'built-in' | 'stand-in' | 'cases' | 'unproven'

/** The names of ccxt's `requiredCredentials`. */
type Credential = 'apiKey' | 'secret' | 'uid' | 'accountId' | 'login' | 'password' | 'privateKey' | 'walletAddress'

interface CredentialForm {
  readonly pattern: RegExp
  /** For a person. */
  readonly words: string
}

export interface Venue {
  /** `paper`, or a ccxt id. */
  readonly id: string
  readonly name: string
  /** Whether orders can be placed there. An account on any other venue is kept for the pages that sent it. */
  readonly canTrade: boolean
  /** Whether an account on it has an API key and secret, asked for with hidden input. */
  readonly needsCredentials: boolean
  /** What is asked for, in this order. */
  readonly credentials: readonly Credential[]
  /** What the venue calls them, where people would look for another word. */
  readonly credentialWords: Readonly<Partial<Record<string, string>>>
  /** What those look like that can be checked without asking the venue. */
  readonly credentialForms: Readonly<Partial<Record<string, CredentialForm>>>
  /** The first is the default. */
  readonly kinds: readonly MarketKind[]
  /** Whether there is a place to trade without real money, which `--demo` means. */
  readonly demo: boolean
  readonly proof: Proof
  /** Of single changes to what is known of the venue, how many make a test fail. */
  readonly score?: VenueScore
  /** Where an entry takes its stop with it. Absent: nowhere. */
  readonly attached?: readonly MarketKind[]
  /** Within how many seconds what is done on the venue's own page is told. Absent: nobody has looked. */
  readonly toldWithinS?: ToldWithin
}

export interface ToldWithin {
  readonly streams: number
  /** Without its streams. */
  readonly asked: number
  /** Without its streams, and only on symbols where something of hookline's rests or was sent. */
  readonly isOfKnownSymbols?: true
}

const TOLD: ToldWithin = { streams: 5, asked: 5 }
/** `asked` is held to the pace of each profile by a test. */
const TOLD_OTHERWISE: Readonly<Record<string, ToldWithin>> = {
  kraken: { ...TOLD, asked: 12 },
  mexc: { ...TOLD, isOfKnownSymbols: true },
}

const ATTACHED: Readonly<Record<string, readonly MarketKind[]>> = { okx: ['linear'], hyperliquid: ['linear'] }

const PROOFS: Readonly<Record<string, Proof>> = {
  binance: 'stand-in',
  bybit: 'cases',
  okx: 'stand-in',
  hyperliquid: 'cases',
  bitget: 'cases',
  kucoin: 'cases',
  gate: 'cases',
  kraken: 'cases',
  krakenfutures: 'cases',
  coinbase: 'cases',
  mexc: 'cases',
  deribit: 'cases',
}

const CREDENTIAL_WORDS: Readonly<Record<string, Venue['credentialWords']>> = {
  hyperliquid: {
    privateKey: "private key of an API wallet, not the account's own",
    walletAddress: "the account's address",
  },
  coinbase: { apiKey: 'API key name', secret: 'private key' },
  deribit: { apiKey: 'client id', secret: 'client secret' },
}

/** A key that signs nothing fails as if the venue had. Hyperliquid's are those of Ethereum: 32 bytes, and an address of 20. */
const CREDENTIAL_FORMS: Readonly<Record<string, Venue['credentialForms']>> = {
  hyperliquid: {
    privateKey: { pattern: /^(0x)?[0-9a-f]{64}$/i, words: '64 hexadecimal digits' },
    walletAddress: { pattern: /^0x[0-9a-f]{40}$/i, words: '0x and 40 hexadecimal digits' },
  },
}

/** Where this program speaks fewer kinds than the class has: those of a named venue have cases, and what has none is not offered. */
const OWN_KINDS: Readonly<Record<string, readonly MarketKind[]>> = {
  mexc: ['spot'],
  deribit: ['linear', 'inverse'],
  hyperliquid: ['linear'],
  bitget: ['spot', 'linear'],
  kucoin: ['spot', 'linear'],
  gate: ['spot', 'linear'],
}

function venueOf([id, name, kinds, credentials]: (typeof CCXT_VENUES)[number]): Venue {
  const score = VENUE_SCORES[id]
  const fields = credentials.split(' ').filter((field) => field !== '') as Credential[]
  return {
    id,
    name,
    canTrade: !CCXT_UNSIGNED.has(id),
    needsCredentials: fields.length > 0,
    credentials: fields,
    credentialWords: CREDENTIAL_WORDS[id] ?? {},
    credentialForms: CREDENTIAL_FORMS[id] ?? {},
    kinds: OWN_KINDS[id] ?? (kinds.split(' ') as MarketKind[]),
    demo: CCXT_DEMOS.has(id),
    proof: PROOFS[id] ?? 'unproven',
    ...(score === undefined ? {} : { score: { killed: score.killed, of: score.of } }),
    ...(ATTACHED[id] === undefined ? {} : { attached: ATTACHED[id] }),
    ...(PROOFS[id] !== undefined && { toldWithinS: TOLD_OTHERWISE[id] ?? TOLD }),
  }
}

const PAPER: Venue = {
  id: 'paper',
  name: 'Paper',
  canTrade: true,
  needsCredentials: false,
  credentials: [],
  credentialWords: {},
  credentialForms: {},
  kinds: ['linear'],
  demo: false,
  proof: 'built-in',
}

let all: readonly Venue[] | undefined

/** Made at the first question: few starts have one. */
export function allVenues(): readonly Venue[] {
  all ??= [PAPER, ...CCXT_VENUES.map(venueOf)]
  return all
}

/** By its exact id. */
export function findVenue(id: string): Venue | undefined {
  return id === PAPER.id ? PAPER : allVenues().find((venue) => venue.id === id)
}
