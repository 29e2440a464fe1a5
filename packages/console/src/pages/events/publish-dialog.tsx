import { useMemo } from 'react'
import { DifferenceView } from '../../edits/difference-view.tsx'
import { compare } from '../../templates/compare.ts'
import { warningsOf, warningTexts } from '../../templates/translations.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Form } from '../../ui/form.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { storedContent } from './event-form.ts'
import { type EventId, type EventRecord, type PublishedEvent, useCoverage, useEventActions } from './queries.ts'

interface PublishDialogProps {
  id: EventId
  record: EventRecord
  onClose: () => void
}

/** Shows the changes, and publishes after a confirmation. */
export function PublishDialog({ id, record, onClose }: PublishDialogProps) {
  const { publish } = useEventActions(id)
  const { status, version, draft } = record
  const differences = useMemo(
    () => compare(status === 'draft' ? undefined : record, storedContent(record)),
    [record, status],
  )
  const coverage = useCoverage(id, record)
  const isActivation = status === 'inactive' && draft === null
  const next = draft ? version + 1 : version
  return (
    <Dialog title={isActivation ? 'Activate the event?' : `Publish version ${next}?`} onClose={onClose} wide>
      <Form
        action={isActivation ? 'Activate the event' : `Publish version ${next}`}
        onCancel={onClose}
        onSubmit={async () => {
          const published = await publish.mutateAsync(record.updated_at)
          showToast({ tone: 'good', text: publishedText(published) })
          onClose()
        }}
      >
        <p className="text-soft">
          {isActivation
            ? `Notifications use version ${version} again, at once.`
            : status === 'draft'
              ? 'Notifications can use the event at once.'
              : `Notifications use this in place of version ${version}, at once.`}
        </p>
        <Warnings texts={warningTexts(warningsOf(coverage))} />
        {isActivation ? null : <DifferenceView differences={differences} />}
      </Form>
    </Dialog>
  )
}

function publishedText({ version, warnings }: PublishedEvent): string {
  const gaps = warningTexts(warnings)
  return `Version ${version} is published.${gaps.length > 0 ? ` ${gaps.join('. ')}.` : ''}`
}

/** What translations lack. It keeps nothing from being published. */
function Warnings({ texts }: { texts: readonly string[] }) {
  if (texts.length === 0) return null
  return (
    <section className="rounded-md bg-warn-fill px-3 py-2 text-warn [overflow-wrap:anywhere]">
      <p>Some translations are not complete. They can be published as they are.</p>
      <ul>
        {texts.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </section>
  )
}
