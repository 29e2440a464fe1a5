import { lazy, Suspense, useState } from 'react'
import { Link } from 'react-router'
import { answer, api } from '../../api/client.ts'
import { useNewestItem } from '../../api/newest-item.ts'
import { channelNames, channelPages, channels, namesOf } from '../../channels/table.ts'
import { useDraft } from '../../ui/draft.ts'
import { ErrorState } from '../../ui/error-state.tsx'
import { TextField } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Panel } from '../../ui/panel.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { SecretDialog } from '../../ui/secret-dialog.tsx'
import { Skeleton } from '../../ui/states.tsx'
import { Arrival } from './arrival.tsx'
import { BackendKey } from './backend-key.tsx'
import { channelOf, firstEvent } from './first-request.ts'
import { useProgress, useRefreshProgress } from './queries.ts'
import { Step } from './step.tsx'
import { StepButton } from './step-button.tsx'

// Loaded on demand, because the parser of templates is large.
const SendSample = lazy(async () => ({ default: (await import('./send-sample.tsx')).SendSample }))

const carried = namesOf(channels.filter((channel) => channelPages[channel].hasCarrier))
const link = 'text-accent underline underline-offset-2'

/** Leads from an empty tenant to a delivered message. */
export function GetStartedPage() {
  const progress = useProgress()
  const { application, key, providers, event } = progress
  const newest = useNewestItem({ polls: true })
  const [secret, setSecret] = useState<{ name: string; text: string; isStored: boolean }>()
  const channel = channelOf(
    providers.map((provider) => provider.channel),
    event?.allowed_channels,
  )
  const refresh = useRefreshProgress()
  const show = (name: string, text: string) => {
    setSecret({ name, text, isStored: false })
    void refresh()
  }
  const head = <PageHeader title="Get started" lead="From here to a delivered message in a few minutes." />
  if (progress.error) {
    return (
      <>
        {head}
        <ErrorState error={progress.error} onRetry={progress.retry} />
      </>
    )
  }
  if (progress.isLoading) {
    return (
      <>
        {head}
        <Skeleton lines={9} />
      </>
    )
  }
  return (
    <>
      {head}
      <Panel className="max-w-2xl">
        <ol>
          <Step
            number={1}
            title="Create an application"
            done={application !== null}
            result={application ? <PlainText>{application.name}</PlainText> : null}
          >
            <NewApplication />
          </Step>
          <Step
            number={2}
            title="Create an API key"
            done={key !== null}
            result={
              key && application ? (
                <>
                  <PlainText>{key.name}</PlainText>
                  <BackendKey applicationId={application.application_id} onCreated={show} />
                </>
              ) : null
            }
          >
            A test key: its messages go to the sandbox, never to a person. Live keys are made on the page Applications.
            <br />
            <NewKey applicationId={application?.application_id} onCreated={show} />
          </Step>
          <Step
            number={3}
            title="Connect a provider"
            done={providers.length > 0}
            result={
              <ul className="flex flex-wrap gap-x-3">
                {providers.map(({ provider_id, name }) => (
                  <li key={provider_id} className="min-w-0">
                    <PlainText>{name}</PlainText>
                  </li>
                ))}
              </ul>
            }
          >
            {carried} go through an account at a carrier:{' '}
            <Link to="/providers" className={link}>
              add a provider
            </Link>
            . In-app messages need none, so you can do this later.
          </Step>
          <Step
            number={4}
            title="Publish an event"
            done={event !== null}
            result={<code className="font-mono text-xs">{event?.event_key}</code>}
          >
            An event holds the texts of a message, by channel. This one says hello.
            <br />
            <NewEvent applicationId={application?.application_id} />
          </Step>
          <Step number={5} title={`Send a message (${channelNames[channel]})`} done={false}>
            <Suspense fallback={<Skeleton lines={15} />}>
              <SendSample
                event={event ?? firstEvent}
                channel={channel}
                keyName={secret?.name ?? key?.name ?? firstKeyName}
                apiKey={secret?.text}
              />
            </Suspense>
          </Step>
          <Step
            number={6}
            title="See it arrive"
            done={newest.data?.status === 'delivered'}
            result={newest.data ? <Arrival item={newest.data} /> : null}
          >
            {newest.data ? (
              <Arrival item={newest.data} />
            ) : (
              'Waiting for the first message. This page sees it by itself.'
            )}
          </Step>
        </ol>
      </Panel>
      <p className="pt-3 text-soft">
        Every request and field is described in the{' '}
        <a href="/docs" className={link}>
          documentation
        </a>
        ; what was sent is listed in the{' '}
        <Link to="/activity" className={link}>
          activity
        </Link>
        .
      </p>
      {secret && !secret.isStored ? (
        <SecretDialog
          title="The new key"
          what="API key"
          secret={secret.text}
          onClose={() => setSecret({ ...secret, isStored: true })}
        />
      ) : null}
    </>
  )
}

function NewApplication() {
  const refresh = useRefreshProgress()
  const draft = useDraft('get-started:application', { name: '' })
  const create = async () => {
    await answer(api.POST('/api/v1/applications', { body: draft.value }))
    await refresh()
    draft.clear()
  }
  return (
    <div className="mt-2 max-w-sm">
      <Form action="Create the application" onSubmit={create}>
        <TextField
          label="Name"
          name="name"
          dir="auto"
          value={draft.value.name}
          onChange={(event) => draft.set({ name: event.target.value })}
          hint="The product or site that sends, for example: Shop."
        />
      </Form>
    </div>
  )
}

interface NewKeyProps {
  applicationId: string | undefined
  onCreated: (name: string, apiKey: string) => void
}

const firstKeyName = 'First key'

function NewKey({ applicationId, onCreated }: NewKeyProps) {
  const create = async () => {
    const { api_key } = await answer(
      api.POST('/api/v1/applications/{application_id}/keys', {
        params: { path: { application_id: applicationId! } },
        body: {
          name: firstKeyName,
          mode: 'test',
          // What the quick start needs.
          permissions: ['notifications:send', 'notifications:read', 'otp:send', 'otp:verify'],
        },
      }),
    )
    onCreated(firstKeyName, api_key)
  }
  return (
    <StepButton permission="applications:manage" disabled={!applicationId} act={create}>
      Create a test key
    </StepButton>
  )
}

function NewEvent({ applicationId }: { applicationId: string | undefined }) {
  const refresh = useRefreshProgress()
  const create = async () => {
    await answer(
      api.POST('/api/v1/applications/{application_id}/events', {
        params: { path: { application_id: applicationId! } },
        body: firstEvent,
      }),
    )
    await refresh()
  }
  return (
    <StepButton permission="events:manage" disabled={!applicationId} act={create}>
      Create and publish the event
    </StepButton>
  )
}
