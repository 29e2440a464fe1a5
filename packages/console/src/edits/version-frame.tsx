import { History } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import type { Column } from '../ui/data-table.tsx'
import { Drawer } from '../ui/drawer.tsx'
import { ErrorState } from '../ui/error-state.tsx'
import { PlainText } from '../ui/plain-text.tsx'
import { Skeleton } from '../ui/states.tsx'

/** The columns of every list of versions. */
export const versionColumns: Column<{ version: number; name: string; is_current: boolean }>[] = [
  {
    id: 'version',
    header: 'Version',
    cell: ({ version, is_current }) => (
      <span className="flex gap-1.5">
        {version} {is_current ? <Badge tone="good">Current</Badge> : null}
      </span>
    ),
  },
  {
    id: 'name',
    header: 'Name',
    cell: ({ name }) => <PlainText className="block truncate">{name}</PlainText>,
    grow: 'always',
  },
]

interface VersionFrameProps<Version> {
  version: string
  query: { data: Version | undefined; error: unknown; refetch: () => unknown }
  /** The version that is used now, which cannot be restored. */
  current: number
  contents: (version: Version, isCurrent: boolean) => ReactNode
  /** Asks whether to restore it. */
  restore: (version: Version, close: () => void) => ReactNode
  onClose: () => void
}

/** The drawer of a version, which can be restored. */
export function VersionFrame<Version extends { version: number }>(props: VersionFrameProps<Version>) {
  const { version, query, current, contents, restore, onClose } = props
  const { data, error, refetch } = query
  const [isAsking, ask] = useState(false)
  const isCurrent = current === data?.version
  const button =
    data && !isCurrent ? (
      <Button onClick={() => ask(true)}>
        <History size={14} aria-hidden />
        Restore
      </Button>
    ) : null
  return (
    <Drawer title={`Version ${version}`} onClose={onClose} actions={button}>
      {data ? (
        contents(data, isCurrent)
      ) : error ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : (
        <Skeleton lines={8} />
      )}
      {isAsking && data ? restore(data, () => ask(false)) : null}
    </Drawer>
  )
}
