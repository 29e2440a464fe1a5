import { lazy, Suspense } from 'react'
import type { Channel, Templates } from '../../channels/channel.ts'
import { ChannelEditor } from '../../templates/channel-editor.tsx'
import type { Previewer } from '../../templates/use-preview.ts'
import type { EventId } from './queries.ts'
import type { Editor } from './use-editor.ts'

// Loaded on demand, because the parser of templates is large.
const TestEvent = lazy(async () => ({ default: (await import('./test-event.tsx')).TestEvent }))

interface EventChannelProps {
  id: EventId
  channel: Channel
  editor: Editor
  previewer: Previewer
}

/** The template of an event for one channel. */
export function EventChannel({ id, channel, editor: { form, content, set }, previewer }: EventChannelProps) {
  const isAllowed = form.allowed_channels.includes(channel)
  const others = form.allowed_channels.filter((one) => one !== channel)
  return (
    <>
      <ChannelEditor
        channel={channel}
        forms={form.templates}
        templates={content.templates}
        previewer={previewer}
        onChange={(templates) => set({ ...form, templates })}
        onAdd={(templates) => set({ ...form, allowed_channels: [...others, channel], templates })}
        onRemove={(templates) => set({ ...form, allowed_channels: others, templates })}
        whenMissing="The event sends nothing by this channel."
      >
        <label className="flex flex-1 items-center gap-2">
          <input
            type="checkbox"
            checked={isAllowed}
            onChange={() => set({ ...form, allowed_channels: isAllowed ? others : [...others, channel] })}
          />
          Notifications may use this channel
        </label>
      </ChannelEditor>
      <ChannelTest id={id} channel={channel} templates={content.templates} previewer={previewer} />
    </>
  )
}

interface ChannelTestProps {
  id: EventId
  channel: Channel
  templates: Templates
  previewer: Previewer
}

/** Sends the template of a channel to the operator; nothing for a channel without one. */
export function ChannelTest(props: ChannelTestProps) {
  if (!props.templates[props.channel]) return null
  return (
    <Suspense>
      <TestEvent {...props} />
    </Suspense>
  )
}
