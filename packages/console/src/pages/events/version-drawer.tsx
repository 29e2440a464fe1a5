import { useMemo } from 'react'
import { VersionContents } from '../../edits/version-contents.tsx'
import { VersionFrame } from '../../edits/version-frame.tsx'
import { compare, textsOf } from '../../templates/compare.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { type EventId, type EventRecord, type EventVersion, useEventActions, useVersion } from './queries.ts'

interface VersionDrawerProps {
  id: EventId
  record: EventRecord
  version: string
  onClose: () => void
}

/** The content of a version, and the changes of restoring it. */
export function VersionDrawer({ id, record, version, onClose }: VersionDrawerProps) {
  return (
    <VersionFrame
      version={version}
      query={useVersion(id, version)}
      current={record.version}
      contents={(shown, isCurrent) => <Contents version={shown} record={isCurrent ? undefined : record} />}
      restore={(shown, close) => (
        <Restore id={id} version={shown} record={record} onRestored={onClose} onClose={close} />
      )}
      onClose={onClose}
    />
  )
}

function Contents({ version, record }: { version: EventVersion; record: EventRecord | undefined }) {
  const differences = useMemo(() => record && compare(record, version), [record, version])
  return <VersionContents texts={textsOf(version)} differences={differences} />
}

interface RestoreProps {
  id: EventId
  version: EventVersion
  record: EventRecord
  onRestored: () => void
  onClose: () => void
}

function Restore({ id, version, record, onRestored, onClose }: RestoreProps) {
  const { restore } = useEventActions(id)
  return (
    <Confirm
      title={`Restore version ${version.version}?`}
      action="Restore the version"
      onConfirm={async () => {
        const restored = await restore.mutateAsync({ version: version.version, over: record })
        showToast({ tone: 'good', text: `Version ${version.version} is restored as version ${restored.version}.` })
        onRestored()
      }}
      onClose={onClose}
    >
      Its contents {record.status === 'inactive' ? 'become' : 'are published at once as'} version {record.version + 1}.
      The draft is kept.
    </Confirm>
  )
}
