// The reference pages of the site, from what the program itself works by: the table of commands, the frames, the tables of behaviour 22.
import { toJSONSchema } from 'zod/v4/core'
import { commands } from '../src/commands/catalogue.ts'
import { type Command, type CommandForm, type CommandGroup, describeWhere } from '../src/commands/kit/command.ts'
import { DRY, isFamily, JSON_FLAG, namesOf, WIDE } from '../src/commands/kit/resolve.ts'
import { HEADINGS } from '../src/commands/session/help.ts'
import { CLOSE_CODES, clientFrame, serverFrame, TOPICS } from '../src/protocol/frames.ts'

// --- Markdown -------------------------------------------------------------------------------------------------------------------

const fence = (language: string, lines: readonly string[]): string => [`\`\`\`${language}`, ...lines, '```'].join('\n')

/** A code span, also of text with backquotes. */
function code(text: string): string {
  return text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``
}

function table(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(titles), `|${'---|'.repeat(titles.length)}`, ...rows.map(line)].join('\n')
}

function sentence(text: string): string {
  const plain = escaped(text)
  return `${plain.charAt(0).toUpperCase()}${plain.slice(1)}.`
}

/** Outside of code spans, what HTML would read. */
function escaped(text: string): string {
  return text
    .split('`')
    .map((part, index) => (index % 2 === 0 ? part.replaceAll('<', '&lt;').replaceAll('{{', '{&#8203;{') : part))
    .join('`')
}

// --- Commands of the prompt -----------------------------------------------------------------------------------------------------

/** Each heading of `help`, with the name of its page. */
export const COMMAND_PAGES: readonly { readonly slug: string; readonly title: string; readonly group: CommandGroup }[] =
  (Object.entries(HEADINGS) as [CommandGroup, string][]).map(([group, title]) => ({ slug: group, title, group }))

export function commandPage(group: CommandGroup): string {
  const rows = commands.filter((command) => command.group === group)
  return [
    `# ${HEADINGS[group]}`,
    'Commands of the prompt. `hookline exec`, hooks, pages and pipes run the same ones, where each may be. `hookline help <command>` prints the same.',
    ...rows.flatMap(describeCommand),
    '',
  ].join('\n\n')
}

function describeCommand(command: Command): readonly string[] {
  if (!isFamily(command)) return describeForm(command.name, command, 2)
  return [
    `## ${command.name}`,
    `${sentence(command.summary)} A bare \`${command.name}\` is \`${command.name} ${command.bare}\`.${alsoCalled(command)}`,
    ...command.forms.flatMap((form) => describeForm(`${command.name} ${form.name}`, form, 3)),
  ]
}

function describeForm(path: string, form: CommandForm, level: number): readonly string[] {
  const flags = [form.takesWide && WIDE, form.rows && JSON_FLAG, form.sends && DRY].filter(
    (flag): flag is string => typeof flag === 'string',
  )
  const usage = form.usage.split('\n').map((line) => {
    if (line.startsWith(' ')) return `    ${line.trim()}`
    const more = flags.filter((flag) => !line.includes(flag)).map((flag) => `[${flag}]`)
    return [path, line, ...more].filter((part) => part !== '').join(' ')
  })
  const place = form.where === 'anywhere' ? '' : ` ${sentence(`it ${describeWhere(form.where)}`)}`
  return [
    `${'#'.repeat(level)} ${path}`,
    `${sentence(form.summary)}${place}${alsoCalled(form)}`,
    fence('usage', usage),
    ...(form.examples.length === 0
      ? []
      : [
          table(
            ['example', 'what it does'],
            form.examples.map(({ line, meaning }) => [code(line), escaped(meaning)]),
          ),
        ]),
    ...(form.details === undefined ? [] : [fence('text', form.details)]),
  ]
}

function alsoCalled({ aliases = [] }: Pick<CommandForm, 'aliases'>): string {
  return aliases.length === 0 ? '' : ` Also: ${aliases.map(code).join(', ')}.`
}

/** Every command with the page that has it. */
export function commandIndex(): string {
  const rows = commands.map((command) => {
    const names = namesOf(command).map(code).join(', ')
    return [`[${names}](commands-${command.group}.md#${command.name})`, escaped(command.summary)]
  })
  return ['# Commands', 'All commands of the prompt.', table(['command', 'what it does'], rows), ''].join('\n\n')
}

// --- Frames ---------------------------------------------------------------------------------------------------------------------

interface Schema {
  readonly type?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly minimum?: number
  readonly maximum?: number
}

