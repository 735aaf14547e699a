// The page of a console for many before a sign-in.
import { Mark } from '../components/icon.tsx'

/** As the server says in the address, after a sign-in that failed. */
const OUTCOMES: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({
    denied: 'The sign-in service refused. Sign in again, or ask who runs this console.',
    invalid: 'The answer of the sign-in service cannot be trusted, so you are not signed in. Try again.',
    expired: 'That sign-in took too long, or was begun in another browser. Sign in again.',
  }),
)

export function SignInPage() {
  const { pathname, search } = location
  const asked = new URLSearchParams(search)
  const outcome = OUTCOMES.get(asked.get('sign-in') ?? '')
  asked.delete('sign-in')
  const wanted = asked.toString() === '' ? pathname : `${pathname}?${asked}`
  return (
    <div className="scrolls first">
      <main className="gap-5 grid first-page" data-region="Sign in">
        <span className="first-mark">
          <Mark />
        </span>
        <h1>Sign in to open your console.</h1>
        <p className="text-4 muted first-lead">
          hookline trades from a terminal on your machine. This site only brings the page: prices, orders and keys go
          between this browser and that terminal.
        </p>
        {outcome !== undefined && (
          <p className="soft warning" role="alert">
            {outcome}
          </p>
        )}
        <p>
          <a className="button primary" href={`/auth/sign-in?return=${encodeURIComponent(wanted)}`}>
            Sign in
          </a>
        </p>
        <p className="text-2 cluster muted first-foot">
          <span>Signing in gives no right on your machine: your y in its terminal does.</span>
        </p>
      </main>
    </div>
  )
}
