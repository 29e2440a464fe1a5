import { versionColumns } from '../../edits/version-frame.tsx'
import { useAddress } from '../../ui/address.ts'
import type { Column } from '../../ui/data-table.tsx'
import { ListPanel } from '../../ui/list-panel.tsx'
import { OperatorName } from '../../ui/operator-name.tsx'
import { useCursor } from '../../ui/pager.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { timeColumn } from '../../ui/time-column.tsx'
import { type LayoutVersionSummary, type StoredLayout, useLayoutVersions } from './queries.ts'
import { VersionDrawer } from './version-drawer.tsx'

const columns: Column<LayoutVersionSummary>[] = [
  ...versionColumns,
  { id: 'by', header: 'Saved by', cell: ({ saved_by }) => <OperatorName id={saved_by} />, wide: true },
  timeColumn('Saved', ({ saved_at }) => saved_at),
]

/** The versions of a layout, newest first. Each can be restored. */
export function Versions({ layout }: { layout: StoredLayout }) {
  const { search, change } = useAddress()
  const list = useLayoutVersions(layout.layout_id, useCursor())
  const version = search.get('version') ?? undefined
  const show = (shown: string | undefined) => change({ version: shown })
  return (
    <>
      <ListPanel
        list={list}
        label="Versions"
        columns={columns}
        rowId={(row) => String(row.version)}
        onOpen={(row) => show(String(row.version))}
        openId={version}
        expected={4}
        empty={<EmptyState title="No version is kept">Saving the layout makes one.</EmptyState>}
      />
      {version ? (
        <VersionDrawer key={version} layout={layout} version={version} onClose={() => show(undefined)} />
      ) : null}
    </>
  )
}
