// Files of hookline's directory that a person has to fix, and who may drive hookline: said here, changed at its terminal.
import { Empty } from '../../components/empty.tsx'
import { Nothing, Pane } from '../../components/pane.tsx'
import { useDesk } from '../../use-console.ts'
import { LineToType } from './line-to-type.tsx'

export function FilesPane() {
  const flags = useDesk((state) => state.flags)
  return (
    <Pane id="files" title="Files and pages">
      {flags === undefined && <Nothing what="Files to fix" />}
      {flags?.invalidFiles === 0 && <Empty>Every file of hookline is in order.</Empty>}
      {flags !== undefined && flags.invalidFiles > 0 && (
        <div className="warning" role="note">
          <b>{flags.invalidFiles === 1 ? '1 file to fix.' : `${flags.invalidFiles} files to fix.`}</b>
          {flags.files?.map(({ file, message }) => (
            <p key={`${file} ${message}`}>{`${file}: ${message}`}</p>
          ))}
        </div>
      )}
      <section className="block" aria-label="Pages and programs that may drive hookline">
        <h3>Pages and programs</h3>
        <p className="hint">A page is never told who else is trusted. Type these in the hookline terminal.</p>
        <LineToType line="clients" says="Who is trusted and connected:" />
        <LineToType line="clients revoke --all" says="To trust nobody, this page among them:" />
      </section>
    </Pane>
  )
}
