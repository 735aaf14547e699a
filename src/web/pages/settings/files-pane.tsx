// Files of hookline's directory that a person has to fix: which, and on which line.
import { Empty } from '../../components/empty.tsx'
import { Nothing, Pane } from '../../components/pane.tsx'
import { useDesk } from '../../use-console.ts'
import { LineToType } from './line-to-type.tsx'

export function FilesPane() {
  const flags = useDesk((state) => state.flags)
  return (
    <Pane id="files" title="Files">
      {flags === undefined && <Nothing what="Files to fix" />}
      {flags?.invalidFiles === 0 && <Empty>Every file of hookline is in order.</Empty>}
      {flags !== undefined && flags.invalidFiles > 0 && (
        <>
          <div className="warning" role="note">
            <b>{flags.invalidFiles === 1 ? '1 file to fix.' : `${flags.invalidFiles} files to fix.`}</b>
            {flags.files?.map(({ file, message }) => (
              <p key={`${file} ${message}`}>{`${file}: ${message}`}</p>
            ))}
          </div>
          <LineToType line="status" says="All that hookline knows of them:" />
        </>
      )}
    </Pane>
  )
}
