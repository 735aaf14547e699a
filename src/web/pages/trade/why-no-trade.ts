// Why a tab sends no orders now, in a sentence; undefined: it does.
import { type ConsoleState, isLive, whyNoCommands } from '../../console-state.ts'

export function whyNoTrade(state: ConsoleState, account: string | undefined, isStale: boolean): string | undefined {
  if (!isLive(state)) return 'Not connected. Nothing is sent.'
  const noCommands = whyNoCommands(state)
  if (noCommands !== undefined) return noCommands
  if (state.flags?.panic !== undefined) return 'Panic is on: nothing runs but what stops and looks.'
  if (guardOf(state, account) === 'halted')
    return 'Halted. Only cancels reach the exchange. Type `resume` in the hookline terminal to trade again.'
  return isStale ? 'Prices are old. Orders wait until they are back.' : undefined
}

function guardOf({ flags, focus }: ConsoleState, account: string | undefined): string | undefined {
  const row = flags?.accounts?.find((each) => each.account === account)
  return row === undefined && focus?.account === account ? flags?.guard : row?.guard
}
