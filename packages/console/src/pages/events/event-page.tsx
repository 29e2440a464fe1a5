import { lazy, type ReactNode, Suspense, useState } from 'react'
import { useMessageDefaults } from '../../api/applications.ts'
import { ConflictDialog } from '../../edits/conflict-dialog.tsx'
import { useChord } from '../../shell/use-chord.ts'
import { compare } from '../../templates/compare.ts'
import { DiscardEdits } from '../../templates/discard-edits.tsx'
import { LanguageEditor } from '../../templates/language-editor.tsx'
import { settingsTab, TemplateTabs, useTab, versionsTab } from '../../templates/template-tabs.tsx'
import { BackLink } from '../../ui/back-link.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { ErrorState, Problems } from '../../ui/error-state.tsx'
import { FieldErrors } from '../../ui/form.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Skeleton } from '../../ui/states.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { Deactivate } from './deactivate.tsx'
import { ChannelTest, EventChannel } from './event-channel.tsx'
import { contentOf, storedContent } from './event-form.ts'
import { type EventId, type EventRecord, previewerOf, useConfirmTranslation, useCoverage, useEvent } from './queries.ts'
import { type Editor, useEditor } from './use-editor.ts'
import { statuses } from './words.ts'

// Loaded on demand: most visits are to the texts.
const PublishDialog = lazy(async () => ({ default: (await import('./publish-dialog.tsx')).PublishDialog }))
const SettingsEditor = lazy(async () => ({ default: (await import('./settings-editor.tsx')).SettingsEditor }))
const Versions = lazy(async () => ({ default: (await import('./versions.tsx')).Versions }))

/** One event: its templates with a live preview, and its versions. */
export function EventPage({ id }: { id: EventId }) {
  const { data, error, refetch } = useEvent(id)
  const back = <BackLink to={`/events/${id.applicationId}`}>Events</BackLink>
  if (data) return <LoadedEvent id={id} record={data} back={back} />
  return (
    <>
      {back}
      <PageHeader title={id.eventKey} />
      <Panel className="p-4">
        {error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <Skeleton lines={10} />}
      </Panel>
    </>
  )
}

interface LoadedEventProps {
  id: EventId
  record: EventRecord
  back: ReactNode
}

function LoadedEvent({ id, record, back }: LoadedEventProps) {
  const editor = useEditor(id, record)
  const coverage = useCoverage(id, record)
  const onConfirm = useConfirmTranslation(id, record)
  const hasDigest = storedContent(record).digest !== null
  const previewer = { ...previewerOf(id), ...useMessageDefaults(id.applicationId), hasDigest }
  const tab = useTab((record.draft ?? record).templates)
  useChord('s', () => editor.isChanged && void saveAndTell(editor))
  return (
    <>
      {back}
      <PageHeader title={record.name} lead={record.event_key}>
        <Actions id={id} record={record} editor={editor} />
      </PageHeader>
      <States record={record} editor={editor} />
      {editor.refusal === undefined ? null : <Problems error={editor.refusal} />}
      <TemplateTabs
        label="Parts of the event"
        forms={editor.form.templates}
        errors={editor.errors}
        current={tab}
        others={[
          [settingsTab, 'Settings'],
          [versionsTab, 'Versions'],
        ]}
      />
      <FieldErrors errors={editor.errors}>
        <Suspense>
          {tab === versionsTab ? (
            <Versions id={id} record={record} />
          ) : tab === settingsTab ? (
            <SettingsEditor applicationId={id.applicationId} editor={editor} />
          ) : (
            <LanguageEditor
              key={tab}
              {...{ channel: tab, editor, coverage, previewer, onConfirm }}
              testOf={(locale, templates) => (
                <ChannelTest key={locale} {...{ id, channel: tab, templates, previewer: { ...previewer, locale } }} />
              )}
            >
              <EventChannel id={id} channel={tab} editor={editor} previewer={previewer} />
            </LanguageEditor>
          )}
        </Suspense>
      </FieldErrors>
      {editor.hasConflict ? <EditConflict editor={editor} /> : null}
    </>
  )
}

function EditConflict({ editor }: { editor: Editor }) {
  const theirs = contentOf(editor.stored.form).content
  return <ConflictDialog edits={editor} differences={compare(theirs, editor.content)} onOverwritten={tellSaved} />
}

function States({ record: { status, version, draft }, editor }: { record: EventRecord; editor: Editor }) {
  return (
    <p className="flex flex-wrap items-center gap-1.5 pb-3" aria-live="polite">
      <Badge tone={statuses[status].tone}>{statuses[status].name}</Badge>
      {status === 'draft' ? null : <span className="text-soft">Version {version}</span>}
      {draft ? <Badge tone="busy">Draft changes</Badge> : null}
      {editor.isChanged ? <Badge tone="warn">Not saved</Badge> : null}
    </p>
  )
}

async function saveAndTell(editor: Editor): Promise<void> {
  if (await editor.save()) tellSaved()
}

const tellSaved = () => showToast({ tone: 'good', text: 'The draft is saved.' })

function Actions({ id, record, editor }: { id: EventId; record: EventRecord; editor: Editor }) {
  const [open, setOpen] = useState<'publish' | 'deactivate' | 'discard'>()
  const close = () => setOpen(undefined)
  const { status, draft } = record
  const isPublishable = status !== 'published' || draft !== null || editor.isChanged
  return (
    <>
      {editor.isChanged ? (
        <Button kind="quiet" onClick={() => setOpen('discard')}>
          Discard the edits
        </Button>
      ) : null}
      {status === 'published' ? <Button onClick={() => setOpen('deactivate')}>Deactivate</Button> : null}
      <Button
        busy={editor.isSaving}
        disabled={!editor.isChanged}
        aria-keyshortcuts="Control+S"
        title={editor.isChanged ? 'Ctrl S' : 'There is nothing to save'}
        onClick={() => void saveAndTell(editor)}
      >
        Save the draft
      </Button>
      <Button
        kind="primary"
        disabled={!isPublishable}
        title={isPublishable ? undefined : 'There is nothing to publish'}
        // The service publishes its stored draft, so the edits are saved first, and their errors show at the fields.
        onClick={async () => {
          if (!editor.isChanged || (await editor.save())) setOpen('publish')
        }}
      >
        {status === 'inactive' && !draft && !editor.isChanged ? 'Activate' : 'Publish'}
      </Button>
      <Suspense>{open === 'publish' ? <PublishDialog id={id} record={record} onClose={close} /> : null}</Suspense>
      {open === 'discard' ? <DiscardEdits onDiscard={editor.discard} onClose={close} /> : null}
      {open === 'deactivate' ? <Deactivate id={id} onClose={close} /> : null}
    </>
  )
}
