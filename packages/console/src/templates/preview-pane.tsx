import { directionOf } from '@notify/locales'
import { type components, Problem } from '@notify/sdk'
import { useDeferredValue, useMemo } from 'react'
import { useLayout } from '../api/layouts.ts'
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
  /** Whether nothing was written yet, which is no fault. */
  isBlank?: boolean
  /** Of a translation. Default: that of the original, if it is known. */
  locale?: string
}

/** The message that a recipient would get, with sample data for the variables of the templates. */
export function PreviewPane({ previewer, channel, templates, isBlank = false, ...props }: PreviewPaneProps) {
  const { Rendered } = channelPages[channel]
  const { time_zone, hasDigest } = previewer
  const locale = props.locale ?? previewer.locale
  const draft = useDraft(`sample:${previewer.name}`, '')
  const { value: given, error: jsonFault } = readObject(draft.value)
  const text = JSON.stringify({ [channel]: templates[channel] })
  const deferred = useDeferredValue(text)
  const { data: layout } = useLayout(templates.email?.layout_id ?? '')
  const variables = useMemo(
    () => variablesIn(JSON.parse(deferred), { layout, hasDigest }),
    [deferred, layout, hasDigest],
  )
  const data = sampleFor(variables, given)
  const {
    data: preview,
    error,
    isPlaceholderData,
  } = usePreview(previewer, {
    channel,
    templates: JSON.parse(text),
    data,
    ...(locale ? { locale } : {}),
    ...(time_zone ? { time_zone } : {}),
  })
  return (
    <Panel className="flex flex-col gap-4 p-4 lg:sticky lg:top-4">
      <section aria-label="Preview" aria-busy={isPlaceholderData} className="flex flex-col gap-2">
        <h2 className="font-semibold">Preview</h2>
        {error && isBlank ? (
          <p className="text-soft">Write the template to see what a recipient gets.</p>
        ) : error ? (
          <Fault error={error} />
        ) : preview ? (
          preview.rendered[channel] && (
            <div {...(locale ? { lang: locale, dir: directionOf(locale) } : {})} className="flex flex-col gap-2">
              <Rendered template={preview.rendered[channel]} locale={locale} message={preview.whatsapp_message} />
            </div>
          )
        ) : (
          <Skeleton lines={4} />
        )}
        {preview?.sms_segments ? <Segments of={preview.sms_segments} /> : null}
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

/** How an SMS is divided, and the characters that make its segments shorter. */
function Segments({ of: { segments, encoding, outside } }: { of: components['schemas']['SmsSegments'] }) {
  return (
    <p className="text-xs text-faint tabular-nums">
      {segments} {segments === 1 ? 'segment' : 'segments'} in {encoding}
      {outside.length > 0 ? (
        <>
          , because of <bdi>{outside.join(' ')}</bdi>
        </>
      ) : null}
    </p>
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
