import { useState } from 'react'
import type { Channel } from '../../channels/channel.ts'
import { channelNames, channels } from '../../channels/table.ts'
import { Badge } from '../../ui/badge.tsx'
import { SelectField } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { Panel } from '../../ui/panel.tsx'
import { TitledSection } from '../../ui/titled-section.tsx'
import { useExplanation, usePreferences } from './queries.ts'
import { type Considered, checks, type Explanation, type Person, scopeOf, sources, stateName } from './words.ts'

const channelOptions = channels.map((channel) => ({ value: channel, label: channelNames[channel] }))

/** Whether a message of a topic would be sent, with everything that is looked at. */
export function ExplainPanel({ person }: { person: Person }) {
  const { data } = usePreferences(person)
  const explanation = useExplanation(person, data?.names ?? [])
  const [asked, setAsked] = useState<{ topic: string; channel: Channel }>({ topic: '', channel: 'email' })
  const topics =
    data?.topics.map(({ topic_key, name }) => ({ value: topic_key, label: `${name} (${topic_key})` })) ?? []
  const ask = (changes: Partial<typeof asked>) => {
    explanation.reset()
    setAsked({ ...asked, ...changes })
  }
  return (
    <TitledSection title="Would it be sent?" lead="Choose a topic and a channel to see what decides.">
      <Panel className="p-4">
        <Form action="Explain" onSubmit={() => explanation.mutateAsync(asked)}>
          <div className="grid gap-4 sm:grid-cols-2">
            <SelectField
              label="Topic"
              name="topic"
              options={[{ value: '', label: 'A message without a topic' }, ...topics]}
              value={asked.topic}
              onChange={({ target }) => ask({ topic: target.value })}
            />
            <SelectField
              label="Channel"
              name="channel"
              options={channelOptions}
              value={asked.channel}
              onChange={({ target }) => ask({ channel: target.value as Channel })}
            />
          </div>
        </Form>
        <div aria-live="polite">{explanation.data ? <Answer explanation={explanation.data} /> : null}</div>
      </Panel>
    </TitledSection>
  )
}

function Answer({ explanation: { sends, considered } }: { explanation: Explanation }) {
  return (
    <>
      <p className="pb-2 font-medium">{sends ? 'It would be sent.' : 'It would not be sent.'}</p>
      <ol className="flex flex-col gap-1.5">
        {considered.map((one) => (
          <Step key={`${one.check} ${one.rule ? `${one.rule.of} ${scopeOf(one.rule)}` : ''}`} step={one} />
        ))}
      </ol>
    </>
  )
}

function Step({ step: { check, outcome, detail, rule, decided } }: { step: Considered }) {
  const tone = outcome === 'stops' ? 'bad' : 'good'
  return (
    <li className={`rounded-md border px-3 py-2 ${decided ? 'border-line-strong bg-selected' : 'border-line'}`}>
      <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <span className="font-medium">{checks[check]}</span>
        {decided ? <Badge tone={tone}>{outcome === 'stops' ? 'Decides: stops it' : 'Decides: sends it'}</Badge> : null}
      </span>
      <span className="block text-soft [overflow-wrap:anywhere]">
        {rule
          ? `${rule.of === 'user' ? 'The user' : 'The address'} chose ${stateName[rule.state]} for ${scopeOf(rule)}. Source: ${sources[rule.source]}. `
          : ''}
        {detail}
      </span>
    </li>
  )
}
