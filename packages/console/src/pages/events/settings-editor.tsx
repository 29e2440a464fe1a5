import { useHasPermission } from '../../api/me.ts'
import { useTopics } from '../../api/topics.ts'
import { channelNames, channels } from '../../channels/table.ts'
import { SelectField, TextField } from '../../ui/field.tsx'
import { useFieldErrors } from '../../ui/form.tsx'
import { Panel } from '../../ui/panel.tsx'
import { DigestEditor } from './digest-editor.tsx'
import type { Editor } from './use-editor.ts'

/** The name of an event, its topic, its digest, and the channels that its notifications may use. */
export function SettingsEditor({ applicationId, editor }: { applicationId: string; editor: Editor }) {
  const { form, set } = editor
  const faults = useFieldErrors('allowed_channels')
  return (
    <div className="flex flex-col gap-4">
      <Panel className="flex max-w-xl flex-col gap-4 p-4">
        <TextField
          label="Name"
          name="name"
          value={form.name}
          dir="auto"
          onChange={(event) => set({ ...form, name: event.target.value })}
        />
        <TopicField applicationId={applicationId} value={form.topic} onChange={(topic) => set({ ...form, topic })} />
        <fieldset className="flex flex-col gap-2">
          <legend className="pb-1 font-medium">Channels that notifications may use</legend>
          {channels.map((channel) => {
            const isAllowed = form.allowed_channels.includes(channel)
            const others = form.allowed_channels.filter((one) => one !== channel)
            return (
              <label key={channel} className="flex items-center gap-2">
                <input
                  type="checkbox"
                  checked={isAllowed}
                  onChange={() => set({ ...form, allowed_channels: isAllowed ? others : [...others, channel] })}
                />
                {channelNames[channel]}
                {isAllowed && !form.templates[channel] ? <span className="text-warn">has no template yet</span> : null}
              </label>
            )
          })}
          {faults.length > 0 ? <p className="text-xs text-bad">{faults.join('; ')}</p> : null}
        </fieldset>
      </Panel>
      <DigestEditor form={form.digest} onChange={(digest) => set({ ...form, digest })} />
    </div>
  )
}

interface TopicFieldProps {
  applicationId: string
  value: string
  onChange: (topic: string) => void
}

/** The topic of an event: by name, or by key for operators who may not see the topics. */
function TopicField({ applicationId, value, onChange }: TopicFieldProps) {
  const isAllowed = useHasPermission()('topics:manage')
  const { data } = useTopics(applicationId)
  const shared = { label: 'Topic', name: 'topic', value }
  if (!isAllowed) {
    return (
      <TextField
        {...shared}
        placeholder="None: people cannot switch it off"
        hint="Its key. Names are shown with the permission topics:manage."
        spellCheck={false}
        onChange={({ target }) => onChange(target.value)}
      />
    )
  }
  const known = data?.items.map(({ topic_key, name }) => ({ value: topic_key, label: `${name} (${topic_key})` })) ?? []
  const isKnown = value === '' || known.some((option) => option.value === value)
  return (
    <SelectField
      {...shared}
      options={[
        { value: '', label: 'None: people cannot switch it off' },
        ...(isKnown ? known : [...known, { value, label: value }]),
      ]}
      hint="What people switch off to stop these messages, from the next published version on."
      onChange={({ target }) => onChange(target.value)}
    />
  )
}
