import { History } from 'lucide-react'
import { useMemo, useState } from 'react'
import { VersionContents } from '../../edits/version-contents.tsx'
import { compare, textsOf } from '../../templates/compare.ts'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { Drawer } from '../../ui/drawer.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { Skeleton } from '../../ui/states.tsx'
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
  const { data, error, refetch } = useVersion(id, version)
  const [isAsking, ask] = useState(false)
  const isCurrent = record.version === data?.version
  const restore =
    data && !isCurrent ? (
      <Button onClick={() => ask(true)}>
        <History size={14} aria-hidden />
        Restore
      </Button>
    ) : null
  return (
    <Drawer title={`Version ${version}`} onClose={onClose} actions={restore}>
      {data ? (
        <Contents version={data} record={isCurrent ? undefined : record} />
      ) : error ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : (
        <Skeleton lines={8} />
      )}
      {isAsking && data ? (
        <Restore id={id} version={data} next={record.version + 1} onRestored={onClose} onClose={() => ask(false)} />
      ) : null}
    </Drawer>
  )
}

function Contents({ version, record }: { version: EventVersion; record: EventRecord | undefined }) {
  const differences = useMemo(() => record && compare(record, version), [record, version])
  return <VersionContents texts={textsOf(version)} differences={differences} />
}

interface RestoreProps {
  id: EventId
  version: EventVersion
  next: number
  onRestored: () => void
  onClose: () => void
}

function Restore({ id, version, next, onRestored, onClose }: RestoreProps) {
  const { restore } = useEventActions(id)
  return (
    <Confirm
      title={`Restore version ${version.version}?`}
      action="Restore the version"
      onConfirm={async () => {
        const restored = await restore.mutateAsync(version.version)
        showToast({
          tone: 'good',
          text: `Version ${version.version} is published again as version ${restored.version}.`,
        })
        onRestored()
      }}
      onClose={onClose}
    >
      Its contents are published at once as version {next}. The draft is kept.
    </Confirm>
  )
}
