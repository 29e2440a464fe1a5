import { type ReactNode, useState } from 'react'
import { useSearchParams } from 'react-router'
import { type Channel, channels } from '../../api/channels.ts'
import { useChord } from '../../shell/use-chord.ts'
import { BackLink } from '../../ui/back-link.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { ErrorState, Problems } from '../../ui/error-state.tsx'
import { FieldErrors } from '../../ui/form.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Skeleton } from '../../ui/states.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { ChannelEditor } from './channel-editor.tsx'
import { Deactivate, Discard } from './confirmations.tsx'
import { EventTabs, settingsTab, type Tab, versionsTab } from './event-tabs.tsx'
import { PublishDialog } from './publish-dialog.tsx'
import { type EventId, type EventRecord, useEvent } from './queries.ts'
import { SettingsEditor } from './settings-editor.tsx'
import { type Editor, useEditor } from './use-editor.ts'
import { Versions } from './versions.tsx'
import { statuses } from './words.ts'

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
  const tab = useTab(record)
  useChord('s', () => editor.isChanged && void saveAndTell(editor))
  return (
    <>
      {back}
      <PageHeader title={record.name} lead={record.event_key}>
        <Actions id={id} record={record} editor={editor} />
      </PageHeader>
      <States record={record} editor={editor} />
      {editor.fault === undefined ? null : <Problems error={editor.fault} />}
      <EventTabs id={id} form={editor.form} errors={editor.errors} current={tab} />
      <FieldErrors errors={editor.errors}>
        {tab === versionsTab ? (
          <Versions id={id} record={record} />
        ) : tab === settingsTab ? (
          <SettingsEditor editor={editor} />
        ) : (
          <ChannelEditor key={tab} id={id} channel={tab} editor={editor} />
        )}
      </FieldErrors>
    </>
  )
}

/** The tab of the address; without one the first channel that has a template. */
function useTab(record: EventRecord): Tab {
  const [search] = useSearchParams()
  const named = search.get('tab')
  if (named === versionsTab || named === settingsTab) return named
  const templates = (record.draft ?? record).templates
  return channels.find((channel) => channel === named) ?? firstOf(templates)
}

function firstOf(templates: Partial<Record<Channel, unknown>>): Channel {
  return channels.find((channel) => templates[channel]) ?? 'email'
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
  if (await editor.save()) showToast({ tone: 'good', text: 'The draft is saved.' })
}

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
        // What is published is what the service has: so it is saved first, and its faults show at the fields.
        onClick={async () => {
          if (!editor.isChanged || (await editor.save())) setOpen('publish')
        }}
      >
        {status === 'inactive' && !draft && !editor.isChanged ? 'Activate' : 'Publish'}
      </Button>
      {open === 'publish' ? <PublishDialog id={id} record={record} onClose={close} /> : null}
      {open === 'discard' ? <Discard editor={editor} onClose={close} /> : null}
      {open === 'deactivate' ? <Deactivate id={id} onClose={close} /> : null}
    </>
  )
}
