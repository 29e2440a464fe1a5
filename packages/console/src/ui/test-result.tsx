import type { components } from '@notify/sdk'
import { Badge, type Tone } from './badge.tsx'
import { PlainText } from './plain-text.tsx'

type TestMessage = components['schemas']['TestMessage']

const outcomes: Record<TestMessage['outcome'], { name: string; tone: Tone }> = {
  accepted: { name: 'Taken by the carrier', tone: 'good' },
  rejected_permanent: { name: 'Refused', tone: 'bad' },
  rejected_retryable: { name: 'Refused for now', tone: 'warn' },
  unknown: { name: 'No clear answer', tone: 'warn' },
}

/** The carrier's answer to a test message. */
export function TestResult({ result }: { result: TestMessage }) {
  const { outcome, code, message, recipient_masked, locale, kind, duration_ms, sms_segments } = result
  return (
    <div className="flex flex-col gap-1 rounded-md bg-sunken px-3 py-2">
      <p className="flex flex-wrap items-center gap-2">
        <Badge tone={outcomes[outcome].tone}>{outcomes[outcome].name}</Badge>
        {code ? <code className="font-mono text-xs">{code}</code> : null}
        <span className="text-faint tabular-nums">
          {kind}, {duration_ms} ms
        </span>
      </p>
      {message ? (
        <p className="[overflow-wrap:anywhere]">
          <PlainText>{message}</PlainText>
        </p>
      ) : null}
      <p className="text-faint">
        To <PlainText>{recipient_masked}</PlainText>
        {locale ? ` in ${locale}` : ''}
        {sms_segments ? `, ${sms_segments.segments} × ${sms_segments.encoding}` : ''}
      </p>
    </div>
  )
}
