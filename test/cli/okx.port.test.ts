// The whole program on OKX, as the stand-in plays it under the venue's own names: from the first key to the last figure, over a lost answer,
// a cut network and a killed process.
import { expect, it } from 'vitest'
import { findLeaks } from '../../harness/venues/leaks.ts'
import { KEYS } from '../../harness/venues/okx/staged.ts'
import { enter, PASSPHRASE, PLACE, SWAP, stageProgram } from './okx-program.ts'

it('a new user adds an account, trades with a stop and a take-profit, and sees the truth throughout', async (context) => {
  const { venue, directory, openNew, openAgain } = await stageProgram(context)
  const first = await openNew()
  await enter(
    first,
    'buy $700 BTCUSDT stop -2% tp +4%',
    'bought 0.0116 BTCUSDT at 60,000.1 ($696.00), fee $0.35',
    'stop sell 0.0116 BTCUSDT at 58,800.0 tp 62,400.0 is open, reduce-only',
  )
  expect(venue.account().openAlgos()).toMatchObject([{ kind: 'oco', reduceOnly: true }])
  await enter(first, 'buy 0.01 BTCUSDT at 59000', 'buy 0.01 BTCUSDT at 59,000.0 is open')
  const [resting] = venue.account().openOrders()
  await enter(first, `amend ${resting?.id} at 58900`, '58,900')
  expect(resting?.price.toFixed()).toBe('58900')

  venue.fail({ kind: 'reset', isDone: true, route: PLACE })
  await enter(first, 'buy 0.01 BTCUSDT', 'bought 0.01 BTCUSDT at 60,000.1')
  await venue.cut()
  await enter(first, 'buy 0.012 BTCUSDT', 'OKX cannot be reached; nothing was sent')
  await first.until((screen) => screen.typed().startsWith('trade [BTCUSDT stale]'))
  await first.close()
  await venue.listen()

  const second = await openAgain()
  await enter(second, 'positions', 'long  0.0216')
  await enter(second, 'orders', '58,800.0 tp 62,400.0', '58,900.0')
  // Nothing is changed before what was left is taken over.
  await enter(second, `amend ${venue.account().openAlgos()[0]?.id} tp 62500`, 'tp 62,500.0')
  venue.engine.movePrice(SWAP, '58799')
  await second.shows('sold 0.0116 BTCUSDT at 58,798.9')
  await second.shows('bought 0.01 BTCUSDT at 58,900.0')
  await enter(second, 'close BTCUSDT', 'sold 0.02 BTCUSDT')
  await enter(second, 'positions', 'no open positions')
  await enter(second, 'orders', 'no open orders')
  await enter(second, 'account balances', venue.account().wallet.toFixed(2).replace('9', '$9,'))
  await enter(second, 'fills', 'when (UTC)')
  await enter(second, 'pnl', 'total')
  await enter(second, 'account check', 'account trade is ready to trade')

  const names = venue.asked(PLACE).map(({ params }) => params.clOrdId)
  expect(new Set(names).size).toBe(names.length)
  expect(venue.unexpected).toEqual([])
  const terminal = first.raw + second.raw
  expect(findLeaks({ ...KEYS, vault: PASSPHRASE }, directory, { terminal })).toEqual([])
})
