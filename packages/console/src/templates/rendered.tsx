import type { Channel } from '../api/channels.ts'
import { Fact, Facts } from '../ui/drawer.tsx'
import { numberText } from '../ui/number-text.ts'
import { PlainText, TextBlock } from '../ui/plain-text.tsx'
import { EmailFrame } from './email-frame.tsx'
import { pretty, type Templates } from './template-forms.ts'

/** A rendered template as its channel delivers it. */
export function Rendered({ channel, rendered }: { channel: Channel; rendered: Templates }) {
  const { sms, email, whatsapp, in_app, webhook } = rendered
  if (channel === 'sms' && sms) {
    return (
      <>
        <TextBlock label="Text of the SMS">{sms.body}</TextBlock>
        <p className="text-xs text-faint tabular-nums">{numberText(sms.body.length)} characters</p>
      </>
    )
  }
  if (channel === 'email' && email) {
    return (
      <>
        <p className="[overflow-wrap:anywhere]">
          <span className="text-faint">Subject</span> <PlainText className="font-medium">{email.subject}</PlainText>
        </p>
        {email.html_body === undefined ? null : <EmailFrame html={email.html_body} />}
        <TextBlock label="Text of the email">{email.body}</TextBlock>
      </>
    )
  }
  if (channel === 'in_app' && in_app) {
    return (
      <>
        <div className="rounded-md border border-line bg-raised p-3 [overflow-wrap:anywhere]">
          <PlainText className="block font-medium">{in_app.title}</PlainText>
          <PlainText className="block whitespace-pre-wrap text-soft">{in_app.body}</PlainText>
        </div>
        {in_app.data ? <TextBlock label="Data of the notification">{pretty(in_app.data)}</TextBlock> : null}
      </>
    )
  }
  if (channel === 'webhook' && webhook) return <TextBlock label="Data of the webhook">{pretty(webhook.data)}</TextBlock>
  if (channel === 'whatsapp' && whatsapp) {
    const names = Array.isArray(whatsapp.parameters) ? (at: string) => `{{${Number(at) + 1}}}` : (name: string) => name
    return (
      <>
        <p className="text-soft">
          The carrier fills these into <code className="font-mono text-xs text-text">{whatsapp.template_name}</code> (
          {whatsapp.language}).
        </p>
        <Facts>
          {Object.entries(whatsapp.parameters).map(([name, text]) => (
            <Fact key={name} name={names(name)}>
              <PlainText>{text}</PlainText>
            </Fact>
          ))}
        </Facts>
      </>
    )
  }
  return null
}
