// Words that other terminals use, and what to type here instead. Nothing here is ever executed: it only becomes the hint of a refusal.
import { LanguageError } from './language-error.ts'
import { shown } from './printable.ts'
import { isSizeShaped } from './size.ts'

/** What is being typed: `buy` or `sell`, the verb itself, or a `task` that trades an amount over a time. */
export type OrderVerb = 'order' | 'stop' | 'take' | 'close' | 'amend' | 'scale' | 'swarm' | 'task'

type Side = 'buy' | 'sell'

type Hint = string | ((verb: OrderVerb, word: string, next: string | undefined, side?: Side) => string | undefined)

export const AT_THE_MARKET = 'leave it out: an order without `at` is at the market'
const LEVERAGE = 'leave it out; `leverage <n>` sets it for the orders that follow'
const LIFETIME = 'leave it out: a limit order rests until it fills or is canceled'

function takeProfit(verb: OrderVerb, next: string | undefined): string {
  const [, multiple] = /^1:(\d[\d.]{0,5})$/.exec(next ?? '') ?? []
  if (verb === 'order' && multiple !== undefined) return `type tp ${multiple}R`
  const price = next !== undefined && isPriceShaped(next) ? next : '+5%'
  return verb === 'order' ? `type tp ${price}` : `type \`take at ${price}\``
}

function stopLoss(verb: OrderVerb, next: string | undefined): string {
  const price = next !== undefined && isPriceShaped(next) ? next : '-2%'
  return verb === 'order' ? `type stop ${price}` : `type \`stop at ${price}\``
}

/** `stop to entry`, `stop to 64000`. */
function movedTarget(verb: OrderVerb, next: string | undefined): string | undefined {
  if (next === undefined || (verb !== 'stop' && verb !== 'take')) return undefined
  if (verb === 'stop' && /^(be|break-?even|entry)$/i.test(next)) return 'type `stop breakeven`'
  return isPriceShaped(next) ? `type \`${verb} at ${next}\`` : undefined
}

function atPrice(verb: OrderVerb, next: string | undefined): string {
  if (verb === 'scale') return 'type from <price> to <price>'
  if (verb === 'swarm') return 'leave it out: a swarm is at the market'
  if (verb === 'close') return closeAt(next)
  return next !== undefined && isPriceShaped(next) ? `type at ${next}` : 'type at and a price, as in at 65000'
}

function withoutNoun(next: string | undefined, line: string): string {
  return next !== undefined && isPriceShaped(next) ? line : 'leave it out'
}

/** `close` is at the market. */
function closeAt(next: string | undefined): string {
  if (next !== undefined && MARKET.test(next)) return 'leave it out: `close` is at the market'
  const price = next !== undefined && isPriceShaped(next) ? next : '+4%'
  return `type \`take at ${price}\` for a profit, or \`stop at\` and a price; \`close\` is at the market`
}

function trailed(verb: OrderVerb, _word: string, next: string | undefined): string | undefined {
  if (verb !== 'order') return undefined
  const distance = next !== undefined && /^[\d.]{1,20}%?$/.test(next) ? next : '1%'
  return `leave it out, and type \`trail ${distance}\` once the order has filled`
}

/** `above 66000`: a buy there enters once the price comes, and a limit would fill at once. */
function beyond(verb: OrderVerb, word: string, next: string | undefined, side?: Side): string | undefined {
  if (verb !== 'order' || next === undefined || side === undefined || !isPriceShaped(next)) return undefined
  const enters = /^(above|over)$/i.test(word) === (side === 'buy')
  return enters ? `type \`stop ${side} $250 at ${next}\` to enter there` : `type at ${next}`
}

const MARKET = /^(market|mkt)$/i

/** `stop market 61000`. */
function atMarket(verb: OrderVerb, next: string | undefined): string {
  if (verb === 'stop') return withoutNoun(next, stopLoss(verb, next))
  if (verb === 'take') return withoutNoun(next, takeProfit(verb, next))
  return AT_THE_MARKET
}

const LADDER = 'type a share and a price for each: tp 50% 70000, 50% 72000'

function sideWord(verb: OrderVerb): string {
  if (verb === 'order') return 'leave it out: `buy` opens a long, `sell` a short'
  if (isSliced(verb)) return 'type buy or sell'
  if (verb === 'take') return 'leave it out: profit is taken on the position that is open'
  return 'leave it out: a stop protects the position that is open'
}

/** `swarm … stop -3%`. */
function afterSlices(word: string, next: string | undefined): string {
  const [command, of] = /^t/i.test(word) ? ['take', 'take-profit'] : ['stop', 'stop']
  const typed = next !== undefined && isPriceShaped(next) ? next : command === 'stop' ? '2%' : '4%'
  const price = typed.endsWith('%') ? typed.replace(/^[+-]/, '') : typed
  return `leave it out: a swarm has no ${of}; type \`${command} at ${price}\` once an order of it has filled`
}

function isSliced(verb: OrderVerb): boolean {
  return verb === 'scale' || verb === 'swarm'
}

