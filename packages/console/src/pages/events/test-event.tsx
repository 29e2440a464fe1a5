import { answer, api } from '../../api/client.ts'
import { useLayout } from '../../api/layouts.ts'
import type { Channel, Templates } from '../../channels/channel.ts'
import { readObject } from '../../channels/json-text.ts'
import { channelPages } from '../../channels/table.ts'
import type { Previewer } from '../../templates/use-preview.ts'
import { sampleFor, variablesIn } from '../../templates/variables.ts'
import { draftOf } from '../../ui/draft.ts'
import { Panel } from '../../ui/panel.tsx'
import { TestForm } from '../../ui/test-form.tsx'
import type { EventId } from './queries.ts'

interface TestEventProps {
  id: EventId
  channel: Channel
  /** With edits that are not saved. */
  templates: Templates
  previewer: Previewer
}

/** Sends the template as it is in the editor, with the sample data of the preview. */
export function TestEvent({ id, channel, templates, previewer }: TestEventProps) {
  const { test } = channelPages[channel]
  const own: Templates = { [channel]: templates[channel] }
  const { data: layout } = useLayout(own.email?.layout_id ?? '')
  if (!test) return null
  const { locale, time_zone, hasDigest } = previewer
  const send = (recipient: string) => {
    const sample = readObject(draftOf(`sample:${previewer.name}`, '')).value
    const data = sampleFor(variablesIn(own, { layout, hasDigest }), sample)
    return answer(
      api.POST('/api/v1/applications/{application_id}/events/{event_key}/test', {
        params: { path: { application_id: id.applicationId, event_key: id.eventKey } },
        body: {
          channel,
          recipient,
          templates: own,
          data,
          ...(locale ? { locale } : {}),
          ...(time_zone ? { time_zone } : {}),
        } as never,
      }),
    )
  }
  return (
    <Panel className="mt-6 flex max-w-xl flex-col gap-3 p-4">
      <h2 className="font-semibold">Test message</h2>
      <TestForm
        label={test.label}
        hint="Sent through your provider with the sample data of the preview. It costs what the carrier charges, and is not in the activity."
        send={send}
      />
    </Panel>
  )
}
