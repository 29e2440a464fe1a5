import { Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import type { Topic } from '../../api/topics.ts'
import type { Channel } from '../../channels/channel.ts'
import { channelNames, channels } from '../../channels/table.ts'
import { AddLanguage } from '../../templates/language-bar.tsx'
import { Button } from '../../ui/button.tsx'
import { CheckGroup } from '../../ui/check-group.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { languageName } from '../../ui/language-name.ts'
import type { TopicForm, TranslationForm } from './topic-form.ts'
import { kinds } from './words.ts'

const kindOptions = Object.entries(kinds).map(([value, { name, means }]) => ({ value, label: `${name}: ${means}` }))
const channelChoices = channels.map((channel) => ({ value: channel, label: channelNames[channel] }))

interface TopicFieldsProps {
  value: TopicForm
  onChange: (changes: Partial<TopicForm>) => void
  autoFocus?: boolean
}

/** What people read of a topic, and what they may switch. */
export function TopicFields({ value, onChange, autoFocus = false }: TopicFieldsProps) {
  return (
    <>
      <TextField
        label="Name"
        name="name"
        value={value.name}
        dir="auto"
        autoFocus={autoFocus}
        onChange={({ target }) => onChange({ name: target.value })}
      />
      <TextField
        label="Description (optional)"
        name="description"
        hint="What people read below the name, where they choose."
        value={value.description}
        dir="auto"
        onChange={({ target }) => onChange({ description: target.value })}
      />
      <SelectField
        label="Kind"
        name="kind"
        options={kindOptions}
        value={value.kind}
        onChange={({ target }) => onChange({ kind: target.value as Topic['kind'] })}
      />
      <CheckGroup
        label="Channels that people may switch"
        name="channels"
        choices={channelChoices}
        chosen={value.channels}
        onChange={(chosen) => onChange({ channels: chosen as Channel[] })}
      />
      <TextField
        label="Position"
        name="position"
        inputMode="numeric"
        hint="Topics are shown by position, then by key."
        value={value.position}
        onChange={({ target }) => onChange({ position: target.value })}
      />
      <Translations value={value.translations} onChange={(translations) => onChange({ translations })} />
    </>
  )
}

interface TranslationsProps {
  value: readonly TranslationForm[]
  onChange: (value: TranslationForm[]) => void
}

/** The words in other languages. People read the one of their language. */
function Translations({ value, onChange }: TranslationsProps) {
  const [isAdding, setAdding] = useState(false)
  const change = (locale: string, changes: Partial<TranslationForm>) =>
    onChange(value.map((one) => (one.locale === locale ? { ...one, ...changes } : one)))
  return (
    <>
      {value.map(({ locale, name, description }) => (
        <fieldset key={locale} className="flex flex-col gap-3 border-t border-line pt-3">
          <legend className="sr-only">{languageName(locale)}</legend>
          <TextField
            label={`Name in ${languageName(locale)}`}
            name={`translations.${locale}.name`}
            lang={locale}
            dir="auto"
            value={name}
            onChange={({ target }) => change(locale, { name: target.value })}
          />
          <TextField
            label={`Description in ${languageName(locale)}`}
            name={`translations.${locale}.description`}
            lang={locale}
            dir="auto"
            value={description}
            onChange={({ target }) => change(locale, { description: target.value })}
          />
          <div className="flex justify-end">
            <Button kind="quiet" onClick={() => onChange(value.filter((one) => one.locale !== locale))}>
              <Trash2 size={14} aria-hidden />
              Remove {languageName(locale)}
            </Button>
          </div>
        </fieldset>
      ))}
      <div>
        <Button kind="quiet" onClick={() => setAdding(true)}>
          <Plus size={14} aria-hidden />
          Add a language
        </Button>
      </div>
      {isAdding ? (
        <AddLanguage
          present={value.map(({ locale }) => locale)}
          onAdd={(locale) => onChange([...value, { locale, name: '', description: '' }])}
          onClose={() => setAdding(false)}
        />
      ) : null}
    </>
  )
}
