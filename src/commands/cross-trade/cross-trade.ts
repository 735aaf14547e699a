// `cross-trade`: which account copies which, and the engine that does it (behaviours 24, 42).
import type { CommandFamily } from '../kit/command.ts'
import { add, copier } from './add.ts'
import { resync, start, stop } from './engine.ts'
import { list, show, status } from './show.ts'
import { disable, enable, remove } from './switch.ts'

export const crossTrade: CommandFamily = {
  name: 'cross-trade',
  aliases: ['ct'],
  group: 'cross-trade',
  summary: 'one account copies another: list, add, copier, enable, disable, remove, resync, start, stop, status',
  bare: 'list',
  forms: [list, show, add, copier, enable, disable, remove, resync, start, stop, status],
}
