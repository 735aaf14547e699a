// The three switches that stop money, as lamps: what each does, and the way to turn it off. Turning on takes the terminal.
import { HeldButton } from '../components/held-button.tsx'
import { Card, usePopover } from '../components/popover.tsx'
import { isLive } from '../console-state.ts'
import { useConsole, useDesk } from '../use-console.ts'

type Flag = 'listener' | 'remoteExec' | 'accountSync'

interface Lamp {
  readonly flag: Flag
  readonly name: string
  /** What is on, as the subject of a sentence. */
  readonly subject: string
  readonly isPlural: boolean
  readonly does: string
  readonly off: string
}

const LAMPS: readonly Lamp[] = [
  {
    flag: 'listener',
    name: 'Listener',
    subject: 'The listener',
    isPlural: false,
    does: 'Pages and hooks reach hookline through it.',
    off: 'Off: this page loses its connection and every fire is refused. What is at the exchange stays.',
  },
  {
    flag: 'remoteExec',
    name: 'Remote runs',
    subject: 'Remote runs',
    isPlural: true,
    does: 'Hooks and approved pages may run commands.',
    off: 'Off: hooks answer 423, this page can look but not trade. What is at the exchange stays.',
  },
  {
    flag: 'accountSync',
    name: 'Accounts',
    subject: 'Accounts',
    isPlural: true,
    does: 'Pages see accounts, balances and positions.',
    off: 'Off: this page shows none of them. Commands and hooks run as before.',
  },
]

export function Lamps() {
  return (
    <fieldset className="row lamps">
      <legend className="visually-hidden">Switches of hookline</legend>
      {LAMPS.map((lamp) => (
        <LampSwitch key={lamp.flag} lamp={lamp} />
      ))}
    </fieldset>
  )
}

/** undefined: not known. */
function useFlag(flag: Flag): boolean | undefined {
  return useDesk((state) => {
    if (!isLive(state)) return undefined
    return flag === 'listener' ? true : state.flags?.[flag]
  })
}

function LampSwitch({ lamp }: { readonly lamp: Lamp }) {
  const popover = usePopover()
  const isOn = useFlag(lamp.flag)
  const word = isOn === undefined ? 'not known' : isOn ? 'on' : 'off'
  return (
    <>
      <button
        type="button"
        role="switch"
        className="row lamp"
        aria-checked={isOn ?? false}
        data-unknown={isOn === undefined}
        aria-label={`${lamp.name}: ${word}`}
        title={`${lamp.name}: ${word}`}
        {...popover.button}
      >
        <span className="lamp-name">
          {lamp.name}
          {isOn === false && ' off'}
        </span>
      </button>
      <Card popover={popover} label={lamp.name}>
        {popover.isOpen && <LampCard lamp={lamp} isOn={isOn} close={popover.close} />}
      </Card>
    </>
  )
}

interface LampCardProps {
  readonly lamp: Lamp
  readonly isOn: boolean | undefined
  readonly close: () => void
}

function LampCard({ lamp, isOn, close }: LampCardProps) {
  const console = useConsole()
  const { subject, isPlural, does, off, name } = lamp
  const verb = isPlural ? 'are' : 'is'
  const turnOff = () => {
    close()
    void console.turnOff(lamp.flag)
  }
  return (
    <>
      <h2>
        {isOn === undefined ? `Not known: this page is not connected` : `${subject} ${verb} ${isOn ? 'on' : 'off'}`}
      </h2>
      <p>
        {does} {off}
      </p>
      {isOn && (
        <HeldButton
          className="button danger wide"
          onHeld={turnOff}
          question={{
            title: `Turn ${name} off?`,
            body: <p>{off}</p>,
            yes: 'Turn it off',
            no: 'Leave it on',
            isDestructive: true,
          }}
        >
          Hold to turn off
        </HeldButton>
      )}
      <p>
        Turning it on again takes the hookline terminal, on purpose: <code>{onLine(lamp.flag)}</code>
      </p>
    </>
  )
}

function onLine(flag: Flag): string {
  return `switch on ${flag === 'listener' ? 'enabled' : flag}`
}