/** Who sells all means what is held: a percentage of the balance would open a short. */
function everything(verb: OrderVerb, _word: string, next: string | undefined, side?: Side): string {
  if (verb === 'stop' && next === undefined)
    return 'type `panic` to stop every run, or `close all` to end every position'
  if (verb === 'stop' && /^tasks?$/i.test(next ?? '')) return 'type `tasks cancel all`'
  if (verb === 'close') return 'type `close` for the whole position, or `close all` for every one'
  if (verb === 'order' || isSliced(verb))
    return side === 'buy'
      ? 'type 100% for all that is free, or `close` to end a short'
      : 'type `close` to end the position, or 50% reduce for half of it'
  return `leave it out: without a size a ${verb === 'take' ? 'take-profit' : 'stop'} covers the whole position`
}

const ARGUMENTS: readonly (readonly [RegExp, Hint])[] = [
  [/^@$/, (verb, _word, next) => atPrice(verb, next)],
  [/^@[\d.$+-]/, (verb, word) => atPrice(verb, word.slice(1))],
  [/^(stop|sl|stop-?loss|tp|take)$/i, (verb, word, next) => (verb === 'swarm' ? afterSlices(word, next) : undefined)],
  [/^(tp|take-?profit|target)$/i, (verb, _word, next) => takeProfit(verb, next)],
  [/^(sl|stop-?loss)$/i, (verb, _word, next) => stopLoss(verb, next)],
  [
    /^r$/i,
    (verb, _word, next) => (verb === 'order' && /^\d(?:\.\d+)?%$/.test(next ?? '') ? `type risk ${next}` : undefined),
  ],
  [/^(limit|lmt|price)$/i, (verb, _word, next) => atPrice(verb, next)],
  [MARKET, (verb, _word, next) => atMarket(verb, next)],
  [/^(long|short)s?$/i, sideWord],
  [/^(all|max|everything)$/i, everything],
  [/^(\d+x|x\d+|lev|leverage)$/i, LEVERAGE],
  [/^(ioc|fok)$/i, (verb) => (verb === 'order' ? LIFETIME : 'leave it out: only limit orders have it')],
  [/^(gtc|day)$/i, LIFETIME],
  [/^(post|post-?only|maker)$/i, (verb) => (verb === 'swarm' ? atPrice(verb, undefined) : 'type po')],
  [/^(at|po|best)$/i, (verb, _word, next) => (isSliced(verb) || verb === 'close' ? atPrice(verb, next) : undefined)],
  [/^(trail|trailing|trailing-?stop)$/i, trailed],
  // `stop loss at 61000`, `take profit at 70000`
  [/^loss$/i, (verb, _word, next) => (verb === 'stop' ? withoutNoun(next, stopLoss(verb, next)) : undefined)],
  [/^profit$/i, (verb, _word, next) => (verb === 'take' ? withoutNoun(next, takeProfit(verb, next)) : undefined)],
  [/^(take|profit)$/i, (verb) => (verb === 'order' ? 'type tp and a price, as in tp +4%' : undefined)],
  [/^tp\d$/i, (verb) => (verb === 'order' ? LADDER : undefined)],
  [
    /^rr$/i,
    (verb, _word, next) => (verb === 'order' && /^\d[\d.]{0,5}$/.test(next ?? '') ? `type tp ${next}R` : undefined),
  ],
  [/^(lots?|contracts?|coins?|units?)$/i, 'leave it out: an amount is in the coin of the symbol'],
  [/^(position|trade|it)$/i, (verb) => (verb === 'order' ? 'type `close` to end the position' : 'leave it out')],
  [
    /^for$/i,
    (verb, _word, next) =>
      verb === 'order' && /^[\d.]{3,20}$/.test(next ?? '') ? atPrice(verb, next) : 'leave it out',
  ],
  // A share of the balance opens, and does not end.
  [
    /^(half|quarter)$/i,
    (verb, word, _next, side) => {
      const share = /^half$/i.test(word) ? '50%' : '25%'
      if (verb === 'close') return `type \`close ${share}\``
      return verb === 'order' && side === 'sell' ? `type \`close ${share}\`, or ${share} reduce` : `type ${share}`
    },
  ],
  [/^(tp|take-?profit|target)[=:]./i, (verb, word) => takeProfit(verb, word.slice(word.search(/[=:]/) + 1))],
  [/^(sl|stop|stop-?loss)[=:]./i, (verb, word) => stopLoss(verb, word.slice(word.search(/[=:]/) + 1))],
  [/^(sl|stop|tp|at):$/i, (_verb, word) => `type ${word.slice(0, -1).toLowerCase()} without the colon`],
  [/^(above|over|below|under)$/i, beyond],
  [/^(usdt?|usdc)$/i, 'join it to the number, as in 250usd, or type $250'],
  [/^\d[\d.]*e[+-]?\d+$/i, 'write the number out in digits'],
  [/^\d+r$/i, 'type the size itself: $250, 0.01 or 50%'],
  [/^irregular$/i, (verb) => (verb === 'scale' ? 'type sizeskew and a number, as in sizeskew 0.5' : undefined)],
  [/^(ro|reduce-?only)$/i, 'type reduce'],
  [
    /^(if|when|once)$/i,
    (verb) => (verb === 'order' ? 'type the condition first: `wait price < 60000; buy $250`' : undefined),
  ],
  [
    /^(add|replace)$/i,
    (verb) =>
      verb === 'order' || isSliced(verb)
        ? 'leave it out: an entry adds to the position; `stop at -2% replace` moves its stop'
        : undefined,
  ],
  [/^to$/i, (verb, _word, next) => movedTarget(verb, next)],
  [/^(with|and|then|of|in|worth|on|now|to|please)$/i, 'leave it out'],
  [/^[€£¥][\d.,]+$/, 'type $ before a sum of money: it is in the quote currency'],
]

