// The whole program on the stand-in of OKX: a directory of its own, and terminals that open on it one after another.
import type { TestContext } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { venueCertificate } from '../../harness/network/venue-names.ts'
import { environmentOf } from '../../harness/process/built-hookline.mjs'
import { answerQuestions, openTerminal } from '../../harness/process/hookline.ts'
import type { PseudoTerminal } from '../../harness/process/pseudo-terminal.ts'
import { KEYS, stageOkx } from '../../harness/venues/okx/staged.ts'

/** Of the vault. */
export const PASSPHRASE = 'correct horse battery'
export const PLACE = 'POST /api/v5/trade/order'
export const SWAP = 'BTC-USDT-SWAP'

export async function stageProgram(context: TestContext) {
  const venue = await stageOkx(context)
  const certificate = venueCertificate()
  const directory = tempDirectory()
  const env = { ...environmentOf(directory), ...('env' in certificate ? certificate.env : {}) }
  const open = () => openTerminal(directory, { columns: 140, env })
  return {
    venue,
    directory,
    open,
    /** The first: with an account on OKX, which is in use. */
    async openNew(): Promise<PseudoTerminal> {
      const terminal = await open()
      await answerQuestions(terminal, 'account add trade okx linear', [
        ['new passphrase of the vault: ', PASSPHRASE],
        ['the same again: ', PASSPHRASE],
        ['API key (okx): ', KEYS.key],
        ['secret (okx): ', KEYS.secret],
        ['passphrase (okx): ', KEYS.passphrase],
        ['largest order in dollars, or off', ''],
        ['orders of one UTC day in dollars, or off', 'off'],
      ])
      await terminal.shows('added account trade on okx linear')
      await enter(terminal, 'account use trade', 'trading on trade')
      return terminal
    },
    /** A later one, with the vault unlocked. */
    async openAgain(): Promise<PseudoTerminal> {
      const terminal = await open()
      await answerQuestions(terminal, 'vault unlock', [['passphrase of the vault: ', PASSPHRASE]])
      await terminal.shows('the vault is unlocked')
      return terminal
    },
  }
}

/** Types a line and waits for what must come of it. */
export async function enter(terminal: PseudoTerminal, line: string, ...shown: readonly string[]): Promise<void> {
  const before = terminal.lines().length
  await terminal.type(line)
  terminal.send('\r')
  for (const text of shown) {
    await terminal.until((screen) =>
      screen
        .lines()
        .slice(before)
        .some((each) => each.includes(text)),
    )
  }
}
