import { useMemo } from 'react'
import { compareTexts } from '../../edits/compare-texts.ts'
import { VersionContents } from '../../edits/version-contents.tsx'
import { VersionFrame } from '../../edits/version-frame.tsx'
import { useApplicationNames } from '../../ui/application-name.tsx'
import { Confirm } from '../../ui/confirm.tsx'
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
  return (
    <VersionFrame
      version={version}
      query={useLayoutVersion(layout.layout_id, version)}
      current={layout.version}
      contents={(shown, isCurrent) => <Contents version={shown} layout={isCurrent ? undefined : layout} />}
      restore={(shown, close) => <Restore layout={layout} version={shown} onRestored={onClose} onClose={close} />}
      onClose={onClose}
    />
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