const OWN_ORDERS = 'leave it out: a task chooses its own orders'

/** Of tasks that trade an amount over a time. */
const OF_TASKS: readonly (readonly [RegExp, Hint])[] = [
  [/^(at|@.*|best|po|post|post-?only|maker|ioc|fok|gtc|day|market|mkt)$/i, OWN_ORDERS],
  [/^(tp|take-?profit|target|sl|stop|stop-?loss)$/i, 'leave it out: `stop at` and `take at` protect what it opens'],
  [/^(long|short)s?$/i, 'type buy or sell'],
  [/^max$/i, (_verb, _word, next) => (next !== undefined && isPriceShaped(next) ? `type to ${next}` : undefined)],
  [
    /^(all|max|everything)$/i,
    (_verb, _word, _next, side) =>
      side === 'buy' ? 'type 100% for all that is free' : 'type 100% and reduce for the position',
  ],
  [/^(duration|slices)(=.*)?$/i, 'type into 10 over 1h'],
  [/^timeout(=.*)?$/i, 'type for 5m'],
]

/**
 * What to type instead of a word that an order command does not know.
 * @param next the word after it @param side where the line has one
 * @returns a hint; undefined for words that mean nothing anywhere
 */
export function hintForArgument(
  word: string,
  next: string | undefined,
  verb: OrderVerb,
  side?: Side,
): string | undefined {
  const known = verb === 'task' ? [...OF_TASKS, ...ARGUMENTS] : ARGUMENTS
  for (const [shape, hint] of known) {
    if (!shape.test(word)) continue
    const found = typeof hint === 'function' ? hint(verb, word, next, side) : hint
    if (found !== undefined) return found
  }
  return undefined
}

/** What a number beside a size may have been meant as. */
export function hintForNumber(text: string, verb: OrderVerb): string {
  if (isSliced(verb) && /^\d{1,3}$/.test(text)) return `type into ${text} for ${text} orders`
  if (verb === 'task' && /^\d{1,3}$/.test(text)) return `type into ${text} over 1h for ${text} orders`
  return isSliced(verb) ? atPrice(verb, text) : `type at ${text} if it is a price`
}

// Orders of other terminals, from all words of their line.

const SIDE = /^(buy|sell|long|short)$/i
const PRICE_WORD = /^(limit|lmt|price|at|@)$/i
const NOTHING_HERE = /^(market|mkt|order|position|open|enter|now|go|new|please)$/i
const LEVERAGE_WORD = /^(?:\d{1,3}x|x\d{1,3})$/i

/**
 * `buy $100 btc stop -2%` for `long $100 btc sl -2%`. A number that may be money or coins is shown as both.
 * @param words the whole line
 * @param known the side, where the command names it
 * @returns undefined where the words make no such order, or contradict each other
 */
export function hintForOrder(words: readonly string[], known?: 'buy' | 'sell'): string | undefined {
  const stopAt = words.findIndex((word) => /^(stop|sl|tp)$/i.test(word))
  const [head, tail] = stopAt === -1 ? [words, []] : [words.slice(0, stopAt), words.slice(stopAt)]
  const sides = new Set(head.filter((word) => SIDE.test(word)).map(sideOf))
  if (known !== undefined) sides.add(known)
  const [side] = sides
  const isPriced = head.some((word) => PRICE_WORD.test(word) || word.startsWith('@'))
  const multiple = head.find((word) => LEVERAGE_WORD.test(word))?.replace(/x/i, '')
  const rest = head.filter((word) => ![SIDE, PRICE_WORD, NOTHING_HERE, LEVERAGE_WORD].some((shape) => shape.test(word)))
  const numbers = rest.map((word) => word.replace(/^@/, '')).filter(isSizeShaped)
  const symbols = rest.filter((word) => /^[a-z][\w:/-]*$/i.test(word))
  if (side === undefined || sides.size > 1 || symbols.length > 1) return undefined
  if (numbers.length + symbols.length < rest.length || numbers.length !== (isPriced ? 2 : 1)) return undefined
  const [first = '', second = ''] = numbers
  const sized = isPriced
    ? pricedSizes(first, second)
    : spellings(first).map((spelling) => ({ ...spelling, at: [] as string[] }))
  const lines = sized.map(({ size, at, means }) => {
    const line = `\`${[side, size, ...symbols, ...at, ...tail].join(' ')}\``
    return means === undefined ? line : `${line} for ${means}`
  })
  if (lines.length === 0) return undefined
  const leverage =
    multiple === undefined ? '' : `; \`${['leverage', ...symbols, multiple].join(' ')}\` sets the leverage`
  return `type ${lines.join(' or ')}${leverage}`
}

function sideOf(word: string): Side {
  return /^(buy|long)$/i.test(word) ? 'buy' : 'sell'
}

