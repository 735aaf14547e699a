// The stages of examples about notices.
import type { SessionOptions } from '../../harness/commands/command-session.ts'
import type { NoticePort } from '../../src/notices/notice.ts'
import type { ExampleStage } from './example-stages.ts'

/** Of the form that they have; they belong to nobody. */
const ANSWERS: Readonly<Record<string, string>> = {
  'token of the bot: ': `123456789:${'A'.repeat(35)}`,
  'secret that signs (whsec_…): ': `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
}

export const WITH_SECRETS: SessionOptions = {
  terminal: {
    askHidden: async (question) => ANSWERS[question] ?? 'a long passphrase',
    clear: () => {},
    history: () => [],
    quit: () => {},
  },
}

export const QUIET: NoticePort = {
  send: () => {},
  sendFor: () => true,
  status: () => [],
  test: async () => {},
  sendNow: async () => {},
}

/** A bot whose code is typed as it was sent. */
export function proving(): SessionOptions {
  let code = ''
  const { terminal } = WITH_SECRETS
  if (terminal === undefined) throw new Error('no terminal')
  return {
    terminal: {
      ...terminal,
      askHidden: async (question) => (question === 'code in the chat: ' ? code : terminal.askHidden(question)),
    },
    notices: {
      ...QUIET,
      async sendNow(_channel, text) {
        code = text.slice(0, 6)
      },
    },
  }
}

export const NOTICE_STAGES: Readonly<Record<string, ExampleStage>> = {
  'notify "long BTCUSDT"': { prints: [/^print long BTCUSDT$/] },
  'buy $100; notify bought at $last': { prints: [/^success bought /m, /^print bought at 65000$/m] },
  notices: {
    before: ['notices add desktop'],
    prints: [/channel +to +kinds/, /desktop +this desktop +all +nothing sent/],
  },
  'notices add desktop': {
    after: ['notices'],
    prints: [/^success added channel desktop;/m, /desktop +this desktop +all/],
  },
  'notices add telegram 123456789': {
    options: WITH_SECRETS,
    after: ['notices'],
    prints: [/^success added channel telegram;/m, /telegram +chat 123456789 +all/],
  },
  'notices add webhook phone https://example.com/hookline --kinds stop,halt': {
    options: WITH_SECRETS,
    after: ['notices'],
    prints: [/^success added channel phone;/m, /phone +https:\/\/example\.com\/… +stop halt/],
  },
  'notices test': { before: ['notices add desktop'], prints: [/^success desktop: sent$/] },
  'notices remove telegram': {
    options: WITH_SECRETS,
    before: ['notices add telegram 123456789'],
    after: ['notices'],
    prints: [/^success removed channel telegram$/m, /^info notices go only to the terminal/m],
  },
  'notices listen telegram': {
    options: proving(),
    before: ['notices add telegram 123456789'],
    after: ['notices listen off'],
    prints: [
      /^success chat 123456789 may look, cancel, close, halt and panic,/m,
      /^success messages to the bot do nothing from now on$/m,
    ],
  },
  'notices listen off': { prints: [/^info no channel listens$/] },
  'notices quiet 22:00-07:00': { prints: [/^success from 22:00 to 07:00 only urgent notices are sent$/] },
  'notices quiet off': { prints: [/^success there are no quiet hours$/] },
}
