import { History } from 'lucide-react'
import { useMemo, useState } from 'react'
import { compareTexts } from '../../edits/compare-texts.ts'
import { VersionContents } from '../../edits/version-contents.tsx'
import { useApplicationNames } from '../../ui/application-name.tsx'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { Drawer } from '../../ui/drawer.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { Skeleton } from '../../ui/states.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { namedTexts } from './named-texts.ts'
import { type LayoutVersion, type StoredLayout, useLayoutActions, useLayoutVersion } from './queries.ts'
import { contentOf, formOf } from './use-editor.ts'

interface VersionDrawerProps {
  layout: StoredLayout
  version: string
  onClose: () => void
}

/** The texts of a version, and the changes of restoring it. */
export function VersionDrawer({ layout, version, onClose }: VersionDrawerProps) {
  const { data, error, refetch } = useLayoutVersion(layout.layout_id, version)
  const [isAsking, ask] = useState(false)
  const isCurrent = layout.version === data?.version
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
        <Contents version={data} layout={isCurrent ? undefined : layout} />
      ) : error ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : (
        <Skeleton lines={8} />
      )}
      {isAsking && data ? (
        <Restore layout={layout} version={data} onRestored={onClose} onClose={() => ask(false)} />
      ) : null}
    </Drawer>
  )
}

function Contents({ version, layout }: { version: LayoutVersion; layout: StoredLayout | undefined }) {
  const names = useApplicationNames()
  const texts = useMemo(() => namedTexts(formOf(version), names), [version, names])
  const differences = useMemo(
    () => layout && compareTexts(namedTexts(formOf(layout), names), texts),
    [layout, texts, names],
  )
  return <VersionContents texts={texts.filter(([, text]) => text !== '')} differences={differences} />
}

interface RestoreProps {
  layout: StoredLayout
  version: LayoutVersion
  onRestored: () => void
  onClose: () => void
}

/** Saves the texts of the version again. A layout that was changed meanwhile is refused. */
function Restore({ layout, version, onRestored, onClose }: RestoreProps) {
  const { save } = useLayoutActions()
  return (
    <Confirm
      title={`Restore version ${version.version}?`}
      action="Restore the version"
      onConfirm={async () => {
        const body = contentOf(formOf(version))
        const restored = await save.mutateAsync({ id: layout.layout_id, body, version: layout.version })
        showToast({ tone: 'good', text: `Version ${version.version} is saved again as version ${restored.version}.` })
        onRestored()
      }}
      onClose={onClose}
    >
      Its texts are saved as version {layout.version + 1}, and emails use them at once. Edits that are not saved are
      kept.
    </Confirm>
  )
}
