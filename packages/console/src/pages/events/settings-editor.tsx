import { channelNames, channels } from '../../channels/table.ts'
import { TextField } from '../../ui/field.tsx'
import { useFieldErrors } from '../../ui/form.tsx'
import { Panel } from '../../ui/panel.tsx'
import type { Editor } from './use-editor.ts'

/** The name of an event, and the channels that its notifications may use. */
export function SettingsEditor({ editor: { form, set } }: { editor: Editor }) {
  const faults = useFieldErrors('allowed_channels')
  return (
    <Panel className="flex max-w-xl flex-col gap-4 p-4">
      <TextField
        label="Name"
        name="name"
        value={form.name}
        dir="auto"
        onChange={(event) => set({ ...form, name: event.target.value })}
      />
      <fieldset className="flex flex-col gap-1">
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
  )
}
