// The one table of what can be typed. Dispatch, help, completion, and where a command may run all come from it.
import { account } from './account/account.ts'
import { exchanges } from './account/exchanges.ts'
import { balance, orders } from './account/holdings.ts'
import { paper } from './account/paper.ts'
import { positions } from './account/positions.ts'
import { vault } from './account/vault.ts'
import { watch } from './account/watch.ts'
import { crossTrade } from './cross-trade/cross-trade.ts'
import { aliasCommand, unalias } from './flow/alias.ts'
import { echo, notify } from './flow/echo.ts'
import { repeat } from './flow/repeat.ts'
import { set, unset } from './flow/variables.ts'
import { sleep, wait } from './flow/wait.ts'
import { exportTax } from './history/export.ts'
import { fills } from './history/fills.ts'
import { note } from './history/note.ts'
import { pnl } from './history/pnl.ts'
import { session } from './history/session.ts'
import { trades } from './history/trades.ts'
import { hookFamily } from './hooks/hook.ts'
import type { Command } from './kit/command.ts'
import { createCommandLookup } from './kit/resolve.ts'
import { approve, clients, deny } from './listener/clients.ts'
import { listener } from './listener/listener.ts'
import { proposals } from './listener/proposals.ts'
import { switches } from './listener/switch.ts'
import { book, markets, price } from './market/market-data.ts'
import { symbol } from './market/symbol.ts'
import { notices } from './notices/notices.ts'
import { audit } from './session/audit.ts'
import { guardsFamily } from './session/guards.ts'
import { halt } from './session/halt.ts'
import { helpCommand } from './session/help.ts'
import { panic } from './session/panic.ts'
import { clear, exit, history, times } from './session/prompt-only.ts'
import { resume } from './session/resume.ts'
import { runs } from './session/runs.ts'
import { login, logout, whoami } from './session/sign-in.ts'
import { sim } from './session/sim.ts'
import { status } from './session/status.ts'
import { alert } from './tasks/alert.ts'
import { chase } from './tasks/chase.ts'
import { dca } from './tasks/dca.ts'
import { grid } from './tasks/grid.ts'
import { oco } from './tasks/oco.ts'
import { kill, tasks } from './tasks/tasks.ts'
import { trail } from './tasks/trail.ts'
import { twap } from './tasks/twap.ts'
import { atCommand, everyCommand, whenCommand } from './tasks/when.ts'
import { amend, bump, move } from './trading/amend.ts'
import { cancel } from './trading/cancel.ts'
import { close } from './trading/close.ts'
import { buy, sell } from './trading/enter.ts'
import { leverage, margin } from './trading/margin.ts'
import { nuke } from './trading/nuke.ts'
import { flip, position } from './trading/position.ts'
import { scale } from './trading/scale.ts'
import { stop } from './trading/stop.ts'
import { swarm } from './trading/swarm.ts'
import { take } from './trading/take.ts'

/** The table as a lookup, for those who resolve more than one call. */
export const lookup = createCommandLookup(() => commands)

/** In the order in which `help` shows them under their headings. */
export const commands: readonly Command[] = [
  buy,
  sell,
  scale,
  swarm,
  stop,
  take,
  close,
  position,
  flip,
  cancel,
  amend,
  chase,
  twap,
  dca,
  grid,
  trail,
  oco,
  move,
  bump,
  nuke,
  leverage,
  margin,
  symbol,
  markets,
  price,
  book,
  alert,
  watch,
  balance,
  positions,
  orders,
  fills,
  trades,
  pnl,
  session,
  note,
  exportTax,
  account,
  vault,
  exchanges,
  paper,
  sleep,
  wait,
  echo,
  notify,
  set,
  unset,
  aliasCommand(lookup),
  unalias,
  repeat,
  whenCommand(lookup),
  everyCommand(lookup),
  atCommand(lookup),
  tasks,
  kill,
  hookFamily(lookup),
  crossTrade,
  listener,
  switches,
  clients,
  approve,
  deny,
  proposals,
  status,
  audit,
  notices,
  login,
  logout,
  whoami,
  helpCommand(lookup),
  history,
  runs,
  panic,
  halt,
  resume,
  guardsFamily,
  sim,
  times,
  clear,
  exit,
]

/** By name or alias, in any case. */
export const findCommand = lookup.find

/** @throws {CommandError} `unknown-command`, with the nearest name as the hint */
export const resolveForm = lookup.resolve
