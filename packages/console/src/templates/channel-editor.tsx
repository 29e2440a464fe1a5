import { Trash2 } from 'lucide-react'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import type { Channel, Templates } from '../channels/channel.ts'
import { channelNames, channelPages, type TemplateForms } from '../channels/table.ts'
import { Button } from '../ui/button.tsx'
import { Panel } from '../ui/panel.tsx'
import { EmptyState, Skeleton } from '../ui/states.tsx'
import type { Previewer } from './use-preview.ts'

// Loaded on demand, because the parser of templates is large and lists do not need it.
const PreviewPane = lazy(async () => ({ default: (await import('./preview-pane.tsx')).PreviewPane }))

interface ChannelEditorProps {
  channel: Channel
  forms: TemplateForms
  /** The templates of the forms, to preview. */
  templates: Templates
  previewer: Previewer
  onChange: (forms: TemplateForms) => void
  onAdd: (forms: TemplateForms) => void
  onRemove: (forms: TemplateForms) => void
  /** Explains a channel without a template. */
  whenMissing: string
  /** Shown beside the button that removes the template. */
  children?: ReactNode
}

/** The editor for the template of one channel, with its preview. */
export function ChannelEditor(props: ChannelEditorProps) {
  const { channel, forms, templates, previewer, onChange, onAdd, onRemove, whenMissing, children } = props
  const { emptyForm, Fields } = channelPages[channel]
  const [isBegun, setBegun] = useState(false)
  if (!forms[channel]) {
    const add = () => onAdd({ ...forms, [channel]: emptyForm })
    return <NoTemplate channel={channel} text={whenMissing} onAdd={add} />
  }
  const { [channel]: _, ...others } = forms
  const isBlank = !isBegun && JSON.stringify(forms[channel]) === JSON.stringify(emptyForm)
  return (
    <div className="grid items-start gap-6 lg:grid-cols-2">
      <Panel className="flex flex-col gap-4 p-4">
        <Fields
          value={forms[channel]}
          onChange={(form) => {
            setBegun(true)
            onChange({ ...forms, [channel]: form })
          }}
        />
        <div className="flex flex-wrap items-center justify-end gap-2 border-t border-line pt-3">
          {children}
          <Button kind="quiet" onClick={() => onRemove(others)}>
            <Trash2 size={14} aria-hidden />
            Remove the template
          </Button>
        </div>
      </Panel>
      <Suspense fallback={<PanelSkeleton />}>
        <PreviewPane previewer={previewer} channel={channel} templates={templates} isBlank={isBlank} />
      </Suspense>
    </div>
  )
}

function NoTemplate({ channel, text, onAdd }: { channel: Channel; text: string; onAdd: () => void }) {
  return (
    <Panel>
      <EmptyState
        title={`No ${channelNames[channel]} template`}
        action={
          <Button kind="primary" onClick={onAdd}>
            Write the template
          </Button>
        }
      >
        {text}
      </EmptyState>
    </Panel>
  )
}

function PanelSkeleton() {
  return (
    <Panel className="p-4">
      <Skeleton lines={6} />
    </Panel>
  )
}
