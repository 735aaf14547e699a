// `help`: the command table, read aloud.
import { shown } from '../../language/printable.ts'
import { CONSOLE_PORT, LISTENER_HOST } from '../../protocol/address.ts'
import { type Command, type CommandForm, type CommandGroup, describeWhere, type SingleCommand } from '../kit/command.ts'
import { CommandError } from '../kit/errors.ts'
import { renderTable } from '../kit/lines.ts'
import { readText } from '../kit/read-arguments.ts'
import { type CommandLookup, DRY, isFamily, JSON_FLAG, namesOf, WIDE } from '../kit/resolve.ts'

export const HEADINGS: Record<CommandGroup, string> = {
  trading: 'Trading',
  market: 'Market',
  account: 'Account',
  history: 'What happened',
  flow: 'Flow',
  tasks: 'Tasks',
  hooks: 'Hooks',
  'cross-trade': 'Cross-trade',
  listener: 'Listener',
  session: 'Session',
}

/** So many are named where several have a form of the name. */
const MAX_FAMILIES = 3

const SIZES = 'Sizes: $250, 0.01, 50%.'
const PRICES = 'Prices: 65000, -0.5%, +100 (from last), $bid -10.'
const FROM_ORDER = "The stop and tp of an order count from the order's own price."
const TIMES = 'Times are in UTC (`times local` shows yours).'
const KEYS =
  'Keys: Tab completes; Ctrl-R searches what was typed before, and Enter runs what it found; Ctrl-C stops what runs; Ctrl-Z returns to the shell.'
const CHAINS = [
  '`a; b` and `a && b` run b if a succeeded, `a || b` if it failed; `a & b` runs',
  'both at once. && and || bind tighter than &, and & tighter than ;. Quotes',
  'protect them. A failed step ends its chain: what did not run is named, and',
  'nothing is undone: orders that were placed before it stay.',
]

const FOOTER = [...CHAINS, `${SIZES} ${PRICES}`, FROM_ORDER, `${TIMES} Type \`help <command>\` for more.`, KEYS].join(
  '\n',
)

const SHORT_FOOTER = [
  `${SIZES} ${PRICES}`,
  'Try `buy $1000 stop -2%`, then `positions`; `close` ends it. `a; b` runs both.',
  '`help buy` shows one command, `help all` all with their summaries, `help console` the console.',
  'Tab completes; Ctrl-R searches what was typed; Ctrl-C stops what runs.',
].join('\n')

/** What `help` names besides commands. */
const TOPICS: readonly (readonly [RegExp, readonly string[]])[] = [
  [
    /^(sizes?|amounts?)$/i,
    [
      SIZES,
      '$250 is money, 0.01 an amount of the coin. 50% is of the free balance to enter, of the position to close.',
      'risk 1% is sized so that the stop loses 1% of equity; $equity/10 and $balance/2 are computed.',
    ],
  ],
  [
    /^prices?$/i,
    [
      PRICES,
      FROM_ORDER,
      '$last, $bid, $ask and $entry take an offset: $entry +1%. 2R behind tp is twice the distance of the stop.',
    ],
  ],
  [/^times?$/i, [TIMES, 'Durations are 250ms, 5s, 2m, 4h or 1d; a time of day is 14:30.']],
  [
    /^(console|desk|browser|web)$/i,
    [
      `The console is at http://${LISTENER_HOST}:${CONSOLE_PORT}, in a browser of this machine, while hookline listens.`,
      '`hookline web --open`, in a shell, opens it.',
      'The first page of a browser asks for access: `y` at the prompt approves it. `status` shows whether it is served.',
    ],
  ],
  [/^(keys?|tab|enter|(shift|ctrl)-\w+)$/i, [KEYS]],
  [/^(chains?|quotes?)$/i, [CHAINS.join('\n')]],
  [
    /^(exec|listen|doctor|service|web|mcp|proxy|bug|completion)$/i,
    [
      'exec, listen, doctor, service, web and proxy are typed in a shell: `hookline --help` lists them.',
      "`hookline exec 'positions'` runs one line of the prompt and ends.",
    ],
  ],
]

/**
 * A heading of `help` with its commands, or what it says of sizes, prices and keys.
 * @returns undefined where it names neither
 */
export function describeTopic(commands: readonly Command[], words: readonly string[]): readonly string[] | undefined {
  const typed = words.join(' ').toLowerCase()
  const topic = TOPICS.find(([name]) => name.test(typed))
  if (topic !== undefined) return topic[1]
  const [group, heading] = Object.entries(HEADINGS).find(([, name]) => isHeading(name.toLowerCase(), typed)) ?? []
  if (heading === undefined) return undefined
  const rows = commands.filter((command) => command.group === group).map((each) => rowOf(each))
  return [heading, renderTable([{ title: '' }, { title: '' }], rows)]
}

function isHeading(heading: string, typed: string): boolean {
  return heading === typed || heading.split(' ').includes(typed)
}

