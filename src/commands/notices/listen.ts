// `notices listen`: what the operator writes to the bot counts (behaviour 147). A code that the bot sends into the chat and a person types here proves
// that the chat is theirs.
import { randomInt } from 'node:crypto'
import { NoticeError } from '../../notices/notice.ts'
import { type ChannelSettings, listensIn, PRIVATE_CHAT, withChannel } from '../../stores/notices.ts'
import { askSecret } from '../account/dialog.ts'
import type { CommandContext, CommandForm } from '../kit/command.ts'
import { CommandError } from '../kit/errors.ts'
import { refuseMoreThan, requireText } from '../kit/read-arguments.ts'

type Need = 'config' | 'notices' | 'terminal'

const CODE_MS = 300_000
const TRIES = 3

export const listen: CommandForm<Need> = {
  name: 'listen',
  usage: 'telegram|off',
  summary: 'let your chat with the bot look, cancel, close, halt and panic; a code proves that it is yours',
  where: 'trusted',
  asks: true,
  underPanic: true,
  examples: [
    { line: 'notices listen telegram', meaning: 'the bot sends a code, which is asked for here' },
    { line: 'notices listen off', meaning: 'messages to the bot do nothing again' },
  ],
  complete: ({ words }) => (words.length === 0 ? ['telegram', 'off'] : []),
  async run(context, args) {
    refuseMoreThan(1, args)
    const typed = requireText(args, 0, '`telegram` or `off`').toLowerCase()
    const channel = context.ports.config.read().notices.channels.find(({ type }) => type === 'telegram')
    if (typed === 'off') return turnOff(context, channel)
    if (typed !== 'telegram' || channel === undefined) {
      throw new CommandError('unknown-channel', 'only a Telegram channel can listen', {
        hint: 'type `notices add telegram <chat>` first',
      })
    }
    await turnOn(context, channel)
  },
}

async function turnOff(context: CommandContext<Need>, channel: ChannelSettings | undefined): Promise<void> {
  if (channel === undefined || !listensIn(channel)) return context.out.info('no channel listens')
  const { listensTo: _, ...others } = channel
  await context.ports.config.changeNotices((notices) => withChannel(notices, others))
  await context.audit('notices listen', { name: channel.name, listens: false })
  context.out.success('messages to the bot do nothing from now on')
}

async function turnOn(context: CommandContext<Need>, channel: ChannelSettings): Promise<void> {
  const { chatId = '' } = channel
  if (!PRIVATE_CHAT.test(chatId)) {
    throw new CommandError('not-private', 'this is the chat of a group, in which others can write too', {
      hint: 'write to the bot in a private chat, and add that chat',
    })
  }
  await prove(context, channel.name)
  const isSame = ({ notices }: ReturnType<typeof context.ports.config.read>) =>
    notices.channels.some((each) => each.type === 'telegram' && each.chatId === chatId)
  if (!isSame(context.ports.config.read())) {
    throw new CommandError('changed', 'the channel was changed meanwhile; nothing listens', {
      hint: 'type `notices listen telegram` again',
    })
  }
  await context.ports.config.changeNotices((notices) => withChannel(notices, { ...channel, listensTo: chatId }))
  await context.audit('notices listen', { name: channel.name, chat: chatId, listens: true })
  context.out.success(
    `chat ${chatId} may look, cancel, close, halt and panic, while hookline listens; write \`help\` to the bot`,
  )
}

/** @throws {CommandError} `not-proven`, `not-delivered` */
async function prove(context: CommandContext<Need>, name: string): Promise<void> {
  const code = String(randomInt(1_000_000)).padStart(6, '0')
  const until = context.clock.now() + CODE_MS
  try {
    await context.ports.notices.sendNow(
      name,
      `${code} proves this chat to hookline. Type it where you typed the command. If you did not, change the token of the bot.`,
    )
  } catch (error) {
    if (!(error instanceof NoticeError)) throw error
    throw new CommandError('not-delivered', `the code could not be sent: ${error.message}`, {
      cause: error,
      ...(error.hint === undefined ? {} : { hint: error.hint }),
    })
  }
  for (let tries = 0; tries < TRIES; tries++) {
    const typed = await askSecret(context, 'code in the chat: ')
    if (context.clock.now() >= until) break
    if (typed.replaceAll(/\s/g, '') === code) return
    context.out.warn('this is not the code')
  }
  throw new CommandError('not-proven', 'the chat was not proven; nothing listens', {
    hint: 'type `notices listen telegram` for another code',
  })
}