/** Each reading of two numbers as a size and a price. A bare number of 100 or more is not a size. */
function pricedSizes(first: string, second: string): readonly (Spelling & { readonly at: string[] })[] {
  const isPrice = (text: string) => /^\d[\d.]*$/.test(text)
  const isSize = (text: string) => !isPrice(text) || Number(text) < 100
  return [
    [first, second],
    [second, first],
  ].flatMap(([size = '', price = '']) =>
    isSize(size) && isPrice(price) ? spellings(size).map((each) => ({ ...each, at: ['at', price] })) : [],
  )
}

interface Spelling {
  readonly size: string
  /** Of a number that has more than one reading. */
  readonly means?: 'money' | 'coins'
}

function spellings(size: string): readonly Spelling[] {
  if (!/^\d+$/.test(size)) return [{ size }]
  return [
    { size: `$${size}`, means: 'money' },
    { size: `${size}.0`, means: 'coins' },
  ]
}

// Alerts, as they are said.

const SPOKEN =
  /^(me|us|when|if|once|as|soon|the|hits?|reach(es)?|goes|gets|trades?|breaks?|drops?|falls?|rises?|moves?|is|at|to|than)$/i
const SPOKEN_SIGNS: ReadonlyMap<string, string> = new Map([
  ...['above', 'over', 'higher', 'past'].map((word) => [word, '>'] as const),
  ...['below', 'under', 'lower'].map((word) => [word, '<'] as const),
])

/** `me when BTC hits 70k`: begins as a person asks another, and ends in a condition. */
export function hintForSpokenAlert(words: readonly string[]): string | undefined {
  const [first = '', second = ''] = words
  return /^(me|us|when|if)$/i.test(first) && second !== '' ? hintForAlert(words) : undefined
}

/**
 * `alert BTCUSDT > 70000` for `me when BTC > 70k`.
 * @returns undefined where it names neither a price nor a comparison
 */
function hintForAlert(words: readonly string[]): string | undefined {
  const kept = words.flatMap((word) => {
    const sign = SPOKEN_SIGNS.get(word.toLowerCase())
    return SPOKEN.test(word) ? [] : [sign ?? spokenValue(word)]
  })
  const [level = ''] = kept.slice(-1)
  const compares = kept.some((word) => /[<>]/.test(word))
  const line = ['alert', ...kept].join(' ')
  return (compares || isPriceShaped(level)) && kept.length <= 12 && line.length <= 100 ? `type \`${line}\`` : undefined
}

/** `70k` and `$70,000` as a price, `BTC` as a symbol. */
function spokenValue(word: string): string {
  const [, number = '', thousands] = /^\$?(\d[\d,]{0,15}(?:\.\d{1,10})?)(k)?$/i.exec(word) ?? []
  if (number !== '') return String(Number(number.replaceAll(',', '')) * (thousands === undefined ? 1 : 1000))
  return /^(btc|eth|sol|xrp|doge|bnb|ada)$/i.test(word) ? `${word.toUpperCase()}USDT` : word
}

type CommandHint = string | ((rest: readonly string[], word: string) => string | undefined)

const asOrder: CommandHint = (rest, word) => hintForOrder([word, ...rest])

/** Of the first argument, where it has the shape. */
function withFirst(shape: RegExp, hint: (first: string) => string): CommandHint {
  return ([first = '']) => (shape.test(first) ? hint(first) : undefined)
}

const MONEY = /^\$\d[\d.,]{0,15}k?$/i
const SYMBOL = /^[a-z][a-z0-9]{1,19}(?:[/:-][a-z0-9/:-]{1,20})?$/i
const NAME = /^[a-z][\w-]{0,31}$/i
const ORDER_WORD = /^(stops?|sl|tps?|orders?|targets?)$/i
const COIN = /^(btc|eth|sol|xrp|doge|bnb|\w{2,10}(usdt|usdc|usd))$/i
const LIST = /^(positions|orders|balance|hooks|tasks|trades|fills|runs|accounts|markets|clients)$/i
const ORDER = /^(buy|sell|stop|take|close|cancel|scale|swarm|twap|chase|dca|grid|trail|oco)$/i
const SUMMARY = /^(reports?|summary|stats|statistics|performance|journal)$/i

