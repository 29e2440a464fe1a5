import { PlugZap } from 'lucide-react'
import { answer, api } from '../../api/client.ts'
import type { Channel } from '../../channels/channel.ts'
import { channelPages } from '../../channels/table.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Fact, Facts } from '../../ui/drawer.tsx'
import { Problems } from '../../ui/error-state.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { TestForm } from '../../ui/test-form.tsx'
import { ExactTime } from '../../ui/time.tsx'
import { type ProviderTest, useProviderTest } from './queries.ts'

/** Calls the carrier with the stored credentials, and shows its answer. */
export function TestPanel({ providerId, channel }: { providerId: string; channel: Channel }) {
  const test = useProviderTest()
  const { test: ofChannel } = channelPages[channel]
  return (
    <section className="flex flex-col gap-2">
      <div className="flex items-center gap-3">
        <h3 className="flex-1 font-semibold">Test</h3>
        <Button busy={test.isPending} onClick={() => test.mutate(providerId)}>
          <PlugZap size={14} aria-hidden />
          {test.isPending ? 'Asking the carrier' : 'Test the credentials'}
        </Button>
      </div>
      <div aria-live="polite">
        {test.error ? <Problems error={test.error} /> : test.data ? <Result result={test.data} /> : null}
        {test.isIdle ? (
          <p className="text-soft">Calls the carrier with the stored credentials. Sends no message.</p>
        ) : null}
      </div>
      {ofChannel?.ofProvider ? (
        <TestForm
          label={ofChannel.label}
          hint="Gets one message that names this provider. It costs what the carrier charges."
          send={(recipient) =>
            answer(
              api.POST('/api/v1/providers/{provider_id}/test-message', {
                params: { path: { provider_id: providerId } },
                body: { recipient },
              }),
            )
          }
        />
      ) : null}
    </section>
  )
}

function Result({ result: { ok, code, message, details, duration_ms, tested_at } }: { result: ProviderTest }) {
  return (
    <div className="flex flex-col gap-2 rounded-md bg-sunken px-3 py-2">
      <p className="flex flex-wrap items-center gap-2">
        <Badge tone={ok ? 'good' : 'bad'}>{ok ? 'Works' : 'Does not work'}</Badge>
        {code ? <code className="font-mono text-xs">{code}</code> : null}
        <span className="text-faint tabular-nums">{duration_ms} ms</span>
      </p>
      <p className="[overflow-wrap:anywhere]">
        <PlainText>{message}</PlainText>
      </p>
      <Facts>
        {Object.entries(details).map(([name, value]) => (
          <Fact key={name} name={name}>
            <PlainText>{value}</PlainText>
          </Fact>
        ))}
        <Fact name="Tested">
          <ExactTime at={tested_at} />
        </Fact>
      </Facts>
    </div>
  )
}
