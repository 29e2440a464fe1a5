import { TextField } from '../ui/field.tsx'
import { useFieldErrors } from '../ui/form.tsx'
import type { FieldsProps } from './channel.ts'
import type { WhatsAppForm } from './whatsapp-form.ts'

const labels = {
  text: 'Text of the header',
  image: 'Address of the image',
  video: 'Address of the video',
  document: 'Address of the document',
} as const

/** The text or file of the header, where the template has one to fill. */
export function WhatsAppHeader({ value, onChange }: FieldsProps<WhatsAppForm>) {
  const { header } = value
  const faults = useFieldErrors('templates.whatsapp.header')
  if (!header) return <Faults of="The header" faults={faults} />
  return (
    <TextField
      label={labels[header.type]}
      name="templates.whatsapp.header.value"
      value={header.value}
      dir="auto"
      onChange={({ target }) => onChange({ ...value, header: { ...header, value: target.value } })}
    />
  )
}

/** The values of the buttons with a placeholder. */
export function WhatsAppButtons({ value, onChange }: FieldsProps<WhatsAppForm>) {
  const { buttons = [] } = value
  const faults = useFieldErrors('templates.whatsapp.buttons')
  if (buttons.length === 0) return <Faults of="A list of button values" faults={faults} />
  return buttons.map((button, at) => (
    <TextField
      key={button.index}
      label={button.type === 'url' ? `End of the address of button ${button.index + 1}` : 'Code to copy'}
      name={`templates.whatsapp.buttons.${at}.value`}
      value={button.value}
      spellCheck={false}
      onChange={({ target }) => onChange({ ...value, buttons: buttons.with(at, { ...button, value: target.value }) })}
    />
  ))
}

/** The service's errors about a part that has no field here. */
function Faults({ of, faults }: { of: string; faults: readonly string[] }) {
  if (faults.length === 0) return null
  return (
    <p className="text-xs text-bad [overflow-wrap:anywhere]">
      {of} {faults.join('; ')}
    </p>
  )
}
