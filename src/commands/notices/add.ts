// `notices add`: another channel. Its secret is asked for without echo and kept where keys are kept; config.json has where that is.
import type { Argument } from '../../language/chain.ts'
import { LanguageError } from '../../language/language-error.ts'
import { shown } from '../../language/printable.ts'
import { NOTICE_KINDS, type NoticeKind, ownerOf } from '../../notices/notice.ts'
import { isBotToken } from '../../notices/telegram.ts'
import { readSigningSecret, readWebhookUrl } from '../../notices/webhook.ts'
import {
  CHANNEL_TYPES,
  CHAT_ID,
  type ChannelSettings,
  type ChannelType,
  MAX_WEBHOOKS,
  WEBHOOK_NAME,
  withChannel,
} from '../../stores/notices.ts'
import { askSecret, prepareVault } from '../account/dialog.ts'
import type { CommandContext, CommandForm } from '../kit/command.ts'
import { CommandError } from '../kit/errors.ts'
import { missing, readText, requireText, takeOption } from '../kit/read-arguments.ts'

type Need = 'config' | 'credentials' | 'terminal'

const SOURCES = ['vault', 'keychain', 'file'] as const
type SecretSource = (typeof SOURCES)[number]

interface Wanted {
  readonly channel: ChannelSettings
  readonly source: SecretSource
}

export const add: CommandForm<Need> = {
  name: 'add',
  usage: 'desktop|telegram <chat>|webhook <name> <url> [--kinds <kind,…>] [--keys vault|keychain|file]',
  summary: 'add a channel for notices; hookline asks for its token or secret without echo',
  where: 'trusted',
  asks: true,
  examples: [
    { line: 'notices add desktop', meaning: 'desktop pop-ups, by notify-send or osascript' },
    { line: 'notices add telegram 123456789', meaning: 'asks for the token that @BotFather gave your bot' },
    {
      line: 'notices add webhook phone https://example.com/hookline --kinds stop,halt',
      meaning: 'posts those kinds, signed with a secret that begins with whsec_',
    },
  ],
  complete({ words }) {
    const last = words.at(-1)
    if (last === '--keys') return SOURCES
    if (last === '--kinds') return NOTICE_KINDS
    return words.length === 0 ? CHANNEL_TYPES : ['--kinds', '--keys']
  },
  async run(context, args) {
    const { channel, source } = readWanted(args)
    requireRoom(context, channel)
    if (channel.type === 'desktop') await keep(context, channel)
    else await keepWithSecret(context, channel, source)
    const { name, type, kinds } = channel
    const keys = type === 'desktop' ? {} : { keys: source }
    await context.audit('notices add', { name, type, ...(kinds && { kinds }), ...keys })
    context.out.success(`added channel ${name}; \`notices test ${name}\` tries it`)
  },
}

function readWanted(args: readonly Argument[]): Wanted {
  const { rest: withoutKeys, value: keys } = takeOption(args, '--keys', 'where its secret is kept')
  const { rest, value: kinds } = takeOption(withoutKeys, '--kinds', 'which kinds of notices it gets')
  const type = readType(rest)
  refuseMore(rest, { desktop: 1, telegram: 2, webhook: 3 }[type])
  const bare = kinds === undefined ? {} : { kinds: readKinds(kinds, args) }
  const source = SOURCES.find((each) => each === (keys ?? 'vault'))
  if (source === undefined) throw badOption(args, '--keys', `the secret cannot be stored there`, SOURCES)
  return { source, channel: { ...readTarget(type, rest), ...bare } }
}

function readType(rest: readonly Argument[]): ChannelType {
  const typed = requireText(rest, 0, 'the type of the channel').toLowerCase()
  const type = CHANNEL_TYPES.find((each) => each === typed)
  if (type !== undefined) return type
  const hint = `type one of ${CHANNEL_TYPES.join(', ')}`
  throw new LanguageError('bad-argument', `${shown(typed)} is not a channel`, rest[0]?.column ?? 1, hint)
}

