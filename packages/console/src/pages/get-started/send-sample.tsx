import { useState } from 'react'
import { useLayout } from '../../api/layouts.ts'
import type { Channel, Templates } from '../../channels/channel.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { requestOf, type SentEvent } from './request-of.ts'
import { keyVariable, type LanguageKey, languageKeys, languageOf, sampleOf } from './samples.ts'

interface SendSampleProps {
  event: SentEvent
  channel: Channel
  keyName: string
  /** The key, if it was created on this page. It is copied, but not shown. */
  apiKey: string | undefined
}

/** The request to copy, in the language of the backend. */
export function SendSample({ event, channel, keyName, apiKey }: SendSampleProps) {
  const [language, setLanguage] = useState<LanguageKey>('curl')
  const own: Templates = { [channel]: event.templates[channel] }
  const { data: layout } = useLayout(own.email?.layout_id ?? '')
  const request = requestOf(event, channel, layout)
  const code = sampleOf(language, { origin: location.origin, request, keyName })
  const hasKey = apiKey !== undefined && language === 'curl'
  return (
    <>
      <fieldset className="mt-1 flex flex-wrap gap-1">
        <legend className="sr-only">Language of the sample</legend>
        {languageKeys.map((each) => (
          <Button
            key={each}
            kind={each === language ? 'plain' : 'quiet'}
            aria-pressed={each === language}
            onClick={() => setLanguage(each)}
          >
            {languageOf(each).name}
          </Button>
        ))}
      </fieldset>
      <p className="mt-2">
        {hasKey ? (
          'Run this in a shell; the copy has your key in it:'
        ) : (
          <>
            Set NOTIFY_KEY to the key <PlainText>{keyName}</PlainText>
            {apiKey === undefined ? null : (
              <CopyButton text={`export NOTIFY_KEY=${apiKey}`} label="Copy the command that sets it" />
            )}
            . {languageOf(language).run}.
          </>
        )}
      </p>
      <div className="mt-2 flex items-start gap-2 rounded-md border border-line bg-sunken py-2 pr-2 pl-3">
        <pre className="min-w-0 flex-1 font-mono text-xs whitespace-pre-wrap text-text [overflow-wrap:anywhere]">
          {code}
        </pre>
        <CopyButton text={hasKey ? code.replace(keyVariable, apiKey) : code} label="Copy the sample" />
      </div>
    </>
  )
}