type FrameUnion = typeof clientFrame | typeof serverFrame

/** The frames of one side, each with its fields, as JSON Schema. */
export function framesOf(union: FrameUnion): readonly (Schema & { readonly name: string })[] {
  const schema = toJSONSchema(union, { unrepresentable: 'any', io: 'input', reused: 'inline' }) as Schema
  return (schema.oneOf ?? schema.anyOf ?? []).map((frame) => ({ ...frame, name: String(frame.properties?.t?.const) }))
}

export function framePage(): string {
  return [
    '# Frames',
    'Every frame of the WebSocket, from the schemas that hookline checks them with. [The protocol](../PROTOCOL.md) has their order, their meaning and their timeouts.',
    '## From a client',
    ...framesOf(clientFrame).flatMap(describeFrame),
    '## From hookline',
    ...framesOf(serverFrame).flatMap(describeFrame),
    '## Topics',
    TOPICS.map(code).join(', '),
    '## Close codes',
    table(
      ['code', 'again', 'meaning'],
      Object.values(CLOSE_CODES).map(({ code: number, retry, meaning }) => [String(number), retry, escaped(meaning)]),
    ),
    '',
  ].join('\n\n')
}

function describeFrame({
  name,
  properties = {},
  required = [],
}: Schema & { readonly name: string }): readonly string[] {
  const fields = Object.entries(properties).filter(([field]) => field !== 't')
  const purpose = `[Its purpose](../PROTOCOL.md#${name.replaceAll(':', '')}).`
  if (fields.length === 0) return [`### ${name}`, `No fields. ${purpose}`]
  const rows = fields.map(([field, schema]) => [code(field), required.includes(field) ? 'yes' : 'no', kindOf(schema)])
  return [`### ${name}`, purpose, table(['field', 'required', 'kind'], rows)]
}

function kindOf(schema: Schema): string {
  const { type, enum: values, anyOf, oneOf, items, properties } = schema
  if (schema.const !== undefined) return code(String(schema.const))
  if (values !== undefined) return values.map((value) => code(String(value))).join(', ')
  const either = anyOf ?? oneOf
  if (either !== undefined) return [...new Set(either.map(kindOf))].join(' or ')
  if (type === 'array') {
    const most = schema.maxItems === undefined ? '' : `, ${within(schema.minItems, schema.maxItems)}`
    return `list${most}${items === undefined ? '' : ` of ${kindOf(items)}`}`
  }
  if (properties !== undefined) return `object: ${Object.keys(properties).map(code).join(', ')}`
  if (type === 'string') {
    return schema.maxLength === undefined ? 'text' : `text, ${within(schema.minLength, schema.maxLength)} characters`
  }
  if (type === 'integer' || type === 'number') {
    const { minimum, maximum } = schema
    // The bounds of what a number can hold say nothing.
    const isBounded = maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER
    return isBounded ? `${type}, ${within(minimum, maximum)}` : type
  }
  return type ?? 'any value'
}

function within(least: number | undefined, most: number): string {
  return least === undefined || least === 0 ? `at most ${most}` : `${least} to ${most}`
}

// --- Files of state -------------------------------------------------------------------------------------------------------------

/** @param behaviour docs/behaviour.md, whose statement 22 has the tables */
export function filesPage(behaviour: string): string {
  const statement = /### <a id="22"><\/a>22\.[\s\S]*?(?=\n### )/.exec(behaviour)?.[0] ?? ''
  const [settings = '', files = ''] = statement.match(/(?:^\|.*\n)+/gm) ?? []
  return [
    '# Settings and files',
    'State lives in `~/.hookline`; `HOOKLINE_CONFIG_DIR` moves it. You may edit the files while hookline runs. [Behaviour 22](../docs/behaviour.md#22) has the rules of reading and writing.',
    '## config.json',
    settings.trim(),
    '## Every file',
    files.trim(),
    '',
  ].join('\n\n')
}

// --- The shell ------------------------------------------------------------------------------------------------------------------

/** What `hookline help <path>` prints. */
export interface Help {
  readonly path: string
  readonly text: string
}

export function shellPage(helps: readonly Help[]): string {
  return [
    '# In the shell',
    'What a shell may type, as `hookline help` prints it. Lines of the prompt run by `hookline exec "<line>"`.',
    ...helps.flatMap(({ path, text }) => [`## ${`hookline ${path}`.trim()}`, fence('text', [text.trim()])]),
    '',
  ].join('\n\n')
}
