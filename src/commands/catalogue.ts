// The one table of what can be typed. Dispatch, help, completion, and where a command may run all come from it.
import { account } from './account.ts'
import { aliasCommand, unalias } from './alias.ts'
import { cancel } from './cancel.ts'
import { approve, clients, deny } from './clients.ts'
import { close } from './close.ts'
import type { Command } from './command.ts'
import { echo } from './echo.ts'
import { buy, sell } from './enter.ts'
import { helpCommand } from './help.ts'
import { balance, orders, positions } from './holdings.ts'
import { hookFamily } from './hook.ts'
import { listener } from './listener.ts'
import { markets, price } from './market-data.ts'
import { repeat } from './repeat.ts'
import { createCommandLookup } from './resolve.ts'
import { runs } from './runs.ts'
import { clear, exit, history } from './session.ts'
import { sleep } from './sleep.ts'
import { status } from './status.ts'
import { stop } from './stop.ts'
import { symbol } from './symbol.ts'
import { set, unset } from './variables.ts'
import { wait } from './wait.ts'

/** The table as a lookup, for those who resolve more than one call. */
export const lookup = createCommandLookup(() => commands)

/** In the order in which `help` shows them under their headings. */
export const commands: readonly Command[] = [
  buy,
  sell,
  stop,
  close,
  cancel,
  symbol,
  markets,
  price,
  balance,
  positions,
  orders,
  account,
  sleep,
  wait,
  echo,
  set,
  unset,
  aliasCommand(lookup),
  unalias,
  repeat,
  hookFamily(lookup),
  listener,
  clients,
  approve,
  deny,
  status,
  helpCommand(lookup),
  history,
  runs,
  clear,
  exit,
]

/** By name or alias, in any case. */
export const findCommand = lookup.find

/** @throws {CommandError} `unknown-command`, with the nearest name as the hint */
export const resolveForm = lookup.resolve