function readTarget(type: ChannelType, rest: readonly Argument[]): ChannelSettings {
  if (type === 'desktop') return { type, name: type }
  if (type === 'telegram') {
    const chatId = requireText(rest, 1, 'the number of the chat')
    if (CHAT_ID.test(chatId)) return { type, name: type, chatId }
    const hint = 'write to your bot, then open https://api.telegram.org/bot<token>/getUpdates: it is `chat.id`'
    throw new LanguageError('bad-argument', 'a chat is a number', rest[1]?.column ?? 1, hint)
  }
  const name = requireText(rest, 1, "the webhook's name")
  const isTaken = CHANNEL_TYPES.some((each) => each === name.toLowerCase())
  if (!WEBHOOK_NAME.test(name) || isTaken) {
    const hint = 'use 1 to 32 letters, digits, - and _'
    throw new LanguageError('bad-argument', `${shown(name)} cannot be a webhook's name`, rest[1]?.column ?? 1, hint)
  }
  const url = rest[2] === undefined ? undefined : readText(rest[2])
  if (url === undefined) throw missing(rest, 'its address')
  const read = readWebhookUrl(url)
  if ('why' in read) {
    throw new LanguageError('bad-argument', `this address cannot be used: ${read.why}`, rest[2]?.column ?? 1)
  }
  return { type, name, url }
}

function readKinds(typed: string, args: readonly Argument[]): readonly NoticeKind[] {
  const kinds = typed.toLowerCase().split(',')
  const known = NOTICE_KINDS.filter((kind) => kinds.includes(kind))
  if (known.length === new Set(kinds).size) return known
  throw badOption(args, '--kinds', 'unknown kind of notice', NOTICE_KINDS)
}

function badOption(args: readonly Argument[], option: string, why: string, known: readonly string[]): LanguageError {
  const at = args.find((argument) => argument.kind === 'word' && argument.text.startsWith(option))
  return new LanguageError('bad-argument', why, at?.column ?? 1, `use ${option} with ${known.join(', ')}`)
}

/** Not shown: what follows here by mistake is a token. */
function refuseMore(rest: readonly Argument[], most: number): void {
  if (rest.length <= most) return
  throw new CommandError('unexpected-argument', 'too many arguments', {
    hint: 'leave secrets out, hookline asks for them; the history file has what you typed: replace a token that was in it',
  })
}

function requireRoom({ ports }: CommandContext<Need>, { name, type }: ChannelSettings): void {
  const { channels } = ports.config.read().notices
  if (channels.some((channel) => channel.name === name)) {
    throw new CommandError('already-exists', `channel ${name} already exists`, {
      hint: `\`notices remove ${name}\` first`,
    })
  }
  if (type !== 'webhook' || channels.filter((channel) => channel.type === 'webhook').length < MAX_WEBHOOKS) return
  throw new CommandError('too-many', `${MAX_WEBHOOKS} webhooks already exist`, { hint: '`notices remove` one' })
}

async function keep({ ports }: CommandContext<Need>, channel: ChannelSettings): Promise<void> {
  await ports.config.changeNotices((notices) => withChannel(notices, channel))
}

async function keepWithSecret(
  context: CommandContext<Need>,
  channel: ChannelSettings,
  source: SecretSource,
): Promise<void> {
  const { credentials } = context.ports
  if (source === 'keychain') await credentials.testKeychain()
  const vault = source === 'vault' ? await prepareVault(context) : undefined
  const secret = await askFor(context, channel)
  await vault?.opened
  await vault?.make()
  // Another process may have been quicker.
  requireRoom(context, channel)
  const owner = ownerOf(channel.name)
  const keys = await credentials.write(owner, { secret }, source)
  try {
    await keep(context, { ...channel, keys })
  } catch (error) {
    await credentials.remove(owner, keys)
    throw error
  }
}

/** @throws {CommandError} `bad-keys`: it is no such secret; it is not shown */
async function askFor(context: CommandContext<Need>, { type }: ChannelSettings): Promise<string> {
  const isBot = type === 'telegram'
  const question = isBot ? 'token of the bot: ' : 'secret that signs (whsec_…): '
  const secret = (await askSecret(context, question)).trim()
  if (isBot ? isBotToken(secret) : readSigningSecret(secret) !== undefined) return secret
  throw new CommandError(
    'bad-keys',
    isBot
      ? 'this is not a bot token; the channel was not added'
      : 'this is not a signing secret; the channel was not added',
    {
      hint: isBot
        ? 'ask @BotFather for it: digits, a colon, and letters'
        : 'it is whsec_ and 24 to 64 bytes in base64: `echo "whsec_$(openssl rand -base64 32)"` makes one',
    },
  )
}
