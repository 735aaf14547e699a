// `switch`: the kill switches of config.json (behaviours 19 and 22). Anyone may turn one off; turning one on takes the terminal.
import type { Argument } from '../../language/chain.ts'
import { printable } from '../../language/printable.ts'
import { switchesBy } from '../../stores/config.ts'
import { SWITCHES, type Switch } from '../../stores/stops.ts'
import type { CommandContext, CommandFamily, CommandForm } from '../kit/command.ts'
import type { SwitchesData } from '../kit/data.ts'
import { CommandError } from '../kit/errors.ts'
import { renderTable } from '../kit/lines.ts'
import { refuseMoreThan, requireText } from '../kit/read-arguments.ts'

type Need = 'config' | 'stops'

/** What a switch permits. */
const MEANING: Readonly<Record<Switch, string>> = {
  enabled: 'hookline listens: hooks fire and pages connect',
  accountSync: 'pages see accounts and change them',
  remoteExec: 'hooks fire and pages run commands',
}

/** What `status` reports of a switch that is off. A listener that is off has a row of its own. */
export const OFF_TEXTS: Readonly<Record<Exclude<Switch, 'enabled'>, string>> = {
  remoteExec: 'off: hooks do not fire and web pages cannot run commands',
  accountSync: 'off: web pages do not see accounts and cannot change them',
}

const list: CommandForm<Need> = {
  name: 'list',
  usage: '',
  summary: 'the switches of config.json and their values',
  where: 'anywhere',
  rows: true,
  immediate: true,
  examples: [{ line: 'switch', meaning: 'which are on, and what each is for' }],
  run({ ports, out }, args) {
    refuseMoreThan(0, args)
    const data = switchesOf(ports)
    const rows = SWITCHES.map((name) => [name, data[name] ? 'on' : 'off', MEANING[name]])
    out.print(renderTable([{ title: 'switch' }, { title: '' }, { title: 'when on' }], rows), data)
  },
}

const off: CommandForm<Need> = {
  name: 'off',
  usage: '<switch>',
  summary: 'turn a switch off, from anywhere; only a terminal turns it on again',
  where: 'anywhere',
  immediate: true,
  examples: [
    { line: 'switch off remoteExec', meaning: 'no hook fires and no page runs a command any more' },
    { line: 'switch off accountSync', meaning: 'pages see no accounts any more' },
  ],
  complete: ({ words }) => (words.length === 0 ? SWITCHES : []),
  check: (args) => readSwitch(args),
  async run(context, args) {
    const name = readSwitch(args)
    const { config, stops } = context.ports
    if (!config.read().listener[name]) return context.out.info(`${name} is off already`, switchesOf(context.ports))
    // This run has done what it was for, and is not cut short by it; no further step of it begins.
    stops.spare(context.runId)
    await config.turn(name, false)
    context.out.warn(`${name} is off; \`switch on ${name}\` in a terminal turns it on again`, switchesOf(context.ports))
    await context.audit('switch off', { switch: name })
  },
}

const on: CommandForm<Need> = {
  name: 'on',
  neverGuessed: true,
  usage: '<switch>',
  summary: 'turn a switch on again',
  where: 'trusted',
  examples: [{ line: 'switch on remoteExec', meaning: 'hooks fire, and pages run commands' }],
  complete: ({ words }) => (words.length === 0 ? SWITCHES : []),
  check: (args) => readSwitch(args),
  async run(context, args) {
    const name = readSwitch(args)
    const { config } = context.ports
    if (config.read().listener[name]) return context.out.info(`${name} is on already`, switchesOf(context.ports))
    await config.turn(name, true)
    requireOn(context, name)
    context.out.success(`${name} is on`, switchesOf(context.ports))
    await context.audit('switch on', { switch: name })
  },
}

export const switches: CommandFamily = {
  name: 'switch',
  group: 'listener',
  summary: 'switches of the listener, of account sync and of remote commands',
  bare: 'list',
  forms: [list, off, on],
}

/** Any case: who is in a hurry does not look at capitals. */
function readSwitch(args: readonly Argument[]): Switch {
  const text = requireText(args, 0, 'which switch')
  refuseMoreThan(1, args)
  const name = SWITCHES.find((each) => each.toLowerCase() === text.toLowerCase())
  if (name !== undefined) return name
  throw new CommandError('unknown-switch', `no switch ${printable(text, 40)} found`, {
    hint: `use ${SWITCHES.join(', ')}`,
  })
}

/** What else the file says may keep it off. */
function requireOn({ ports }: CommandContext<Need>, name: Switch): void {
  if (ports.config.read().listener[name]) return
  throw new CommandError('still-off', `${name} is written as on, and config.json is still ambiguous about it`, {
    hint: '`status` shows the error in the file',
  })
}

function switchesOf({ config }: Pick<CommandContext<Need>['ports'], 'config'>): SwitchesData {
  const { listener } = config.read()
  return { type: 'switches', ...switchesBy((name) => listener[name]) }
}
