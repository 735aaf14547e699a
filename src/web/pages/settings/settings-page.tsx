// Settings: what hookline has and who may drive it, at the left; how this browser looks, listens and tells, at the right.
import { AboutPane } from './about-pane.tsx'
import { AccountsPane } from './accounts-pane.tsx'
import { FilesPane } from './files-pane.tsx'
import { LooksPane } from './looks-pane.tsx'
import { NewsPane } from './news-pane.tsx'
import { PagesPane } from './pages-pane.tsx'
import '../../style/settings.css'

export function SettingsPage() {
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
        <AboutPane />
      </div>
    </div>
  )
}
