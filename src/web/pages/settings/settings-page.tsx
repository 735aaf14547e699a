// Settings: what hookline has and who may drive it, at the left; how this browser looks, listens and tells, at the right.
import { DevicesPane } from '../../sign-in/devices-pane.tsx'
import { useSignedInAs } from '../../sign-in/signed-in-as.ts'
import { AboutPane } from './about-pane.tsx'
import { AccountsPane } from './accounts-pane.tsx'
import { FilesPane } from './files-pane.tsx'
import { LooksPane } from './looks-pane.tsx'
import { NewsPane } from './news-pane.tsx'
import { PagesPane } from './pages-pane.tsx'
import '../../style/settings.css'

export function SettingsPage() {
  const account = useSignedInAs()
  return (
    <div className="page page-settings">
      <div className="settings-column">
        <AccountsPane />
        <PagesPane />
      </div>
      <div className="settings-column">
        <LooksPane />
        <NewsPane />
        <FilesPane />
        {account !== undefined && <DevicesPane account={account} />}
        <AboutPane />
      </div>
    </div>
  )
}
