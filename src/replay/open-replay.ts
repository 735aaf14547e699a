// `hook replay` as commands ask for it: one at a time in a process, so that it never takes more than one slice of the event loop.
import { CommandError } from '../commands/kit/errors.ts'
import type { CommandPorts, ReplayPort } from '../commands/kit/ports.ts'
import type { CommandLookup } from '../commands/kit/resolve.ts'
import { CANDLE_MS, type CandleInterval } from '../exchange/market.ts'
import { asPaperMarket } from '../exchanges/paper/followed-market.ts'
import { parseTrigger, type Trigger } from '../triggers/trigger.ts'
import { openCandles } from './candle-feeds.ts'
import { replay } from './replay.ts'

interface ReplaySources extends Pick<CommandPorts, 'config' | 'guards' | 'aliases' | 'variables'> {
  readonly lookup: CommandLookup
  /** Of the clock on the wall, ms since the epoch. */
  readonly now: () => number
  readonly reportBug: (error: unknown) => void
}

export function createReplay({
  config,
  guards,
  aliases,
  variables,
  lookup,
  now,
  reportBug,
}: ReplaySources): ReplayPort {
  let isRunning = false
  return async ({ when, hook, account, market, candles: choice, balance }, { signal, onProgress }) => {
    if (isRunning) {
      throw new CommandError('busy', 'a replay is running already', {
        hint: 'wait until it ends, or stop it with `runs stop`',
      })
    }
    const trigger = parseTrigger(when)
    requireKnown(trigger)
    if (market.kind !== 'linear' || market.amountUnit !== 'base') {
      throw new CommandError('not-supported', `a replay counts linear contracts, and ${market.symbol} is none`, {
        hint: 'replay it on a paper account: `--account paper`',
      })
    }
    isRunning = true
    try {
      const { frame, candles, notes, ...feed } = await openCandles(choice, {
        trigger,
        symbol: market.symbol,
        signal,
        now: now(),
      })
      const result = await replay({
        account: account.name,
        exchange: account.exchange,
        limits: guards.read(account.name).limits,
        balance,
        market: asPaperMarket(market),
        hook,
        lookup,
        names: { aliases: aliases.read(), variables: variables.read() },
        config,
        onBug: reportBug,
        trigger,
        frame,
        candles,
        ...feed,
        signal,
        onProgress,
      })
      return {
        ...result,
        notes: [...notes, ...result.notes, ...(choice.from === 'file' ? tooFew(trigger, frame, result.bars) : [])],
      }
    } finally {
      isRunning = false
    }
  }
}

/** What candles do not have. @throws {CommandError} `not-supported` */
function requireKnown(trigger: Trigger): void {
  if (trigger.kind === 'condition' && trigger.condition.ticks.includes('funding')) {
    throw new CommandError('not-supported', 'candles have no funding, and the condition uses it', {
      hint: 'compare another value',
    })
  }
}

function tooFew(trigger: Trigger, frame: CandleInterval, bars: number): readonly string[] {
  if (trigger.kind === 'schedule') return []
  const { needs } = trigger.condition
  return (Object.keys(needs) as CandleInterval[]).flatMap((each) => {
    const found = Math.floor((bars * CANDLE_MS[frame]) / CANDLE_MS[each])
    const needed = needs[each] ?? 0
    return found >= needed ? [] : [`the condition needs ${needed} bars of ${each}, and the candles have ${found}`]
  })
}
