// `notices` (behaviours 19 and 50): where the operator is told things away from the terminal. Only a person at this machine says where.
import { defined } from '../../base/defined.ts'
import type { Argument } from '../../language/chain.ts'
import { LanguageError } from '../../language/language-error.ts'
import { printable } from '../../language/printable.ts'
import { type ChannelStatus, NoticeError, ownerOf } from '../../notices/notice.ts'
import { shownUrl } from '../../notices/webhook.ts'
import { type ChannelSettings, listensIn, QUIET, withoutChannel, withQuiet } from '../../stores/notices.ts'
import { showMoment } from '../../trading/figures.ts'
import type { CommandContext, CommandFamily, CommandForm } from '../kit/command.ts'
import type { NoticesData } from '../kit/data.ts'
import { CommandError, describeRefusal, isRefusal } from '../kit/errors.ts'
import { renderTable } from '../kit/lines.ts'
import { refuseMoreThan, requireText } from '../kit/read-arguments.ts'
import { add } from './add.ts'
import { listen } from './listen.ts'

const list: CommandForm<'config' | 'notices' | 'noticeResults'> = {
  name: 'list',
  usage: '',
  summary: 'channels with their kinds and the result of their last notice',
  where: 'trusted',
  rows: true,
  immediate: true,
  examples: [{ line: 'notices', meaning: 'channels with their kinds and their last result' }],
  run({ out, ports }, args) {
    refuseMoreThan(0, args)
    const { channels, quiet } = ports.config.read().notices
    // Another process may be the one that sends.
    const status = ports.notices
      .status()
      .map((each) => ({ ...each, last: each.last ?? ports.noticeResults.find(each.name) }))
    const data = dataOf(channels, status, quiet)
    if (channels.length === 0) {
      return out.info('notices go only to the terminal; `notices add` sends them elsewhere too', data)
    }
    const rows = channels.map((channel, index) => rowOf(channel, status[index]))
    out.print(renderTable([{ title: 'channel' }, { title: 'to' }, { title: 'kinds' }, { title: 'last' }], rows), data)
    if (quiet !== undefined) out.info(`from ${quiet.replace('-', ' to ')} only urgent notices are sent`)
  },
}

type Shown = Omit<ChannelStatus, 'last'> & { readonly last: ChannelStatus['last'] | undefined }

function rowOf(channel: ChannelSettings, status: Shown | undefined): string[] {
  const to = listensIn(channel) ? `${whereTo(channel)}, listens` : whereTo(channel)
  return [channel.name, to, kindWords(channel), resultOf(status)]
}

function resultOf(status: Shown | undefined): string {
  const { failed = 0, leftOut = 0, waiting = 0, last } = status ?? {}
  const counts = [
    last === undefined ? 'nothing sent' : `${showMoment(last.at)}: ${printable(last.error ?? 'sent', 80)}`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(leftOut > 0 ? [`${leftOut} left out`] : []),
    ...(waiting > 0 ? [`${waiting} waiting`] : []),
  ]
  return counts.join('; ')
}

function dataOf(
  channels: readonly ChannelSettings[],
  status: readonly Shown[],
  quiet: string | undefined,
): NoticesData {
  return {
    type: 'notices',
    channels: channels.map((channel, index) => {
      const { waiting = 0, sent = 0, failed = 0, leftOut = 0, last } = status[index] ?? {}
      return {
        name: channel.name,
        type: channel.type,
        to: whereTo(channel),
        waiting,
        sent,
        failed,
        leftOut,
        ...defined({ kinds: channel.kinds, lastAt: last?.at }),
        ...defined({ lastError: last?.error }),
        ...(listensIn(channel) ? { listens: true as const } : {}),
      }
    }),
    ...defined({ quiet }),
  }
}

const test: CommandForm<'config' | 'notices'> = {
  name: 'test',
  usage: '[channel]',
  summary: 'send one line through a channel, or through all, and report the result',
  where: 'trusted',
  examples: [{ line: 'notices test', meaning: 'one line on each channel, whatever its kinds and quiet hours' }],
  async run(context, args) {
    refuseMoreThan(1, args)
    const { config, notices } = context.ports
    const { channels } = config.read().notices
    const wanted = args.length === 0 ? channels : [requireChannel(channels, args)]
    if (wanted.length === 0) return context.out.info('no channels; `notices add` makes one')
    const failed = await Promise.all(wanted.map(({ name }) => tryOne(context, notices.test(name), name)))
    if (!failed.includes(true)) return
    throw new CommandError('not-delivered', 'not every channel took it', { hint: '`notices` lists them' })
  },
}

