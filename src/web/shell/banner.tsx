// Lays out the banner's line and its one button.
import { Icon } from '../components/icon.tsx'
import { showTime } from '../figures.ts'
import { useConsole, useDeskParts } from '../use-console.ts'
import { type BannerText, bannerText } from './banner-text.ts'

const BUTTON: Readonly<Record<NonNullable<BannerText['action']>, string>> = {
  check: 'Check again',
  retry: 'Try now',
  connect: 'Connect',
  show: 'Show me how',
}

export function Banner() {
  const console = useConsole()
  const facts = useDeskParts(
    'connection',
    'access',
    'flags',
    'focus',
    'lostAt',
    'silentSince',
    'unread',
    'portfolio',
    'chosen',
  )
  const banner = bannerText(facts, (ms) => showTime(ms, Date.now()))
  if (banner === undefined) return null
  const { tone, title, text, action } = banner
  const act = () => {
    if (action === 'show') document.getElementById('connection-advice')?.showPopover()
    else void console.connect()
  }
  return (
    <section className={`banner ${tone}`} aria-label="What is wrong">
      <Icon name={tone === 'stale-tone' ? 'clock' : tone === 'danger' ? 'stop' : 'warning'} size={18} />
      <p>
        <b>{title}</b>
        {text}
      </p>
      {action !== undefined && (
        <button type="button" className="button small" onClick={act}>
          {BUTTON[action]}
        </button>
      )}
    </section>
  )
}
