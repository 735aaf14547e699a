// The notices: how many are new, and the list.
import { Link } from 'wouter'
import { Icon } from '../components/icon.tsx'
import { Card, usePopover } from '../components/popover.tsx'
import { showTime } from '../figures.ts'
import { markSeen, useNotices } from './notices.ts'

const ICONS = { info: 'check', warn: 'warning', error: 'cross' } as const

export function Bell() {
  const popover = usePopover()
  const notices = useNotices((state) => state.notices)
  const unseen = notices.filter(({ isSeen }) => !isSeen).length
  return (
    <>
      <button
        type="button"
        className="button icon bell"
        aria-label={unseen === 0 ? 'Notices' : `Notices, ${unseen} new`}
        title="Notices"
        onClick={() => markSeen()}
        {...popover.button}
      >
        <Icon name="bell" />
        {unseen > 0 && <span className="bell-count">{unseen}</span>}
      </button>
      <Card popover={popover} label="Notices">
        <h2>Notices</h2>
        {notices.length === 0 && <p>Nothing to tell.</p>}
        <ul className="notices">
          {notices.map(({ id, at, text, tone, href, times }) => (
            <li key={id}>
              <Icon name={ICONS[tone]} size={16} />
              <p>
                {text}
                {times > 1 && ` ×${times}`} <span className="figure">{showTime(at, Date.now())}</span>{' '}
                {href !== undefined && (
                  <Link href={href} onClick={popover.close}>
                    Open
                  </Link>
                )}
              </p>
            </li>
          ))}
        </ul>
      </Card>
    </>
  )
}