/** @returns whether it failed */
async function tryOne({ out }: CommandContext, delivery: Promise<void>, name: string): Promise<boolean> {
  try {
    await delivery
    out.success(`${name}: sent`)
    return false
  } catch (error) {
    if (!(error instanceof NoticeError)) throw error
    out.error(`${name}: ${error.message}${error.hint === undefined ? '' : ` (${error.hint})`}`)
    return true
  }
}

const remove: CommandForm<'config' | 'credentials'> = {
  name: 'remove',
  usage: '<channel>',
  summary: 'remove a channel and its secret',
  where: 'trusted',
  examples: [{ line: 'notices remove telegram', meaning: 'the token of the bot goes too' }],
  async run(context, args) {
    refuseMoreThan(1, args)
    const { config, credentials } = context.ports
    const { name, keys } = requireChannel(config.read().notices.channels, args)
    await config.changeNotices((notices) => withoutChannel(notices, name))
    await context.audit('notices remove', { name })
    try {
      if (keys !== undefined) await credentials.remove(ownerOf(name), keys)
    } catch (error) {
      if (!isRefusal(error)) throw error
      context.out.warn(`its secret is still in the ${keys?.from ?? 'file'}: ${describeRefusal(error)}`)
    }
    context.out.success(`removed channel ${name}`)
  },
}

const quiet: CommandForm<'config'> = {
  name: 'quiet',
  usage: '<from>-<to>|off',
  summary: 'hours in which only urgent notices are sent, by the clock of this machine',
  where: 'trusted',
  examples: [
    {
      line: 'notices quiet 22:00-07:00',
      meaning: 'at night only halts, lost stops and orders whose outcome is unknown',
    },
    { line: 'notices quiet off', meaning: 'everything at any hour' },
  ],
  complete: ({ words }) => (words.length === 0 ? ['off'] : []),
  async run(context, args) {
    refuseMoreThan(1, args)
    const typed = requireText(args, 0, 'the hours').toLowerCase()
    const hours = typed === 'off' ? undefined : typed
    if (hours !== undefined && (!QUIET.test(hours) || hours.slice(0, 5) === hours.slice(6))) {
      throw new LanguageError('bad-argument', 'invalid hours', args[0]?.column ?? 1, 'type 22:00-07:00')
    }
    await context.ports.config.changeNotices((notices) => withQuiet(notices, hours))
    await context.audit('notices quiet', { hours: hours ?? 'off' })
    context.out.success(
      hours === undefined
        ? 'there are no quiet hours'
        : `from ${hours.replace('-', ' to ')} only urgent notices are sent`,
    )
  },
}

function requireChannel(channels: readonly ChannelSettings[], args: readonly Argument[]): ChannelSettings {
  const name = requireText(args, 0, 'the channel')
  const found = channels.find((channel) => channel.name === name)
  if (found !== undefined) return found
  throw new CommandError('unknown-channel', `no channel ${printable(name, 40)} found`, {
    hint: '`notices` lists them',
  })
}

export const notices: CommandFamily = {
  name: 'notices',
  group: 'session',
  summary: 'channels for notices besides the terminal: desktop, Telegram, webhooks',
  bare: 'list',
  forms: [list, add, test, listen, quiet, remove],
}

// Channels as people read them.

/** Where it goes: `chat 123`, `https://example.com/…`. An address may hold a secret of its receiver. */
function whereTo({ type, chatId, url }: ChannelSettings): string {
  if (type === 'telegram') return `chat ${chatId ?? ''}`
  return type === 'webhook' ? shownUrl(url ?? '') : 'this desktop'
}

function kindWords({ kinds }: ChannelSettings): string {
  if (kinds === undefined) return 'all'
  return kinds.length === 0 ? 'none' : kinds.join(' ')
}
