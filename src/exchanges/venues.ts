// The one table of venues: the embedded paper account and every venue of the pinned ccxt; what an account there needs, and how far the venue has
// been proven. How each is spoken to is in `ccxt/profiles.ts`.
import { defined } from '../base/defined.ts'
import type { MarketKind } from '../exchange/market.ts'
import { VENUE_SCORES, type VenueScore } from './venue-scores.ts'

/**
 * `stand-in`: the whole program was driven against a venue of our own that speaks its language. `cases`: every request and answer was compared
 * with written ones. `unproven`: it works as ccxt does, and no one here has looked.
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
  /** Within how many seconds what is done on the venue's own page is told. Absent: no one has looked. */
  readonly reportedWithinS?: ReportDelay
}

export interface ReportDelay {
  readonly streams: number
  /** Without its streams. */
  readonly asked: number
  /** Without its streams, and only on symbols where something of hookline's rests or was sent. */
  readonly isOfKnownSymbols?: true
}

const REPORTED: ReportDelay = { streams: 5, asked: 5 }
/** `asked` is held to the pace of each profile by a test. */
const REPORTED_OTHERWISE: Readonly<Record<string, ReportDelay>> = {
  kraken: { ...REPORTED, asked: 12 },
  mexc: { ...REPORTED, isOfKnownSymbols: true },
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
    ...defined({ score: score && { killed: score.killed, of: score.of }, attached: ATTACHED[id] }),
    ...(PROOFS[id] !== undefined && { reportedWithinS: REPORTED_OTHERWISE[id] ?? REPORTED }),
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

// Every venue of the pinned ccxt: id, name, kinds of markets, and what an account there proves itself with. A test compares the list with ccxt.

/** `[id, name, kinds, credentials]`, the last two as words. */
export const CCXT_VENUES: readonly (readonly [id: string, name: string, kinds: string, credentials: string])[] = [
  ['alpaca', 'Alpaca', 'spot', 'apiKey secret'],
  ['apex', 'Apex', 'linear inverse', 'apiKey secret password'],
  ['aster', 'Aster', 'spot linear inverse', 'privateKey'],
  ['backpack', 'Backpack', 'spot linear inverse', 'apiKey secret'],
  ['bequant', 'Bequant', 'spot', 'apiKey secret'],
  ['bigone', 'BigONE', 'spot linear inverse', 'apiKey secret'],
  ['binance', 'Binance', 'spot linear inverse', 'apiKey secret'],
  ['binancecoinm', 'Binance COIN-M', 'inverse', 'apiKey secret'],
  ['binanceus', 'Binance US', 'spot', 'apiKey secret'],
  ['binanceusdm', 'Binance USDⓈ-M', 'linear', 'apiKey secret'],
  ['bingx', 'BingX', 'spot linear inverse', 'apiKey secret'],
  ['bit2c', 'Bit2C', 'spot', 'apiKey secret'],
  ['bitbank', 'bitbank', 'spot', 'apiKey secret'],
  ['bitbns', 'Bitbns', 'spot', 'apiKey secret'],
  ['bitfinex', 'Bitfinex', 'spot linear inverse', 'apiKey secret'],
  ['bitflyer', 'bitFlyer', 'spot', 'apiKey secret'],
  ['bitget', 'Bitget', 'spot linear inverse', 'apiKey secret password'],
  ['bithumb', 'Bithumb', 'spot', 'apiKey secret'],
  ['bitopro', 'BitoPro', 'spot', 'apiKey secret login'],
  ['bitrue', 'Bitrue', 'spot linear inverse', 'apiKey secret'],
  ['bitso', 'Bitso', 'spot', 'apiKey secret'],
  ['bitstamp', 'Bitstamp', 'spot linear inverse', 'apiKey secret'],
  ['bitteam', 'BIT.TEAM', 'spot', 'apiKey secret'],
  ['bittrade', 'BitTrade', 'spot', 'apiKey secret'],
  ['bitvavo', 'Bitvavo', 'spot', 'apiKey secret'],
  ['blockchaincom', 'Blockchain.com', 'spot', 'secret'],
  ['blofin', 'BloFin', 'linear inverse', 'apiKey secret password'],
  ['btcbox', 'BtcBox', 'spot', 'apiKey secret'],
  ['btcmarkets', 'BTC Markets', 'spot', 'apiKey secret'],
  ['btcturk', 'BTCTurk', 'spot', 'apiKey secret'],
  ['btse', 'BTSE', 'spot linear inverse', 'apiKey secret'],
  ['bullish', 'Bullish', 'spot linear inverse', 'apiKey secret'],
  ['bybit', 'Bybit', 'spot linear inverse', 'apiKey secret'],
  ['bybiteu', 'Bybit EU', 'spot', 'apiKey secret'],
  ['bybitid', 'Bybit Indonesia', 'spot linear inverse', 'apiKey secret'],
  ['bydfi', 'BYDFi', 'linear inverse', 'apiKey secret'],
  ['cex', 'CEX.IO', 'spot', 'apiKey secret'],
  ['coinbase', 'Coinbase Advanced', 'spot', 'apiKey secret'],
  ['coinbaseexchange', 'Coinbase Exchange', 'spot', 'apiKey secret password'],
  ['coinbaseinternational', 'Coinbase International', 'spot linear inverse', 'apiKey secret password'],
  ['coincheck', 'Coincheck', 'spot', 'apiKey secret'],
  ['coinex', 'CoinEx', 'spot linear inverse', 'apiKey secret'],
  ['coinmate', 'CoinMate', 'spot', 'apiKey secret uid'],
  ['coinone', 'CoinOne', 'spot', 'apiKey secret'],
  ['coinsph', 'Coins.ph', 'spot', 'apiKey secret'],
  ['coinspot', 'CoinSpot', 'spot', 'apiKey secret'],
  ['cryptocom', 'Crypto.com', 'spot linear inverse', 'apiKey secret'],
  ['cryptomus', 'Cryptomus', 'spot', 'secret uid'],
  ['deepcoin', 'DeepCoin', 'spot linear inverse', 'apiKey secret password'],
  ['delta', 'Delta Exchange', 'spot linear inverse', 'apiKey secret'],
  ['deribit', 'Deribit', 'spot linear inverse', 'apiKey secret'],
  ['derive', 'Derive', 'spot linear inverse', 'privateKey walletAddress'],
  ['digifinex', 'DigiFinex', 'spot linear inverse', 'apiKey secret'],
  ['dydx', 'dYdX', 'linear inverse', ''],
  ['extended', 'Extended', 'linear inverse', 'apiKey privateKey'],
  ['fmfwio', 'FMFW.io', 'spot linear inverse', 'apiKey secret'],
  ['foxbit', 'Foxbit', 'spot', 'apiKey secret'],
  ['gate', 'Gate', 'spot linear inverse', 'apiKey secret'],
  ['gateeu', 'Gate EU', 'spot', 'apiKey secret'],
  ['gemini', 'Gemini', 'spot linear inverse', 'apiKey secret'],
  ['grvt', 'GRVT', 'linear inverse', 'privateKey'],
  ['hashkey', 'HashKey Global', 'spot linear inverse', 'apiKey secret'],
  ['hibachi', 'Hibachi', 'linear inverse', 'apiKey accountId privateKey'],
  ['hitbtc', 'HitBTC', 'spot linear inverse', 'apiKey secret'],
  ['hollaex', 'HollaEx', 'spot', 'apiKey secret'],
  ['htx', 'HTX', 'spot linear inverse', 'apiKey secret'],
  ['hyperliquid', 'Hyperliquid', 'spot linear', 'privateKey walletAddress'],
  ['independentreserve', 'Independent Reserve', 'spot', 'apiKey secret'],
  ['indodax', 'INDODAX', 'spot', 'apiKey secret'],
  ['kraken', 'Kraken', 'spot', 'apiKey secret'],
  ['krakenfutures', 'Kraken Futures', 'linear inverse', 'apiKey secret'],
  ['kucoin', 'KuCoin', 'spot linear inverse', 'apiKey secret password'],
  ['kucoinfutures', 'KuCoin Futures', 'linear inverse', 'apiKey secret password'],
  ['latoken', 'Latoken', 'spot', 'apiKey secret'],
  ['lbank', 'LBank', 'spot', 'apiKey secret'],
  ['lighter', 'Lighter', 'spot linear inverse', 'privateKey'],
  ['luno', 'Luno', 'spot', 'apiKey secret'],
  ['mercado', 'Mercado Bitcoin', 'spot', 'apiKey secret'],
  ['mexc', 'MEXC Global', 'spot linear inverse', 'apiKey secret'],
  ['modetrade', 'Mode Trade', 'linear inverse', 'apiKey secret accountId'],
  ['mudrex', 'Mudrex', 'linear inverse', 'secret'],
  ['myokx', 'MyOKX (EEA)', 'spot linear inverse', 'apiKey secret password'],
  ['nado', 'Nado', 'spot linear inverse', 'privateKey walletAddress'],
  ['ndax', 'NDAX', 'spot', 'apiKey secret uid login password'],
  ['okx', 'OKX', 'spot linear inverse', 'apiKey secret password'],
  ['okxus', 'OKX (US)', 'spot', 'apiKey secret password'],
  ['onetrading', 'One Trading', 'spot linear inverse', 'apiKey'],
  ['p2b', 'p2b', 'spot', 'apiKey secret'],
  ['pacifica', 'Pacifica', 'spot linear inverse', 'privateKey'],
  ['paradex', 'Paradex', 'linear inverse', 'privateKey walletAddress'],
  ['paymium', 'Paymium', 'spot', 'apiKey secret'],
  ['phemex', 'Phemex', 'spot linear inverse', 'apiKey secret'],
  ['poloniex', 'Poloniex', 'spot linear inverse', 'apiKey secret'],
  ['revolutx', 'Revolut X', 'spot', 'apiKey privateKey'],
  ['tokocrypto', 'Tokocrypto', 'spot', 'apiKey secret'],
  ['toobit', 'Toobit', 'spot linear inverse', 'apiKey secret'],
  ['upbit', 'Upbit', 'spot', 'apiKey secret'],
  ['weex', 'Weex', 'spot linear inverse', 'apiKey secret password'],
  ['whitebit', 'WhiteBit', 'spot linear inverse', 'apiKey secret'],
  ['woo', 'WOO X', 'spot linear inverse', 'apiKey secret uid'],
  ['woofipro', 'WOOFI PRO', 'linear inverse', 'apiKey secret accountId'],
  ['xt', 'XT', 'spot linear inverse', 'apiKey secret'],
  ['zaif', 'Zaif', 'spot', 'apiKey secret'],
  ['zebpay', 'Zebpay', 'spot linear inverse', 'apiKey secret'],
]

/**
 * Those with a place to trade without real money. Not weex: its sandbox in ccxt has the live
 * addresses, and only some of its orders are told apart there.
 */
export const CCXT_DEMOS: ReadonlySet<string> = new Set(
  `alpaca bequant binance binancecoinm binanceus binanceusdm bingx bitget bitso blockchaincom blofin btse bullish
  bybit bybiteu bybitid coinbaseexchange coinbaseinternational cryptocom delta deribit derive extended fmfwio gate
  gateeu gemini grvt hashkey hitbtc hollaex hyperliquid krakenfutures modetrade myokx nado ndax okx okxus pacifica
  paradex phemex poloniex woo woofipro zebpay`.split(/\s+/),
)

/** Their orders are signed by what is left out of ccxt, or by a library that ccxt does not bring along: none can be sent. */
export const CCXT_UNSIGNED: ReadonlySet<string> = new Set(['apex', 'dydx', 'lighter'])
