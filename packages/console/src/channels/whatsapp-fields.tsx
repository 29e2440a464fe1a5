import { Plus, X } from 'lucide-react'
import { useHasPermission } from '../api/me.ts'
import { useWhatsAppTemplates, type WhatsAppTemplate } from '../api/whatsapp-templates.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { SelectField, TextField } from '../ui/field.tsx'
import { useFieldErrors } from '../ui/form.tsx'
import type { FieldsProps } from './channel.ts'
import type { WhatsAppForm } from './whatsapp-form.ts'
import { NamedTemplate } from './whatsapp-named-template.tsx'
import { WhatsAppButtons, WhatsAppHeader } from './whatsapp-parts.tsx'

const categories: { value: WhatsAppForm['category']; label: string }[] = [
  { value: 'utility', label: 'Utility' },
  { value: 'marketing', label: 'Marketing' },
  { value: 'authentication', label: 'Authentication' },
]

/** The template of the account to send, and the values of its placeholders. */
export function WhatsAppFields({ value, onChange }: FieldsProps<WhatsAppForm>) {
  const name = 'templates.whatsapp'
  return (
    <>
      <ApprovedChoice value={value} onChange={onChange} />
      <TextField
        label="Template"
        name={`${name}.template_name`}
        value={value.template_name}
        spellCheck={false}
        onChange={(event) => onChange({ ...value, template_name: event.target.value })}
      />
      <div className="grid grid-cols-2 gap-4">
        <TextField
          label="Language"
          name={`${name}.language`}
          value={value.language}
          spellCheck={false}
          onChange={(event) => onChange({ ...value, language: event.target.value })}
        />
        <SelectField
          label="Category"
          name={`${name}.category`}
          value={value.category}
          options={categories}
          onChange={(event) => onChange({ ...value, category: event.target.value as WhatsAppForm['category'] })}
        />
      </div>
      <NamedTemplate of={value} />
      <WhatsAppHeader value={value} onChange={onChange} />
      <Parameters value={value} onChange={onChange} />
      <WhatsAppButtons value={value} onChange={onChange} />
    </>
  )
}

/** The approved templates of the accounts, to copy one. */
function ApprovedChoice({ value, onChange }: FieldsProps<WhatsAppForm>) {
  const may = useHasPermission()
  const { data } = useWhatsAppTemplates()
  const approved = data?.items.filter(({ status }) => status === 'approved') ?? []
  if (!may('providers:manage') || approved.length === 0) return null
  const keyOf = (one: { name: string; language: string; category: string }) =>
    `${one.name} (${one.language}), ${one.category}`
  const present = keyOf({ ...value, name: value.template_name })
  const keys = [...new Set(approved.map(keyOf))]
  return (
    <SelectField
      label="Approved template"
      name="approved"
      value={keys.includes(present) ? present : ''}
      options={[{ value: '', label: 'Choose one' }, ...keys.map((key) => ({ value: key, label: key }))]}
      onChange={(event) => {
        const chosen = approved.find((one) => keyOf(one) === event.target.value)
        if (!chosen) return
        onChange(filledFrom(value, chosen))
      }}
    />
  )
}

/** The form for a template, with a text for each of its placeholders; texts that are already written stay. */
function filledFrom(form: WhatsAppForm, template: WhatsAppTemplate): WhatsAppForm {
  const { name: template_name, language, placeholders } = template
  const named = { ...form, template_name, language, category: template.category as WhatsAppForm['category'] }
  if (!placeholders) return named
  const isNamed = placeholders.body.some((name) => !/^\d+$/.test(name))
  const { header } = placeholders
  return {
    ...named,
    isNamed,
    parameters: placeholders.body.map((name, at) => {
      const known = isNamed ? form.parameters.find((one) => one.name === name) : form.parameters[at]
      return { name: isNamed ? name : '', text: known?.text ?? (isNamed ? `{{ ${name} }}` : '') }
    }),
    header: header && {
      type: header.type as NonNullable<WhatsAppForm['header']>['type'],
      ...{ name: header.name ?? '', value: form.header?.value ?? '' },
    },
    buttons: placeholders.buttons.map(({ index, type }) => ({
      ...{ index, type: type as WhatsAppForm['buttons'][number]['type'] },
      value: form.buttons?.find((one) => one.index === index)?.value ?? '',
    })),
  }
}

function Parameters({ value, onChange }: FieldsProps<WhatsAppForm>) {
  const { parameters, isNamed } = value
  const faults = useFieldErrors('templates.whatsapp.parameters')
  const setAt = (at: number, change: Partial<(typeof parameters)[number]>) =>
    onChange({ ...value, parameters: parameters.with(at, { ...parameters[at]!, ...change }) })
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="pb-1 font-medium">Placeholders</legend>
      <label className="flex items-center gap-2 pb-1">
        <input
          type="checkbox"
          checked={isNamed}
          onChange={(event) => onChange({ ...value, isNamed: event.target.checked })}
        />
        The placeholders have names
      </label>
      {parameters.map(({ name, text }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a placeholder is identified by its position
        <div key={at} className="flex items-center gap-2">
          {isNamed ? (
            <input
              type="text"
              aria-label={`Name of placeholder ${at + 1}`}
              value={name}
              spellCheck={false}
              onChange={(event) => setAt(at, { name: event.target.value })}
              className="control !w-32"
            />
          ) : (
            <code className="w-12 font-mono text-xs text-faint">{`{{${at + 1}}}`}</code>
          )}
          <input
            type="text"
            aria-label={`Text of placeholder ${at + 1}`}
            value={text}
            dir="auto"
            onChange={(event) => setAt(at, { text: event.target.value })}
            className="control min-w-0 flex-1"
          />
          <IconButton
            label={`Remove placeholder ${at + 1}`}
            onClick={() => onChange({ ...value, parameters: parameters.toSpliced(at, 1) })}
          >
            <X size={14} aria-hidden />
          </IconButton>
        </div>
      ))}
      {faults.length > 0 ? <p className="text-xs text-bad [overflow-wrap:anywhere]">{faults.join('; ')}</p> : null}
      <Button
        className="self-start"
        onClick={() => onChange({ ...value, parameters: [...parameters, { name: '', text: '' }] })}
      >
        <Plus size={14} aria-hidden />
        Add a placeholder
      </Button>
    </fieldset>
  )
}
