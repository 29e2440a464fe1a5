import { Trash2 } from 'lucide-react'
import { type Channel, channelNames } from '../../api/channels.ts'
import { Button } from '../../ui/button.tsx'
import { Panel } from '../../ui/panel.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { newTemplates, type TemplateForms } from './event-form.ts'
import { PreviewPane } from './preview-pane.tsx'
import type { EventId } from './queries.ts'
import { TemplateFields } from './template-fields.tsx'
import type { Editor } from './use-editor.ts'

interface ChannelEditorProps {
  id: EventId
  channel: Channel
  editor: Editor
}

/** The template of one channel, beside what becomes of it. */
export function ChannelEditor({ id, channel, editor }: ChannelEditorProps) {
  const { form, set } = editor
  if (!form.templates[channel]) return <NoTemplate channel={channel} editor={editor} />
  const setTemplates = (templates: TemplateForms) => set({ ...form, templates })
  const isAllowed = form.allowed_channels.includes(channel)
  const others = form.allowed_channels.filter((one) => one !== channel)
  return (
    <div className="grid items-start gap-6 lg:grid-cols-2">
      <Panel className="flex flex-col gap-4 p-4">
        <TemplateFields channel={channel} templates={form.templates} onChange={setTemplates} />
        <div className="flex flex-wrap items-center gap-2 border-t border-line pt-3">
          <label className="flex flex-1 items-center gap-2">
            <input
              type="checkbox"
              checked={isAllowed}
              onChange={() => set({ ...form, allowed_channels: isAllowed ? others : [...others, channel] })}
            />
            Notifications may use this channel
          </label>
          <Button
            kind="quiet"
            onClick={() => {
              const { [channel]: _, ...templates } = form.templates
              set({ ...form, allowed_channels: others, templates })
            }}
          >
            <Trash2 size={14} aria-hidden />
            Remove the template
          </Button>
        </div>
      </Panel>
      <PreviewPane id={id} channel={channel} templates={editor.content.templates} />
    </div>
  )
}

function NoTemplate({ channel, editor: { form, set } }: Omit<ChannelEditorProps, 'id'>) {
  const add = () =>
    set({
      ...form,
      allowed_channels: [...form.allowed_channels.filter((one) => one !== channel), channel],
      templates: { ...form.templates, [channel]: newTemplates[channel] },
    })
  return (
    <Panel>
      <EmptyState
        title={`No ${channelNames[channel]} template`}
        action={
          <Button kind="primary" onClick={add}>
            Write the template
          </Button>
        }
      >
        The event sends nothing by this channel.
      </EmptyState>
    </Panel>
  )
}