export function helpCommand(lookup: CommandLookup): SingleCommand {
  return {
    name: 'help',
    aliases: ['?'],
    group: 'session',
    usage: '[command | topic | all]',
    summary: 'list commands by topic, or explain one',
    where: 'anywhere',
    immediate: true,
    examples: [
      { line: 'help', meaning: 'the names of all commands, by topic' },
      { line: 'help all', meaning: 'every command with one line each' },
      { line: 'help buy', meaning: 'how it is used, with examples' },
      { line: 'help sizes', meaning: 'one topic; also prices, times, keys, chains, console and each heading' },
      { line: 'help hook create', meaning: 'one form of a family' },
    ],
    complete: ({ words, commands }) => {
      const command = words.length === 1 && words[0] !== undefined ? lookup.find(words[0]) : undefined
      if (words.length === 0) return ['all', ...commands]
      return command !== undefined && isFamily(command) ? command.forms.map((form) => form.name) : []
    },
    run(context, args) {
      const [name, formName] = args.map(readText)
      const parts =
        name === undefined
          ? describeTopics(lookup.all())
          : name.toLowerCase() === 'all'
            ? describeAll(lookup.all())
            : describe(lookup, name, formName)
      for (const part of parts) context.out.print(part)
    },
  }
}

/** The names under their headings: one screen of 24 rows, also at 80 columns. */
export function describeTopics(commands: readonly Command[]): readonly string[] {
  const rows = Object.entries(HEADINGS).flatMap(([group, heading]) => {
    const names = commands.filter((command) => command.group === group).map(({ name }) => name)
    return names.length === 0 ? [] : [[heading, names.join(' ')]]
  })
  return [renderTable([{ title: '' }, { title: '' }], rows), SHORT_FOOTER]
}

/** Every command under its heading, one line each. In parts: a table is an output of its own, so that a narrow terminal can fold it. */
export function describeAll(commands: readonly Command[]): readonly string[] {
  const groups = Object.entries(HEADINGS).map(([group, heading]) => {
    const rows = commands.filter((command) => command.group === group)
    return { heading, rows: rows.map(rowOf) }
  })
  const filled = groups.filter(({ rows }) => rows.length > 0)
  // One table for all, so that the summaries share one column; a row without a summary is a heading.
  const table = renderTable(
    [{ title: '' }, { title: '' }],
    filled.flatMap(({ heading, rows }) => [[heading], ...rows, []]),
  )
  return [table, FOOTER]
}

function rowOf(command: Command): readonly string[] {
  return [`  ${namesOf(command).join(', ')}`, command.summary]
}

/** A command goes before a topic of its name. @throws {CommandError} `unknown-command` */
export function describe(lookup: CommandLookup, name: string, formName: string | undefined): readonly string[] {
  const words = formName === undefined ? [name] : [name, formName]
  const topic = lookup.find(name) === undefined ? describeTopic(lookup.all(), words) : undefined
  return topic ?? describeOne(lookup, name, formName)
}

/** How one command, or one form of a family, is used. In parts, as `describeAll`. */
function describeOne(lookup: CommandLookup, name: string, formName: string | undefined): readonly string[] {
  const args = formName === undefined ? [] : [{ kind: 'word', text: formName, column: 1 } as const]
  if (formName === undefined && lookup.find(name) === undefined) refuseFormAlone(lookup, name.toLowerCase())
  const { path, form } = lookup.resolve({ name, column: 1, args })
  const command = lookup.find(name)
  if (command === undefined || !isFamily(command) || formName !== undefined) return describeForm(path, form)
  const rows = command.forms.map((each) => [`  ${command.name} ${each.name}`, each.summary])
  const [first] = command.forms
  return [
    `${command.summary}; a bare \`${command.name}\` is \`${command.name} ${command.bare}\``,
    renderTable([{ title: '' }, { title: '' }], rows),
    `\`help ${command.name} ${first?.name ?? ''}\` shows the arguments and examples of one`,
  ]
}

/** `help replay`: a form is found under its family. @throws {CommandError} `unknown-command` */
function refuseFormAlone(lookup: CommandLookup, name: string): void {
  const families = lookup
    .all()
    .filter((command) => isFamily(command) && command.forms.some((form) => form.name === name))
  if (families.length === 0) return
  const lines = families.slice(0, MAX_FAMILIES).map((family) => `\`help ${family.name} ${name}\``)
  throw new CommandError('unknown-command', `unknown command ${shown(name)}`, { hint: `type ${lines.join(' or ')}` })
}

function describeForm(path: string, form: CommandForm): readonly string[] {
  const aliases = form.aliases === undefined ? '' : ` (also ${form.aliases.join(', ')})`
  const dry = form.sends === true ? ` [${DRY}]` : ''
  const wide = form.takesWide === true ? ` [${WIDE}]` : ''
  const json = form.rows === true ? ` [${JSON_FLAG}]` : ''
  const usage = form.usage.split('\n').map((line) => {
    // What the line above goes on with.
    if (line.startsWith(' ')) return `    ${line.trim()}`
    return `  ${`${path} ${line}`.trimEnd()}${wide}${line.includes(JSON_FLAG) ? '' : json}${dry}`
  })
  const examples = renderTable(
    [{ title: '' }, { title: '' }],
    form.examples.map((example) => [`  ${example.line}`, example.meaning]),
  )
  const place = form.where === 'anywhere' ? [] : [describeWhere(form.where)]
  return [
    [`${path}${aliases}: ${form.summary}`, ...place, ...usage, 'for example'].join('\n'),
    examples,
    // In one, so that a narrow terminal folds the second column of them all alike.
    ...(form.details === undefined ? [] : [form.details.join('\n')]),
  ]
}