/** Of several rows for a word the first that knows a hint. */
const COMMANDS: readonly (readonly [RegExp, CommandHint])[] = [
  // What trades is never guessed at: these can be no other word.
  [/^(?!buy$)b+u+y+$/i, (rest) => respelled('buy', rest)],
  [/^(?!sell$)(s+e+l+|sll)$/i, (rest) => respelled('sell', rest)],
  [/^(take-?profit|target)$/i, (rest) => takeProfit('take', rest.find(isPriceShaped))],
  [/^stop-?limit$/i, stopLimit],
  [/^stop-?(loss|limit|market)$/i, withFirst(/^[+-]?\d[\d.]*%?$/, (price) => `type \`stop at ${price}\``)],
  [/^stop-?(loss|limit)$/i, 'type `stop at -2%`, and limit <price> for a limit order then'],
  [/^(console|desk|browser|ui|gui)$/i, 'type `help console`: it has the address'],
  [/^(edit|modify|replace)$/i, 'type what is to change: `amend p17 at -1%`'],
  [/^(long|short|limit|lmt|market|mkt|open|enter|order|go|new)$/i, asOrder],
  [
    /^(go|market|mkt)$/i,
    (rest) => (rest.some((word) => /^(close|flat|all)$/i.test(word)) ? 'type `close`' : undefined),
  ],
  [/^go$/i, ([side = '', ...rest]) => (SIDE.test(side) ? plainLine(sideOf(side), ['$250', ...rest]) : undefined)],
  [/^long$/i, withFirst(SYMBOL, (symbol) => `type \`buy $250 ${symbol}\``)],
  [/^long$/i, 'type `buy $250`'],
  [/^short$/i, withFirst(SYMBOL, (symbol) => `type \`sell $250 ${symbol}\``)],
  [/^short$/i, 'type `sell $250`'],
  [/^(limit|lmt)$/i, 'type `buy $250 at -1%`, with a price after at'],
  [/^(market|mkt)$/i, 'type `buy $250`: an order without `at` is at the market'],
  [/^upnl$|^profit$/i, 'type `pnl` for what was realized, `positions` for what is open'],
  [/^trade$|^fill$|^executions?$/i, 'type `fills` for what was executed, `trades` for round trips'],
  [SUMMARY, withFirst(/^\d{1,4}[hdw]$/i, (span) => `type \`session --since ${span}\``)],
  [SUMMARY, withFirst(/^20\d\d$/, (year) => `type \`export --tax ${year}\``)],
  [SUMMARY, 'type `session` for closed trades, `pnl` for what was realized'],
  [/^tax(es)?$/i, 'type `export --tax 2026`'],
  [/^(tags?|comment|memo)$/i, 'type `note p1 "late entry" #fomo`'],
  [/^#/, 'leave the # out; `help note` explains tags'],
  [/^(\d{1,3}x|x\d{1,3})$/i, (_rest, word) => `type \`leverage ${word.replace(/x/i, '')}\``],
  [/^lev$/i, 'type `leverage 10`'],
  [/^(remove|delete|rm)$/i, withFirst(/^(stops?|sl)$/i, () => 'type `cancel stops`')],
  [/^(remove|delete|rm)$/i, withFirst(ORDER_WORD, () => '`orders` lists them: type `cancel` and an id')],
  [/^(remove|delete|rm)$/i, withFirst(/^p\d{1,9}$/i, (id) => `type \`cancel ${id}\``)],
  [/^change$/i, (rest) => movedTo(rest)],
  [/^change$/i, 'type what is to change: `amend p17 at -1%`'],
  [/^add$/i, withFirst(MONEY, (money) => `type \`buy ${money}\`, or sell for a short`)],
  [/^(add|double|increase)$/i, 'type `buy $250`, or `sell $250` for a short'],
  [/^(bracket|exits?)$/i, bracketLine],
  [/^(bracket|exits?)$/i, 'type `oco at +4% stop -2%`'],
  [/^(place|put|send|submit|make|execute|please|pls)$/i, withoutFirst],
  [/^tp\d$/i, withFirst(/^[+-]?\d[\d.,]*%?$/, (price) => `type \`take at ${price}\``)],
  [/^tp\d$/i, 'type `take at +4%`'],
  [
    /^(?:stop|sl|stop-?loss)[+-]?[\d.]{1,20}%?$/i,
    (_rest, word) => `type \`stop at ${gluedPrice(word).replace(/^[+-](?=.*%)/, '')}\``,
  ],
  [/^(?:tp|take|take-?profit)[+-]?[\d.]{1,20}%?$/i, (_rest, word) => `type \`take at ${gluedPrice(word)}\``],
  [/^(cross|isolated)$/i, 'type `margin cross` or `margin isolated`'],
  [/^(ladder|layer|layered)$/i, 'type `scale buy $1000 into 5 from -1% to -3%`'],
  [/^cover$/i, withFirst(NAME, (symbol) => `type \`close ${symbol}\``)],
  [/^cover$/i, 'type `close`'],
  [/^(show|list|ls|view|open)$/i, withFirst(LIST, (list) => `type \`${list}\``)],
  [/^(show|list|ls|view)$/i, 'type the name of the list: `positions`, `orders`, `balance`'],
  [/^(dry|dry-?run|preview|test|simulate)$/i, dryLine],
  [/^(dry|dry-?run|preview|simulate)$/i, 'add --dry to the line: `buy $250 --dry`'],
  [/^man$/i, withFirst(NAME, (name) => `type \`help ${name}\``)],
  [/^bye$/i, 'type `exit`'],
  [/^reset$/i, 'type `account reset paper` to begin a paper account again, `clear` to clear the screen'],
  [/^(run|fire)$/i, withFirst(NAME, (name) => `type \`hook fire ${name}\``)],
  [/^(un-?panic|un-?halt|continue)$/i, 'type `resume`'],
  [/^pause$/i, 'type `halt` to refuse entries, or `tasks pause --all`'],
  [/^iceberg$/i, 'type `twap buy $1000 into 10 over 30m`, or `chase buy $250`'],
  [/^(ob|dom)$/i, 'type `book`'],
  [/^logs?$/i, 'type `runs` for what ran, `fills` for what was executed'],
  [/^today$/i, 'type `session`, or `trades --since 00:00`'],
  [/^funding$/i, 'type `pnl`: it sums the funding that was paid'],
  [/^use$/i, withFirst(COIN, (symbol) => `type \`symbol ${symbol}\``)],
  [/^(sym|cd)$/i, withFirst(SYMBOL, (symbol) => `type \`symbol ${symbol}\``)],
  [/^symbol=./i, (_rest, word) => plainLine('symbol', [word.slice('symbol='.length)])],
  [/^@/, 'type `buy $250 at 50000`, the price after its order'],
  [/^[/!.](buy|sell|close|cancel|stop|positions|orders|help)$/i, withoutMark],
  [/^(remind|te?ll|ping|warn)$/i, (rest) => hintForAlert(rest)],
  [/^(remind|te?ll|ping|warn)$/i, 'type `alert BTCUSDT > 70000` for a price, `notify "words"` for a notice now'],
  [/^(every|schedule|cron)$/i, 'type `repeat 3 (buy $100; sleep 10m)`'],
  [/^(when|if)$/i, whenLine],
  [/^(when|if)$/i, 'type `wait price > 70000; buy $100`'],
  [/^at$/i, 'type `wait time 1430; buy $100`: at 14:30 UTC'],
  [/^(trailing|trailing-?stop|tsl?)$/i, (rest) => percentLine(rest, (percent) => `trail ${percent}`)],
  [/^(trailing|trailing-?stop|tsl?)$/i, 'type `trail 1%`'],
  [/^(be|break-?even)$/i, withFirst(/^\+[\d.]{1,10}%?$/, (more) => `type \`stop breakeven ${more}\``)],
  [/^(be|break-?even)$/i, 'type `stop breakeven`'],
  [/^p$/i, withFirst(COIN, (symbol) => `type \`price ${symbol}\``)],
  [/^p$/i, 'type `positions`'],
  [/^(o|ord)$/i, 'type `orders`'],
  [/^(w|q)$/i, (_rest, word) => `type \`${/w/i.test(word) ? 'watch' : 'exit'}\``],
  [/^(undo|revert)$/i, 'orders cannot be undone; see `orders` and `positions`'],
  [/^(again|redo)$/i, 'press Up for the last line'],
  [/^risk$/i, (rest) => percentLine(rest, (percent) => `buy risk ${percent} stop -2%`)],
  [/^risk$/i, 'type `buy risk 1% stop -2%`'],
  [/^(use|login-as)$/i, withFirst(NAME, (name) => `type \`account use ${name}\``)],
  [COIN, (_rest, word) => coinLine(word)],
  [/^(reduce|trim)$/i, withFirst(/^\d[\d.]{0,9}%$/, (share) => `type \`close ${share}\``)],
  [/^(reduce|trim)$/i, 'type `close 50%`'],
  [/^reverse$/i, withFirst(NAME, (symbol) => `type \`flip ${symbol}\``)],
  [/^reverse$/i, 'type `flip`'],
  [/^(charts?|candles?)$/i, 'type `price`; charts are in the console: `hookline web --open`'],
  [/^(version|ver|about)$/i, 'type `status`, which shows the version'],
  [/^(live|monitor|dashboard)$/i, 'type `watch`'],
  [/^(flat|flatten)$/i, withFirst(NAME, (symbol) => `type \`close ${symbol}\``)],
  [/^(flat|flatten)$/i, 'type `close all`; `help nuke` has the line for orders and tasks too'],
  [/^(close-?all|exit-?all)$/i, 'type `close all`'],
  [/^cancel-?all$/i, 'type `cancel all`'],
  [/^half$/i, 'type `close 50%`'],
  [/^(painc|paniic|pnaic|panik|panci)$/i, 'type `panic`'],
  [/^(nuk|nukee|nkue|unke)$/i, 'type `nuke`'],
  // A guess never names what trades; these say only what is misspelt.
  [/^(cancle|cancell|cacnel|canel|cnacel)$/i, (rest) => `type \`${['cancel', ...rest].join(' ').slice(0, 60)}\``],
  [/^(clsoe|colse|cloes|clse)$/i, (rest) => `type \`${['close', ...rest].join(' ').slice(0, 60)}\``],
  [/^(portfolio|wallet|equity|funds)$/i, 'type `balance`'],
  [/^(ticker|quote|last|bid|ask)$/i, 'type `price`'],
  [/^(cxl|cncl)$/i, (rest) => plainLine('cancel', rest)],
  [/^(tpsl|sltp)$/i, (rest) => (rest.length === 0 ? undefined : bracketLine(rest))],
  [/^(tpsl|sltp)$/i, 'type `oco at +4% stop -2%`'],
  [/^[^\s,;]+,[^\s;]+,|^[|│┃║]/u, 'type one command, as in `buy $250`; hookline does not read pasted tables'],
]

/** `eth` is ETHUSDT. */
function coinLine(word: string): string {
  const symbol = /^(btc|eth|sol|xrp|doge|bnb|ada)$/i.test(word) ? `${word}USDT` : word
  const typed = symbol.toUpperCase()
  return `type \`symbol ${typed}\` to work on it, \`price ${typed}\` for its price`
}

/** `bracket 59000 62000`: which one is the target depends on the side. */
function bracketLine(rest: readonly string[]): string | undefined {
  const prices = rest.flatMap((word) => (/^\d{1,12}(?:\.\d{1,12})?$/.test(word) ? [word] : []))
  return prices.length === 2 && rest.length === 2 ? bothExits(prices) : undefined
}

/** Which of two prices is the stop depends on the position. @param symbols typed beside them */
export function bothExits(prices: readonly string[], symbols: readonly string[] = []): string {
  const [low = '', high = ''] = [...prices].sort((a, b) => Number.parseFloat(a) - Number.parseFloat(b))
  const line = (at: string, stop: string) => `\`${['oco', ...symbols, 'at', at, 'stop', stop].join(' ')}\``
  return `type ${line(high, low)} for a long, ${line(low, high)} for a short`
}

/** `place buy 0.01`. */
function withoutFirst([verb = '', ...rest]: readonly string[], word: string): string | undefined {
  if (!ORDER.test(verb)) return hintForOrder([verb, ...rest])
  return plainLine(verb, rest) ?? `leave ${word} out`
}

/** `preview buy $100`. */
function dryLine([verb = '', ...rest]: readonly string[]): string | undefined {
  return ORDER.test(verb) ? plainLine(verb, [...rest, '--dry']) : undefined
}

/** `stop-limit 61000 60900`: the trigger comes first. */
function stopLimit(rest: readonly string[]): string | undefined {
  const [trigger, limit, ...others] = rest.filter(isPriceShaped)
  const symbols = rest.filter((word) => !isPriceShaped(word))
  if (trigger === undefined || limit === undefined || others.length > 0 || symbols.length > 1) return undefined
  return plainLine('stop', [...symbols, 'at', trigger, 'limit', limit])
}

/** `set leverage 10`: another command, where a variable belongs; undefined where nothing is known of it. */
export function hintForSetting(words: readonly string[]): string | undefined {
  const [name = '', ...rest] = words
  if (/^(sl|stop|stop-?loss)$/i.test(name)) return 'type `stop at -2%`; `set` is for variables such as @size'
  if (/^(tp|take-?profit)$/i.test(name)) return 'type `take at +4%`; `set` is for variables such as @size'
  return /^(leverage|margin|symbol|account|alias|alert)$/i.test(name) ? plainLine(name.toLowerCase(), rest) : undefined
}

/** `-2%` of `stop-2%`. */
function gluedPrice(word: string): string {
  return word.replace(/^[a-z]+(?:-[a-z]+)?/i, '')
}

/**
 * `stop-2%` as `stop -2%`, among other words.
 * @param hasPrice whether a price is behind this keyword
 */
export function splitKeyword(word: string, hasPrice: (keyword: string) => boolean): string | undefined {
  const [, keyword = '', price] =
    /^([a-z]{2,10})([+-][\d.]{1,20}%?|\d[\d.]{0,19}%|\d{3,12}(?:\.\d{1,12})?)$/i.exec(word) ?? []
  return price !== undefined && hasPrice(keyword.toLowerCase()) ? `${keyword} ${price}` : undefined
}

function respelled(verb: Side, rest: readonly string[]): string {
  return (rest.length > 0 ? plainLine(verb, rest) : undefined) ?? `type \`${verb} $250\``
}

/** @returns undefined: too long, or with words that may need quotes */
function plainLine(verb: string, rest: readonly string[]): string | undefined {
  const isPlain = rest.length <= 12 && rest.every((each) => /^[\w$%.,+-]{1,40}$/.test(each))
  return isPlain ? `type \`${[verb, ...rest].join(' ')}\`` : undefined
}

/** `change p1 to 64000`. */
function movedTo([id = '', ...rest]: readonly string[]): string | undefined {
  const price = rest.at(-1) ?? ''
  return /^p\d{1,9}$/i.test(id) && isPriceShaped(price) ? `type \`move ${id} to ${price}\`` : undefined
}

/** `move stop to 63000`, `move sl to be`: the line of what protects; undefined for an order or a symbol. */
export function movedProtection(words: readonly string[]): string | undefined {
  const [name = ''] = words
  const [, towards, amount] = words
  if (/^(up|down|by)$/i.test(towards ?? '') && /^[\d.]{1,20}%?$/.test(amount ?? '')) {
    return `type \`bump ${name} ${/^down$/i.test(towards ?? '') ? '-' : '+'}${amount}\``
  }
  const verb = /^(stops?|sl)$/i.test(name) ? 'stop' : /^(tp|target|take)$/i.test(name) ? 'take' : undefined
  if (verb === undefined) return undefined
  const price = words.at(-1) ?? ''
  if (verb === 'stop' && /^(be|break-?even|entry)$/i.test(price)) return 'type `stop breakeven`'
  const known = isPriceShaped(price) ? price : verb === 'stop' ? '-2%' : '+4%'
  return `type \`${verb} at ${known} replace\``
}

/** `when price > 70000 (buy $100)`: the condition as typed, then the group without its parentheses. */
function whenLine(rest: readonly string[]): string | undefined {
  const group = rest.at(-1) ?? ''
  const condition = rest.slice(0, -1)
  if (condition.length < 2 || !/^\(.{1,80}\)$/.test(group)) return undefined
  return `type \`wait ${condition.join(' ')}; ${group.slice(1, -1)}\``
}

function percentLine(rest: readonly string[], line: (percent: string) => string): string | undefined {
  const percent = rest.find((word) => /^\d[\d.]{0,9}%$/.test(word))
  return percent === undefined ? undefined : `type \`${line(percent)}\``
}

function withoutMark(rest: readonly string[], word: string): string {
  return plainLine(word.slice(1), rest) ?? 'leave out the mark in front of the command'
}

/**
 * What to type instead of a first word that is not a command; undefined where nothing is known of it.
 * @param rest the words behind it
 */
export function hintForCommand(word: string, rest: readonly string[] = []): string | undefined {
  return hintIn(COMMANDS, word, rest) ?? (isSizeShaped(word) ? 'type `buy` or `sell` before a size' : undefined)
}

/** Behind the name of a family: the form of another terminal, and the line to type. */
const FORMS_OF_ELSEWHERE: Readonly<Record<string, readonly (readonly [RegExp, CommandHint])[]>> = {
  hook: [
    [/^(add|new|make|set)$/i, hookLine],
    [/^(remove|delete|rm|del)$/i, withFirst(NAME, (name) => `type \`hook revoke ${name}\``)],
    [/^(run|trigger)$/i, withFirst(NAME, (name) => `type \`hook fire ${name}\``)],
    [/^(url|address|token|secret|curl)$/i, withFirst(NAME, (name) => `type \`hook show ${name}\``)],
    [NAME, ([first], name) => (first === undefined ? `type \`hook show ${name}\`, or \`help hook\`` : undefined)],
  ],
  account: [
    [/^(switch|select|focus|to|change)$/i, withFirst(NAME, (name) => `type \`account use ${name}\``)],
    [/^(delete|rm|del)$/i, withFirst(NAME, (name) => `type \`account remove ${name}\``)],
    [NAME, ([first], name) => (first === undefined ? `type \`account use ${name}\`, or \`help account\`` : undefined)],
  ],
  tasks: [[/^(stop|kill|end|delete|rm)$/i, withFirst(NAME, (id) => `type \`tasks cancel ${id}\``)]],
  runs: [[/^(cancel|kill|end)$/i, withFirst(NAME, (id) => `type \`runs stop ${id}\``)]],
  switch: [
    [NAME, ([first], name) => (first === undefined ? `type \`account use ${name}\`, or \`help switch\`` : undefined)],
  ],
}

function hookLine([name = '', ...body]: readonly string[]): string | undefined {
  const text = body.join(' ')
  if (!NAME.test(name) || text === '' || text.length > 100) return undefined
  return `type \`hook create ${name} ${text.includes('"') ? text : `"${text}"`}\``
}

/** What to type instead of a form that a family of commands has not; undefined where nothing is known of it. */
export function hintForForm(family: string, form: string, rest: readonly string[]): string | undefined {
  return hintIn(FORMS_OF_ELSEWHERE[family] ?? [], form, rest)
}

function hintIn(
  table: readonly (readonly [RegExp, CommandHint])[],
  word: string,
  rest: readonly string[],
): string | undefined {
  for (const [shape, hint] of table) {
    if (!shape.test(word)) continue
    const known = typeof hint === 'function' ? hint(rest, word) : hint
    if (known !== undefined) return known
  }
  return undefined
}

/** `50000`, `+5%`, `$bid`: short enough to be shown again. */
function isPriceShaped(text: string): boolean {
  return /^(?:[+-]?[\d.]{1,20}%?|\$(?:last|bid|ask|entry))$/i.test(text)
}

// Characters that word processors and chat programs put in place of those on the keyboard. None is read as the plain one: what was pasted
// may have lost more than that.

interface Kind {
  readonly characters: RegExp
  readonly toPlain: (character: string) => string
  /** As in: it `has …`. */
  readonly name: string
}

/** How far the full-width block is from ASCII. */
const FULL_WIDTH_OFFSET = 0xfee0

const KINDS: readonly Kind[] = [
  { characters: /[\u2010-\u2015\u2212\ufe58\ufe63\uff0d]/gu, toPlain: () => '-', name: 'a typographic minus' },
  {
    characters: /[\u2018-\u201f\u2032\u2033\u00ab\u00bb\u2039\u203a\uff02\uff07]/gu,
    toPlain: () => '',
    name: 'a typographic quote',
  },
  {
    characters: /[\uff01-\uff5e]/gu,
    toPlain: (character) => String.fromCharCode(character.charCodeAt(0) - FULL_WIDTH_OFFSET),
    name: 'a full-width character',
  },
  { characters: /\p{Cf}/gu, toPlain: () => '', name: 'an invisible character' },
]
const ANY = new RegExp(KINDS.map(({ characters }) => characters.source).join('|'), 'u')
/** Most words are plain, and telling so is cheap. */
const ASCII = /^[ -~]*$/

/** The word with plain characters, `undefined` where it has no others. */
export function plainForm(text: string): string | undefined {
  if (ASCII.test(text) || !ANY.test(text)) return undefined
  return KINDS.reduce((plain, kind) => plain.replace(kind.characters, kind.toPlain), text)
}

/**
 * @param column of the word's first character
 * @throws {LanguageError} `bad-argument` at the first character that is not the plain one
 */
export function refuseTypographic(text: string, column: number): void {
  const plain = plainForm(text)
  if (plain === undefined) return
  const at = text.search(ANY)
  const character = text.slice(at)
  const kind = KINDS.find(({ characters }) => character.search(characters) === 0)
  const hint = plain === '' ? 'remove it' : `type ${shownPlain(plain)}`
  throw new LanguageError('bad-argument', `${shown(text)} has ${kind?.name}`, column + at, hint)
}

function shownPlain(plain: string): string {
  return shown(plain).slice(1, -1)
}
