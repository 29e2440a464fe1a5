import { Problem } from '@notify/sdk'
import { useDeferredValue, useMemo } from 'react'
import type { Channel, Templates } from '../channels/channel.ts'
import { readObject } from '../channels/json-text.ts'
import { channelPages } from '../channels/table.ts'
import { useDraft } from '../ui/draft.ts'
import { TextAreaField } from '../ui/field.tsx'
import { FieldErrors } from '../ui/form.tsx'
import { Panel } from '../ui/panel.tsx'
import { Skeleton } from '../ui/states.tsx'
import { type Previewer, usePreview } from './use-preview.ts'
import { nameOf, sampleFor, variablesIn } from './variables.ts'

interface PreviewPaneProps {
  previewer: Previewer
  channel: Channel
  templates: Templates
}

/** The message that a recipient would get, with sample data for the variables of the templates. */
export function PreviewPane({ previewer, channel, templates }: PreviewPaneProps) {
  const { Rendered } = channelPages[channel]
  const draft = useDraft(`sample:${previewer.name}`, '')
  const { value: given, error: jsonFault } = readObject(draft.value)
  const text = JSON.stringify({ [channel]: templates[channel] })
  const deferred = useDeferredValue(text)
  const variables = useMemo(() => variablesIn(JSON.parse(deferred)), [deferred])
  const data = sampleFor(variables, given)
  const {
    data: preview,
    error,
    isPlaceholderData,
  } = usePreview(previewer, { channel, templates: JSON.parse(text), data })
  return (
    <Panel className="flex flex-col gap-4 p-4 lg:sticky lg:top-4">
      <section aria-label="Preview" aria-busy={isPlaceholderData} className="flex flex-col gap-2">
        <h2 className="font-semibold">Preview</h2>
        {error ? (
          <Fault error={error} />
        ) : preview ? (
          preview.rendered[channel] && <Rendered template={preview.rendered[channel]} />
        ) : (
          <Skeleton lines={4} />
        )}
      </section>
      <Variables names={variables.map(nameOf)} />
      <FieldErrors errors={jsonFault === undefined ? [] : [{ path: 'sample', message: jsonFault }]}>
        <TextAreaField
          label="Sample data (optional)"
          name="sample"
          rows={5}
          code
          hint="A JSON object. A variable that it lacks is shown as its name."
          placeholder={'{ "name": "Ada" }'}
          value={draft.value}
          onChange={(event) => draft.set(event.target.value)}
        />
      </FieldErrors>
    </Panel>
  )
}

/** The reason for a missing preview: each fault of the templates, or the refusal as a whole. */
function Fault({ error }: { error: Error }) {
  const faults =
    error instanceof Problem && error.errors.length > 0 ? error.errors : [{ path: '', message: error.message }]
  return (
    <ul className="rounded-md bg-warn-fill px-3 py-2 text-warn [overflow-wrap:anywhere]">
      {faults.map(({ path, message }) => (
        <li key={`${path} ${message}`}>
          {path ? <code className="font-mono text-xs">{path.replace(/^templates\.\w+\./, '')}</code> : null} {message}
        </li>
      ))}
    </ul>
  )
}

function Variables({ names }: { names: readonly string[] }) {
  return (
    <section className="flex flex-col gap-1">
      <h2 className="font-semibold">Variables</h2>
      {names.length === 0 ? (
        <p className="text-soft">None yet. Write one in double braces, for example {'{{ name }}'}.</p>
      ) : (
        <ul className="flex flex-wrap gap-1.5">
          {names.map((name) => (
            <li key={name} className="rounded bg-quiet-fill px-1.5 py-px font-mono text-xs [overflow-wrap:anywhere]">
              {name}
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
